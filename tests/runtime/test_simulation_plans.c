/* test_simulation_plans.c - programs on simulated machines whose rows stay, each beside its best
 * fixed split. Each has shown a mistake of the plans.
 */
#include "simulated_steps.h"

/* What the program does between jobs, which matters to GPUs only. First, it writes an array that
 * each part reads whole, which takes twice as long to copy as the cores work: they stay alone.
 * Then, it writes over results before it reads the array, so that nothing has to come home from
 * GPUs that are a hundred times as fast as the cores. */
static void the_program_writes_between_jobs(void **state)
{
    yoke_simulation asked = { .machine = "cores=16:rate=1e9,gpu:rate=1e11:fill=270336:link=28e9",
                              .step = "a(whole b:4, inout x:24); write b",
                              .items = 30000000,
                              .runs = 40 };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=1/0,chunks=1", total) < 1.1);
    asked.step = "a(in y:8, out x:24); b(in x, inout y); write x; read x";
    asked.runs = 80; /* the GPU alone is tried once, after some 35 */
    assert_true(over_fixed(&asked, "static:shares=0/1,chunks=1", late) < 1.02);
}

/* Rows that each job writes anew never move, so the cores, which take twice as long beside the GPU
 * as the GPU alone, are left out at once. */
static void what_is_written_anew_stays(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=16:rate=8e8,gpu:rate=1.7e11:fill=1000:fixed=5us:link=1.2e10",
        .step = "a(out x:72)",
        .items = 400000,
        .runs = 40
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=0/1,chunks=1", late) < 1.02);
}

/* Rows come home to a part of the cores, and the others have nothing to do meanwhile. That is no
 * time of their items: else the cores would seem slow, and rows would go there and back for good.
 */
static void cores_wait_for_rows(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=16:rate=2.3e9:peak=0.858,gpu:rate=1.21e11:peak=0.188:fill=270336:"
                   "fixed=8.4us:latency=11.5us:link=5e10",
        .step = "a(in c:8, out b:24, in a:24); b(out c:8)*4; c(sum, in c:8, whole a:24, out b:24); "
                "d(sum, in c:8[1], inout b:24, in a:24[64])",
        .items = 28000000,
        .runs = 100
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=0.235/0.765,chunks=1", late_median) < 1.02);
}

/* The program reads 7.2 GB of results in each step, so cores are best, with next to nothing on the
 * GPUs. After the trial of the cores alone the devices get these bounds back, although a search
 * among all bounds with a part for each device ends at others that take three times as long. */
static void a_lost_trial_goes_back(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=16:rate=3.48e8:peak=0.506,gpu*2:rate=5.59e10:peak=0.377:fill=1000:"
                   "fixed=6.5us:latency=11.1us:link=1.2e10:peer=150e9",
        .step = "a(whole x:4, inout y:72); b(in y:72, out x:4)*4; read y",
        .items = 100000000,
        .runs = 40
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=1/0/0,chunks=1", total) < 1.1);
}

/* A reduction cuts its range at multiples of its blocks, other kernels may cut theirs anywhere. If
 * they did, each job would fetch the rows between. */
static void kernels_cut_rows_at_the_same_places(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=1:rate=1e6,gpua:rate=4e10:fill=1000:fixed=5us:latency=6us:link=12e9,"
                   "gpub:rate=3e10:fill=1000:fixed=5us:latency=6us:link=12e9",
        .step = "a(inout x:4)*4; b(sum, inout x:4)",
        .items = 7840008,
        .runs = 40
    };
    yoke_simulated *out = simulate(&asked);
    (void)state;
    assert_true(out->devices[1].items > 0 && out->devices[2].items > 0);
    assert_true(out->to_devices + out->from_devices + out->between_devices == 0);
    yoke_simulated_close(out);
}

/* Cores with a hundredth of the rows spend their time on waking up. That says nothing against their
 * speed: alone they are best, because each GPU would have to send its results home. */
static void a_small_part_says_little(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=16:rate=5.13e+08:peak=1.12,gpu*2:rate=9.06e+10:peak=3.2:fill=270336:"
                   "fixed=9.6us:latency=9.9us:link=1.2e+10",
        .step = "a(sum, out b:4); read x; b(inout x:4, whole b:4)",
        .items = 1111537,
        .runs = 100
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=1/0/0,chunks=1", late) < 1.05);
    assert_true(over_fixed(&asked, "static:shares=1/0/0,chunks=1", total) < 1.25);
}

/* The GPU's first two parts are an eighth and a third of the rows. A row takes a hundred times
 * as long there as later, because the kernel is cold. That says nothing against its speed: alone it
 * is best. */
static void a_cold_start_says_little(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=14:rate=1.4e9:noise=0.3:seed=1:peak=0.5,gpu:rate=3e11:fill=270336:"
                   "fixed=4us:latency=8us:link=50e9:cold=200us",
        .step = "axpy(in x:4, inout y:4)",
        .items = 1000000,
        .runs = 100
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=0/1,chunks=1", late) < 1.1);
    assert_true(over_fixed(&asked, "static:shares=0/1,chunks=1", total) < 1.5);
}

/* Bounds change before the kernel that writes its rows anew, so rows of 72 bytes need not move. If
 * they had to, the cores would be alone only after 18 steps, and move all rows then. */
static void bounds_change_where_least_moves(void **state)
{
    const yoke_simulation asked = {
        .machine =
            "cores=4:rate=7.13e+09:noise=0.08:seed=446:peak=0.249,"
            "gpu:rate=3.88e+10:peak=0.632:fill=270336:fixed=5.7us:latency=5.7us:link=2.8e+10",
        .step = "a(out x:72); read b; b(inout b:4, in x:72)",
        .items = 14166858,
        .runs = 100
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=1/0,chunks=1", total) < 1.25);
}

/* Rows move as soon as the jobs so far would have saved what that takes (ski rental): then the
 * program takes at most twice the best time, wherever it ends. */
static void rows_move_when_that_pays(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=4:rate=3.51e+09:peak=1.6,gpu:rate=1.13e+11:peak=2.15:fill=1000:"
                   "fixed=5.6us:latency=5.5us:link=2.8e+10",
        .step = "a(inout b:72)",
        .items = 54926774,
        .runs = 100
    };
    yoke_simulated *out = simulate(&asked);
    const double gain = out->runs[0] - out->runs[99];
    int longest = 0;
    (void)state;
    for (int run = 1; run < out->run_count; run++)
        longest = out->runs[run] > out->runs[longest] ? run : longest;
    assert_true(longest * gain > 0.95 * out->runs[longest]);
    assert_true(longest * gain < 1.05 * out->runs[longest]);
    yoke_simulated_close(out);
}

/* The program writes one of two equal arrays in each step, and the other one stays: jobs keep to
 * the plan. */
static void half_of_the_rows_stay(void **state)
{
    const yoke_simulation asked = {
        .machine = "cores=16:rate=3.81e+08:noise=0.03:seed=318:peak=0.485,gpu:rate=2.83e+10:"
                   "peak=3.42:fill=20000:fixed=8.9us:latency=10.1us:link=2.8e+10:peer=150e9",
        .step = "a(inout a:4, in b:4[64]); write b",
        .items = 612957,
        .runs = 100
    };
    (void)state;
    assert_true(over_fixed(&asked, "static:shares=0.6/0.4,chunks=1", late) < 1.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_writes_between_jobs),
        cmocka_unit_test(what_is_written_anew_stays),
        cmocka_unit_test(cores_wait_for_rows),
        cmocka_unit_test(a_lost_trial_goes_back),
        cmocka_unit_test(kernels_cut_rows_at_the_same_places),
        cmocka_unit_test(a_small_part_says_little),
        cmocka_unit_test(a_cold_start_says_little),
        cmocka_unit_test(bounds_change_where_least_moves),
        cmocka_unit_test(rows_move_when_that_pays),
        cmocka_unit_test(half_of_the_rows_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
