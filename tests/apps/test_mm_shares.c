/* test_mm_shares.c - mm's jobs in flight leave each of two GPUs its part. Their clock is virtual,
 * so that the shares are the same in every build; the products are computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

/* Checks the first device's share in twenty jobs in flight on two GPUs. */
static void share_of_the_first(const char *devices, int repeat, double least, double most)
{
    struct measure_spec spec = { .app = app_find("mm"),
                                 .input = { .size = { 1020, 1020, 1020 }, .seed = 1 },
                                 .config.devices = devices,
                                 .repeat = repeat };
    struct measure out;
    int k;
    for (k = 0; spec.app->options[k].name; k++)
        spec.input.values[k] = spec.app->options[k].initial;
    spec.input.values[1] = "none";
    spec.input.values[2] = "5";
    spec.input.values[3] = "4";
    assert_int_equal(measure(&spec, &out), YOKE_OK);
    assert_int_equal(out.device_count, 2);
    if (!(out.devices[0].share > least && out.devices[0].share < most))
        fail_msg("%s: the first of two did %g of all", devices, out.devices[0].share);
    measure_close(&out);
}

/* Time that a job waits for others and for B does not count for its speed. */
static void two_alike_gpus_do_half_each(void **unused)
{
    (void)unused;
    share_of_the_first("sim:gpu*2:noise=0.05:rate=478500:link=1.12e9:latency=8us:fixed=5us:"
                       "lanes=4:peer=8e9",
                       5, 0.47, 0.53);
}

/* The time of a job that waited for others is not its devices' time, so no device is left out in an
 * experiment. */
static void jobs_in_flight_leave_nobody_out(void **unused)
{
    (void)unused;
    share_of_the_first("sim:gpu:rate=478500:link=1.12e9:latency=8us:fixed=5us:lanes=4:peer=8e9,"
                       "sim:gpu:rate=441000:link=1.05e9:latency=9us:fixed=5us:lanes=4:peer=8e9",
                       8, 0.46, 0.58);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_alike_gpus_do_half_each),
        cmocka_unit_test(jobs_in_flight_leave_nobody_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
