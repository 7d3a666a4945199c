/* test_team_crowd.c - jobs side by side: a device that gets nothing of one may be busy with
 * another, so it is not left out for that. A device that works for no job is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/team.h"
#include "partition/trial.h"

enum { GPU = 2, ALL = 3, JOBS = 10 };

/* Returns the team that is asked after jobs in which the GPU got nothing. */
static uint32_t asked_after(uint32_t served, int jobs)
{
    const struct yk_split_device devices[] = { { .host_memory = 1, .lanes = 16, .rate = 1e-5 },
                                               { .lanes = 2, .make = 2, .rate = 1e-3 } };
    const struct yk_team_asks asks = {
        .devices = devices, .count = 2, .items = 1024, .crowded = 1
    };
    struct yk_team team = { 0 };
    for (int i = 0; i < jobs; i++) {
        struct yk_team_job job = { .asked = ALL, .crowded = 1, .hindered = served, .ns = 5e7 };
        yk_team_did(&job, 0, devices[0].rate, 1024);
        yk_team_did(&job, 1, devices[1].rate, 0);
        yk_team_note(&team, &job);
    }
    return yk_team_choose(&team, &asks);
}

static void a_device_that_served_other_jobs_stays(void **state)
{
    (void)state;
    assert_int_equal(asked_after(GPU, JOBS), ALL);
    assert_int_equal(asked_after(ALL, JOBS), ALL);
}

static void a_device_that_served_no_job_goes(void **state)
{
    (void)state;
    assert_int_equal(asked_after(0, YK_LASTING - 1), ALL);
    assert_int_equal(asked_after(0, YK_LASTING), ALL & ~GPU);
    assert_int_equal(asked_after(1, YK_LASTING), ALL & ~GPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_device_that_served_other_jobs_stays),
                                        cmocka_unit_test(a_device_that_served_no_job_goes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
