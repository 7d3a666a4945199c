/* Cores slow down at one run and recover at a later one: how soon `auto` and `trained` follow
 * (papers/003, fig. 4). Simulated, so the figures are exact. */
#include "simulator_bench.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 50, SLOW = 20, FAST = 35, ITEMS = 100000 };

struct life {
    const char *machine, *partitioner;
    double factor; /* the cores' slowdown */
};

/* Efficiency of all runs: the least possible time with the cores as they are, relative to the run's
 * time. */
struct history {
    double efficiency[RUNS], cpu_share[RUNS];
    struct yk_adjust adjust[RUNS];
    char reason[RUNS][yk_simulate_reason_max];
};

/* Only the work, without overhead; the machine's ideal time is that of cores without load. */
static double least_us(const struct simulator_bench *bench, double factor)
{
    double rate = (double)bench->machine.cpu.cores * bench->machine.cpu.rate / factor;
    int g;
    for (g = 0; g < bench->machine.gpu_count; g++)
        rate += bench->machine.gpus[g].rate;
    return ITEMS / rate * 1e6;
}

static void keep(struct history *out, int run, const struct simulator_bench *bench)
{
    const struct yk_simulate_device *cores = &bench->result.devices[0];
    out->cpu_share[run] = (double)cores->items / ITEMS;
    out->adjust[run] = bench->result.adjust;
    memcpy(out->reason[run], cores->reason, sizeof out->reason[run]);
}

static struct history *live_through(const struct life *life)
{
    static struct history history;
    struct simulator_bench *bench = bench_open(life->machine, "regular", ITEMS);
    struct yk_learned learned[bench_devices_max];
    struct yk_team team = { 0 };
    struct yk_adjust adjust = { 0 };
    int run;
    bench->spec.partitioner = life->partitioner;
    bench->spec.team = &team;
    bench->spec.adjust = &adjust;
    for (run = 0; run < RUNS; run++) {
        const double factor = run >= SLOW && run < FAST ? life->factor : 1;
        bench->machine.cpu.loads =
            (struct yk_slowdowns){ .items = { { 0, 1e9, factor } }, .count = 1 };
        history.efficiency[run] = least_us(bench, factor) / bench_run(bench);
        keep(&history, run, bench);
        bench_take_learned(bench, learned);
        bench->spec.learned = learned;
        team = bench->result.team;
        adjust = bench->result.adjust;
    }
    bench_close(bench);
    return &history;
}

/* Requires good runs from `first` to `last`. */
static void check_good(const struct history *history, int first, int last)
{
    int run;
    for (run = first; run < last; run++)
        if (history->efficiency[run] < 0.95)
            fail_msg("run %d took 1 / %.3f of the least", run, history->efficiency[run]);
}

static const char alike[] = "cores=8:rate=1e6,gpu:rate=8e6";

/* Twice as slow: a large change, so all shares are fitted after four runs have shown it. */
static void a_half_counts_four_runs(void **state)
{
    const struct life life = { alike, "trained", 2 };
    const struct history *history = live_through(&life);
    int run;
    (void)state;
    for (run = SLOW; run < SLOW + 4; run++) {
        assert_float_equal(history->cpu_share[run], history->cpu_share[SLOW - 1], 0);
        assert_float_equal(history->adjust[run].lbt, 1 - pow(0.5, run - SLOW + 1), 1e-4);
        assert_int_equal(history->adjust[run].level, run == SLOW + 3 ? 2 : 0);
    }
    assert_float_equal(history->adjust[SLOW].dev, 0.49, 0.01);
    assert_float_equal(history->cpu_share[SLOW + 4], 1.0 / 3, 0.001);
    assert_float_equal(history->efficiency[SLOW + 4], 0.9956, 0.001);
    assert_string_equal(history->reason[SLOW + 4],
                        "its learned share was 33.3 %; the run before: dev 0.49, lbt 0.94, level 2 "
                        "(shares fitted to its times)");
    assert_float_equal(history->cpu_share[FAST + 4], 0.5, 0.001);
    check_good(history, SLOW + 4, FAST);
    check_good(history, FAST + 4, RUNS);
}

static void four_fifths_count_two(void **state)
{
    const struct life life = { alike, "trained:w=0.8", 2 };
    const struct history *history = live_through(&life);
    (void)state;
    assert_float_equal(history->adjust[SLOW].lbt, 0.8, 1e-4);
    assert_float_equal(history->adjust[SLOW + 1].lbt, 0.96, 1e-4);
    assert_int_equal(history->adjust[SLOW + 1].level, 2);
    assert_float_equal(history->cpu_share[SLOW + 2], 1.0 / 3, 0.001);
    check_good(history, SLOW + 2, FAST);
    check_good(history, FAST + 2, RUNS);
}

/* 1.5 times as slow: at most three steps correct it, each at most a tenth of the cores' part. */
static void less_is_mended_in_steps(void **state)
{
    const struct life life = { alike, "trained:w=0.8", 1.5 };
    const struct history *history = live_through(&life);
    const double *share = history->cpu_share + SLOW;
    (void)state;
    assert_float_equal(share[0], 0.51, 0.01);
    assert_float_equal(share[1], share[0], 0);
    assert_float_equal(share[2] / share[1], 0.9, 0.005);
    assert_float_equal(share[3] / share[2], 0.9, 0.005);
    assert_float_equal(share[4], 0.405, 0.01);
    assert_float_equal(share[5], share[4], 0);
    assert_int_equal(history->adjust[SLOW + 1].level, 1);
    assert_int_equal(history->adjust[SLOW + 4].level, 0);
    check_good(history, SLOW + 4, FAST);
    check_good(history, FAST + 4, RUNS);
}

/* `auto` does the first two runs: one shows the devices' speeds, and one the times of their parts
 * of a whole job. */
static void auto_teaches_the_first_shares(void **state)
{
    const struct life life = { alike, "trained", 1 };
    const struct history *history = live_through(&life);
    (void)state;
    assert_non_null(strstr(history->reason[0], "items/us while busy"));
    assert_non_null(strstr(history->reason[1], "items/us while busy"));
    assert_string_equal(history->reason[2], "its learned share was 50.5 %");
    assert_float_equal(history->cpu_share[2], history->cpu_share[1], 0.0001);
    check_good(history, 0, RUNS);
}

static double best_of(const double *efficiency, int first, int last)
{
    double best = 0;
    int run;
    for (run = first; run < last; run++)
        best = fmax(best, efficiency[run]);
    return best;
}

/* From the change on, the runs are nearly as good as the best of them. (A trial of other devices,
 * see explore.h, may be under way meanwhile, and it may be misled once.) */
static void check_followed(const struct life *life, const double *efficiency, int first, int last)
{
    const double best = best_of(efficiency, first, last);
    double mean = 0;
    int run;
    for (run = first; run < last; run++)
        mean += efficiency[run] / (last - first);
    if (mean < 0.9 * best)
        fail_msg("%s, cores %g times as slow: runs %d to %d reach %.3f of the best one",
                 life->machine, life->factor, first, last - 1, mean / best);
}

/* Cores and GPUs of many speed ratios, with and without contention. */
static void auto_follows_the_load(void **state)
{
    static const double contentions[] = { 0, 0.1, 0.3 }, ratios[] = { 0.25, 0.5, 1, 2, 8 },
                        factors[] = { 1.5, 2, 4 };
    char machine[128];
    int c, r, f, gpus;
    (void)state;
    for (c = 0; c < 3; c++)
        for (r = 0; r < 5; r++)
            for (f = 0; f < 3; f++)
                for (gpus = 1; gpus <= 2; gpus++) {
                    const struct life life = { machine, "auto", factors[f] };
                    const struct history *history;
                    snprintf(machine, sizeof machine,
                             "cores=8:rate=1e6:contention=%g:noise=0.02,gpu*%d:rate=%g",
                             contentions[c], gpus, 8e6 * ratios[r]);
                    history = live_through(&life);
                    check_followed(&life, history->efficiency, SLOW, FAST);
                    check_followed(&life, history->efficiency, FAST, RUNS);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_half_counts_four_runs), cmocka_unit_test(four_fifths_count_two),
        cmocka_unit_test(less_is_mended_in_steps), cmocka_unit_test(auto_teaches_the_first_shares),
        cmocka_unit_test(auto_follows_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
