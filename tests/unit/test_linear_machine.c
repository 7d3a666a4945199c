/* Tests of `linear` on simulated machines: its prediction is the time, all devices end together, no
 * fixed split is much better, and devices that do not pay are switched off at the right size. */
#include <math.h>
#include <stdio.h>

#include "simulator_bench.h"

/* Relative tolerance of issue 8. */
#define NEAR 0.03
enum { runs_most = 12 };

/* A machine and a loop on it. */
struct case_of {
    const char *machine, *profile;
    int64_t items;
    double bytes_in, bytes_out;
};

/* Memory-bound, with copies, many equal devices, a slow core, contention, noise. */
static const struct case_of cases[] = {
    { "cores=8,gpu:f=30:fixed=20us:launch=5us", "regular", 4000000, 0, 0 },
    { "cores=8,gpu*4:f=12:fixed=50us", "regular", 4000000, 0, 0 },
    { "cores=64,gpu*2:f=60:fixed=20us", "regular", 64000000, 0, 0 },
    { "cores=8,gpuA:f=30:fixed=20us,gpuB:f=10:fixed=80us", "regular", 4000000, 0, 0 },
    { "cores=16,gpu*2:f=40:fixed=15us:link=2e10:latency=8us", "regular", 8000000, 80, 40 },
    { "cores=16,gpu:f=40:fixed=15us:link=2e10:latency=8us", "regular", 8000000, 400, 100 },
    { "cores=8:contention=0.2,gpu*2:f=20:fixed=20us", "regular", 4000000, 0, 0 },
    { "cores=8:noise=0.02,gpu*2:f=20:fixed=20us", "regular", 8000000, 0, 0 },
};

static double device_end[bench_devices_max];

static void watch(void *context, const struct yk_simulate_span *span)
{
    if (span->kind == YK_SIMULATE_DONE)
        device_end[span->device] = (double)span->end_ns * 1e-9;
    bench_span(context, span);
}

static struct simulator_bench *open_case(const struct case_of *with)
{
    struct simulator_bench *bench = bench_open(with->machine, with->profile, with->items);
    bench->spec.bytes_in = with->bytes_in;
    bench->spec.bytes_out = with->bytes_out;
    bench->spec.span = watch;
    return bench;
}

/* Runs until `linear` first splits by lines, and `more` times; returns the number of runs by `auto`
 * before. */
static int run_linear(struct simulator_bench *bench, int more)
{
    struct yk_learned learned[bench_devices_max];
    int run, before = -1;
    bench->spec.partitioner = "linear";
    bench->spec.learned = NULL;
    for (run = 0; run < runs_most; run++) {
        bench_run(bench);
        if (!strcmp(bench->result.partitioner, "linear") && before < 0)
            before = run;
        if (before >= 0 && run >= before + more)
            break;
        bench_take_learned(bench, learned);
        bench->spec.learned = learned;
    }
    bench->spec.learned = NULL;
    assert_true(before >= 0);
    return before;
}

/* The best fixed split: coordinate descent on a 1 % grid, starting at linear's split. */
static double best_static(struct simulator_bench *bench, const double *from, int count)
{
    double shares[bench_devices_max], best = INFINITY, step = 0.05;
    memcpy(shares, from, sizeof *shares * (size_t)count);
    while (step >= 0.0049) {
        int better = 0;
        for (int d = -1; d < count; d++)
            for (int e = 0; e < (d < 0 ? 1 : count); e++) {
                char text[1024] = "static:shares=";
                double moved = d < 0 ? 0 : fmin(step, shares[e]), tried[bench_devices_max];
                if (d == e)
                    continue;
                memcpy(tried, shares, sizeof *shares * (size_t)count);
                if (d >= 0) {
                    tried[d] += moved;
                    tried[e] -= moved;
                }
                for (int i = 0; i < count; i++)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.6f",
                             i > 0 ? "/" : "", tried[i]);
                bench->spec.partitioner = text;
                bench_run(bench);
                if (bench->result.seconds < best * (1 - 1e-6)) {
                    best = bench->result.seconds;
                    memcpy(shares, tried, sizeof *shares * (size_t)count);
                    better = 1;
                }
            }
        if (!better)
            step /= 2.2;
    }
    return best;
}

/* How long before the job's end the first working device ended, relative to the job's time. */
static double apart(const struct simulator_bench *bench)
{
    double most = 0;
    for (int d = 0; d < bench->result.device_count; d++)
        if (bench->result.devices[d].items > 0)
            most = fmax(most, 1 - device_end[d] / bench->result.seconds);
    return most;
}

/* First with lines from one run in which all devices worked together and `auto` knew their speeds;
 * then also with what linear's own run taught. */
static void predicts_and_is_near_the_best(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int more = 0; more < 2; more++) {
            struct simulator_bench *bench = open_case(&cases[c]);
            int count = 1 + bench->machine.gpu_count, before = run_linear(bench, more);
            double shares[bench_devices_max], seconds = bench->result.seconds;
            double off = bench->result.predicted_seconds / seconds - 1, ends = apart(bench), regret;
            for (int d = 0; d < count; d++)
                shares[d] = (double)bench->result.devices[d].items / (double)cases[c].items;
            regret = seconds / best_static(bench, shares, count) - 1;
            print_message("%s: predicted %+.2f %%, apart %.2f %%, regret %.2f %%\n",
                          cases[c].machine, 100 * off, 100 * ends, 100 * regret);
            assert_int_equal(before, 2);
            assert_true(fabs(off) <= NEAR && regret <= NEAR);
            /* at first the lines come from `auto`'s chunks, which are smaller and more numerous */
            assert_true(ends <= (more ? NEAR : 0.08));
            bench_close(bench);
        }
    }
}

/* --- devices that do not pay --- */

static const struct case_of crossing[] = {
    { "cores=8:rate=1e6,gpu:f=30:fixed=2ms:told=no", "regular", 0, 0, 0 },
    { "cores=4:rate=1e6,gpu:f=50:fixed=200us:launch=100us", "regular", 0, 0, 0 },
    { "cores=16:rate=1e6,gpu:f=60:fixed=50us:link=1e9:latency=500us", "regular", 0, 100, 50 },
};

static int gpu_pays(const struct case_of *with)
{
    struct simulator_bench *bench = open_case(with);
    double alone, together = INFINITY;
    bench->spec.partitioner = "static:shares=1/0,chunks=1";
    alone = bench_run(bench);
    for (int share = 1; share <= 100; share++) {
        char text[64];
        snprintf(text, sizeof text, "static:shares=%d/%d,chunks=1", 100 - share, share);
        bench->spec.partitioner = text;
        together = fmin(together, bench_run(bench));
    }
    bench_close(bench);
    return together < alone;
}

static int gpu_is_used(const struct case_of *with)
{
    struct simulator_bench *bench = open_case(with);
    int used;
    run_linear(bench, 3); /* a device that `auto` left out is tried, twice */
    used = bench->result.devices[1].items > 0;
    if (!used && !strstr(bench->result.devices[1].reason, "nothing: "))
        fail_msg("'%s'", bench->result.devices[1].reason);
    bench_close(bench);
    return used;
}

/* The smallest size at which it holds, in steps of 4 %. */
static double first_size(const struct case_of *with, int holds(const struct case_of *))
{
    struct case_of sized = *with;
    for (double items = 100; items < 1e7; items *= 1.04) {
        sized.items = (int64_t)items;
        if (holds(&sized))
            return items;
    }
    return INFINITY;
}

static void switched_off_where_it_does_not_pay(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof crossing / sizeof *crossing; c++) {
        double pays = first_size(&crossing[c], gpu_pays);
        double used = first_size(&crossing[c], gpu_is_used);
        print_message("%s: pays from %.0f, used from %.0f\n", crossing[c].machine, pays, used);
        assert_true(fabs(used / pays - 1) <= 0.2);
    }
}

/* --- a loop that steps through time --- */

/* Cases: all devices pay; one does not; only the cores do; one is new and never tried. `auto` does
 * the first two steps (less than 5 % of 60). From then on `linear` predicts its steps, except one
 * in which it tries a device by a guess. */
static const struct case_of loops[] = {
    { "cores=8,gpu:f=30:fixed=20us:launch=5us", "regular", 400000, 0, 0 },
    { "cores=8,gpuA:f=30:fixed=20us,gpuB:f=10:fixed=80us", "regular", 400000, 0, 0 },
    { "cores=16,gpu*2:f=40:fixed=15us:link=2e10:latency=8us", "regular", 800000, 80, 40 },
    { "cores=8:contention=0.2,gpu*2:f=20:fixed=20us", "regular", 400000, 0, 0 },
    { "cores=8:contention=0.2,gpu:f=20:fixed=20us", "regular", 400000, 0, 0 },
    { "cores=8:rate=1e6,gpu:f=30:fixed=2ms:told=no", "regular", 2000, 0, 0 },
    { "cores=8:rate=1e6,gpu:f=30:fixed=2ms", "regular", 2000, 0, 0 },
    { "cores=8:rate=1e6,gpu:f=0.01:fixed=20us", "regular", 100000, 0, 0 },
    { "cores=8:rate=1e6,gpuA:f=20:fixed=20us,gpuB:f=0.01:fixed=20us", "regular", 100000, 0, 0 },
    { "cores=16:rate=1e6,gpu:f=60:fixed=50us:link=1e7:latency=500us", "regular", 20000, 100, 50 },
};

static void a_loops_first_steps_teach(void **state)
{
    enum { STEPS = 60, TEACH_MOST = 2, GUESSED_MOST = 1 };
    (void)state;
    for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
        struct simulator_bench *bench = open_case(&loops[l]);
        struct yk_learned learned[bench_devices_max];
        int teaching = 0, guessed = 0;
        double most = 0;
        bench->spec.partitioner = "linear";
        for (int step = 0; step < STEPS; step++) {
            bench_run(bench);
            if (strcmp(bench->result.partitioner, "linear"))
                teaching = step + 1;
            else if (bench->result.predicted_seconds > 0)
                most =
                    fmax(most, fabs(bench->result.predicted_seconds / bench->result.seconds - 1));
            else
                guessed++;
            bench_take_learned(bench, learned);
            bench->spec.learned = learned;
        }
        bench->spec.learned = NULL;
        print_message("%s: %d taught, %d guessed, then off by %.2f %%\n", loops[l].machine,
                      teaching, guessed, 100 * most);
        assert_true(teaching <= TEACH_MOST && guessed <= GUESSED_MOST && most <= NEAR);
        bench_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_and_is_near_the_best),
        cmocka_unit_test(switched_off_where_it_does_not_pay),
        cmocka_unit_test(a_loops_first_steps_teach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
