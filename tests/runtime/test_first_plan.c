/* test_first_plan.c - the job after the first one, on data that stay. The first job is mostly
 * copies, so a GPU's speed is hardly known after it, and peaks tell little: cores promise much more
 * than they do. A plan by such costs must not make the second job longer than the first. On
 * simulated machines. */
#include <stdio.h>

#include "job_kernels.h"
#include "ok.h"

enum { ITEMS = 2000000, JOBS = 8 };

static uint32_t y[ITEMS];

static double run(yoke_runtime *rt, yoke_array *array)
{
    const int32_t rounds = 1;
    const yoke_job job = { .kernel = &k_spend,
                           .range = { 0, ITEMS },
                           .args = { yoke_value(rounds), yoke_inout(array) } };
    yoke_result *result;
    double seconds;
    OK(yoke_run(rt, &job, &result));
    seconds = result->seconds;
    yoke_result_close(result);
    return seconds;
}

static void no_job_is_longer_than_the_first(void **state)
{
    static const char *const links[] = { "1e9", "3e9", "1e10" };
    (void)state;
    for (size_t l = 0; l < sizeof links / sizeof *links; l++) {
        char devices[128];
        double seconds[JOBS];
        yoke_runtime *rt;
        yoke_array *array;
        snprintf(devices, sizeof devices,
                 "sim:cpu:cores=16:rate=3.1e5:peak=61,sim:gpu:rate=1.1e10:link=%s", links[l]);
        rt = open_runtime(devices);
        OK(yoke_array_wrap(rt, y, ITEMS, sizeof *y, &array));
        for (int j = 0; j < JOBS; j++) {
            seconds[j] = run(rt, array);
            if (seconds[j] > seconds[0])
                fail_msg("link %s: job %d takes %.2f ms, the first took %.2f", links[l], j,
                         1e3 * seconds[j], 1e3 * seconds[0]);
        }
        assert_true(seconds[JOBS - 1] < 250e-6); /* the GPU alone: 187 us */
        OK(yoke_array_close(array));
        OK(yoke_close(rt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_job_is_longer_than_the_first) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
