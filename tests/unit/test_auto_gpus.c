/* test_auto_gpus.c - `auto` with several GPUs: some are late, and none is judged by less work than
 * would show its speed. In the simulator, where the best time is known. */
#include <stdio.h>

#include "simulator_bench.h"

/* The slowest of runs 3 to 8, relative to the ideal; each run has what earlier runs learned. */
static double slowest_later(struct simulator_bench *bench)
{
    struct yk_learned learned[bench_devices_max];
    double worst = 0;
    bench_run(bench);
    bench->spec.learned = learned;
    for (int run = 1; run < 8; run++) {
        double us;
        bench_take_learned(bench, learned);
        us = bench_run(bench);
        if (run >= 2 && us > worst)
            worst = us;
    }
    bench->spec.learned = NULL;
    return worst / (bench->result.ideal_seconds * 1e6);
}

/* Barnes-Hut on two GPUs whose threads get a core late, because other threads occupy all cores:
 * both by 0.2 ms, then one by 2 ms. The device that is there must not take the other's part. */
static void gpus_that_come_late(void **state)
{
    static const char *const machines[] = {
        "cores=32:rate=3.4e5,gpu*2:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4:link=50e9:"
        "join=200us",
        "cores=32:rate=3.4e5,gpuA:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4:link=50e9:"
        "join=200us,gpuB:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4:link=50e9:join=2ms"
    };
    static const double most[] = { 1.06, 1.11 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulator_bench *bench = bench_open(machines[i], "regular", 1 << 20);
        bench->spec.bytes_in = bench->spec.bytes_out = 16;
        assert_true(slowest_later(bench) < most[i]);
        bench_close(bench);
    }
}

/* In the first job a GPU is unknown before its first chunk, but two of one model are assumed to be
 * equally fast. */
static void gpus_of_a_make(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=32:rate=3.4e5,gpu*2:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4:"
                   "join=200us",
                   "regular", 1 << 20);
    double first = bench_run(bench), second = bench_rerun(bench, 2);
    (void)state;
    assert_true(first < 1.12 * bench->result.ideal_seconds * 1e6);
    assert_true(second < 1.08 * bench->result.ideal_seconds * 1e6);
    bench_close(bench);
}

/* One of two GPUs never joins: the other does the job as if it were alone. */
static void a_gpu_that_does_not_come(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=32:rate=3.4e5,gpuA:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4,"
                   "gpuB:rate=1e8:fill=270336:stair=no:fixed=20us:lanes=4:join=20ms",
                   "regular", 1 << 20);
    (void)state;
    assert_true(slowest_later(bench) < 1.03);
    bench_close(bench);
}

/* n-body: each GPU's part is nearly a fill, and an item takes a core 0.37 ms. A GPU that had
 * slightly less than a fill is not considered faster for it, otherwise parts change in every run;
 * and cores do not take work of GPUs that are 0.25 ms late. */
static void parts_of_about_a_fill(void **state)
{
    struct simulator_bench *bench =
        bench_open("cores=32:hand=2us,gpuA:rate=3.11e6:fill=270336:stair=no:link=50e9:join=250us,"
                   "gpuB:rate=3.11e6:fill=270336:stair=no:link=50e9:join=4ms",
                   "regular", 1 << 19);
    (void)state;
    bench->spec.core_seconds = 370e-6;
    bench->spec.bytes_in = bench->spec.bytes_out = 16;
    assert_true(slowest_later(bench) < 1.03);
    bench_close(bench);
}

/* n-body on one to eight GPUs: four are nearly four times as fast as one. All are used from the
 * first run on, though a part is a tenth of what fills a GPU there. */
static void more_gpus_are_faster(void **state)
{
    static const int counts[] = { 1, 2, 3, 4, 8 };
    double one = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct simulator_bench *bench;
        char machine[200];
        snprintf(machine, sizeof machine,
                 "cores=32,gpu*%d:rate=3.2e6:fill=270336:stair=no:fixed=15us:link=50e9:lanes=4:"
                 "join=200us",
                 counts[i]);
        bench = bench_open(machine, "regular", 1 << 19);
        bench->spec.core_seconds = 370e-6;
        bench->spec.bytes_in = bench->spec.bytes_out = 16;
        double first = bench_run(bench), ideal = bench->result.ideal_seconds * 1e6;
        double later = slowest_later(bench) * ideal;
        one = i == 0 ? later : one;
        assert_true(first < 1.03 * ideal && later < 1.03 * ideal);
        assert_true(one / later > 0.95 * counts[i]);
        bench_close(bench);
    }
}

/* Time in us of the last of `count` runs, each with what earlier runs learned of devices and teams.
 */
static double run_as_team(struct simulator_bench *bench, int count)
{
    struct yk_learned learned[bench_devices_max];
    struct yk_team team = { 0 };
    double us = bench_run(bench);
    bench->spec.learned = learned;
    bench->spec.team = &team;
    while (--count > 0) {
        bench_take_learned(bench, learned);
        team = bench->result.team;
        us = bench_run(bench);
    }
    bench->spec.learned = NULL;
    bench->spec.team = NULL;
    return us;
}

/* Each device slows the others by a twentieth. Cores that do 1.4 % of n-body cost more than they
 * contribute, so the two GPUs soon do the job alone. Without contention the cores stay. */
static void cores_that_only_hold_up(void **state)
{
    static const char *const gpus = "gpu*2:rate=3.11e6:fill=16896:link=50e9";
    char contended[100], free[100];
    (void)state;
    snprintf(contended, sizeof contended, "cores=32:contention=0.05,%s", gpus);
    snprintf(free, sizeof free, "cores=32,%s", gpus);
    for (int i = 0; i < 2; i++) {
        struct simulator_bench *bench = bench_open(i ? free : contended, "regular", 1 << 21);
        double alone = (double)bench->profile.items / 2 / 3.11e6 * 1e6 * (i ? 1 : 1.05);
        bench->spec.core_seconds = 370e-6;
        bench->spec.bytes_in = bench->spec.bytes_out = 16;
        assert_true(run_as_team(bench, 12) < 1.02 * alone);
        assert_int_equal(bench->result.devices[0].items > 0, i);
        assert_int_equal(strstr(bench->result.devices[0].reason, "does not pay") == NULL, i);
        bench_close(bench);
    }
}

/* GPUs that only copy, beside cores that do most of the work, all in the same memory. */
static void gpus_that_only_hold_up(void **state)
{
    struct simulator_bench *bench = bench_open(
        "cores=32:contention=0.6,gpu*2:rate=1e10:fill=270336:link=50e9", "regular", 1 << 25);
    double cores = (double)bench->profile.items * 1.6e-9 / 32 * 1e6;
    (void)state;
    bench->spec.core_seconds = 1.6e-9;
    bench->spec.bytes_in = bench->spec.bytes_out = 4;
    assert_true(run_as_team(bench, 30) < 1.02 * cores);
    assert_int_equal(bench->result.devices[1].items, 0);
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_gpus_are_faster),   cmocka_unit_test(cores_that_only_hold_up),
        cmocka_unit_test(gpus_that_only_hold_up), cmocka_unit_test(gpus_that_come_late),
        cmocka_unit_test(gpus_of_a_make),         cmocka_unit_test(a_gpu_that_does_not_come),
        cmocka_unit_test(parts_of_about_a_fill)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
