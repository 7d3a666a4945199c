/* test_auto_trial.c - devices that slow each other: a device that only slows the others down is
 * rested, and no other. In the simulator, where each device's contribution is known. */
#include <stdio.h>

#include "simulator_bench.h"

enum { ITEMS = 1000000 };

static double alone_us(struct simulator_bench *bench, double items_a_second)
{
    return (double)bench->profile.items / items_a_second * 1e6;
}

static int rests(const struct simulator_bench *bench, int device)
{
    return strstr(bench->result.devices[device].reason, "left out then: without it") != NULL;
}

/* 80 s on one core; 8.6 s with all devices, 4 s with the GPU alone. */
static struct simulator_bench *contended(const char *profile, const char *more)
{
    char line[160];
    struct simulator_bench *bench;
    snprintf(line, sizeof line, "cores=8:rate=12500:contention=2,gpu:f=20:fixed=20us:lanes=2%s",
             more);
    bench = bench_open(line, profile, ITEMS);
    bench->spec.partitioner = "auto";
    return bench;
}

static void cores_that_slow_a_gpu_rest(void **state)
{
    struct simulator_bench *bench = contended("regular", "");
    double us = bench_run(bench);
    (void)state;
    print_message("%.3f of the GPU alone; %s\n", us / alone_us(bench, 250000),
                  bench->result.devices[0].reason);
    assert_true(us < 1.1 * alone_us(bench, 250000));
    assert_true(rests(bench, 0));
    assert_false(rests(bench, 1));
    bench_close(bench);
}

/* Two of four GPUs contribute hardly anything and slow the others. */
static void only_those_rest_that_do_little(void **state)
{
    struct simulator_bench *bench = bench_open("cores=4:rate=1000:contention=0.3,gpu*2:f=100:fixed="
                                               "10us:lanes=2,gpu*2:f=1:fixed=10us:lanes=2",
                                               "regular", 4 * ITEMS);
    (void)state;
    bench->spec.partitioner = "auto";
    bench_run(bench);
    assert_false(rests(bench, 1) || rests(bench, 2));
    assert_true(rests(bench, 0) && rests(bench, 3) && rests(bench, 4));
    bench_close(bench);
}

/* Item costs that vary say nothing about devices. */
static void nobody_rests_where_nobody_slows(void **state)
{
    static const char *const profiles[] = { "regular", "linear-up", "linear-down", "random",
                                            "clustered" };
    size_t p;
    (void)state;
    for (p = 0; p < sizeof profiles / sizeof *profiles; p++) {
        struct simulator_bench *bench = bench_open(
            "cores=8:rate=12500:noise=0.03,gpu*2:f=20:fixed=20us:lanes=2", profiles[p], ITEMS);
        int d;
        bench->spec.partitioner = "auto";
        bench_run(bench);
        for (d = 0; d < 3; d++)
            if (rests(bench, d))
                fail_msg("%s: device %d rests: %s", profiles[p], d,
                         bench->result.devices[d].reason);
        bench_close(bench);
    }
}

/* The cores are rested; then the GPU fails, and the cores do the rest. */
static void who_rests_steps_in_for_who_fails(void **state)
{
    struct simulator_bench *bench = contended("regular", ":fail=2s");
    double us = bench_run(bench);
    (void)state;
    assert_true(us > 2e6 && us < 1.1 * (2e6 + alone_us(bench, 100000)));
    assert_true(bench->result.devices[0].items > ITEMS / 4);
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_that_slow_a_gpu_rest),
        cmocka_unit_test(only_those_rest_that_do_little),
        cmocka_unit_test(nobody_rests_where_nobody_slows),
        cmocka_unit_test(who_rests_steps_in_for_who_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
