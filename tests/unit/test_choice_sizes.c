/* test_choice_sizes.c - which of two kernels a device continues with if the answer depends on the
 * length of chunks, because one of them pays for the longest walk in each: the long-run time
 * counts. `ctest -R test_choice_sizes -V` prints the cost of choosing, by ratio of speeds, fixed
 * cost of a chunk, and noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "partition/choice.h"

enum { BOTH = 3, SEEDS = 40, JOBS = 40, LATE = 10 };

/* A device whose chunks of v items take fixed + v / rate. */
struct device {
    double rate[YK_FORMS], fixed_ns[YK_FORMS], noise;
    int64_t range, part; /* of a job; the first job has `part` chunks, later ones have one */
    uint64_t seed;
    struct yk_choice choice;
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double ideal_ns(const struct device *device, int form, int64_t items)
{
    return device->fixed_ns[form] + (double)items / device->rate[form];
}

/* Time of a job with chunks of at most `most` items, unless a smaller limit is given. */
static double job(struct device *device, int64_t most)
{
    double sum = 0;
    yk_choice_begin(&device->choice);
    for (int64_t left = device->range; left > 0;) {
        const struct yk_choice_asked asked = {
            .ready = BOTH, .range = device->range, .fill = 1, .spare_ns = INFINITY
        };
        struct yk_choice_turn turn;
        int64_t items = most < left ? most : left;
        yk_choice_next(&device->choice, &asked, &turn);
        if (turn.most && items > turn.most)
            items = turn.most;
        double ns = ideal_ns(device, turn.form, items) *
                    (1 + device->noise * (2 * uniform(&device->seed) - 1));
        yk_choice_note(&device->choice, &(struct yk_choice_chunk){ .form = turn.form,
                                                                   .tries = turn.tries,
                                                                   .items = items,
                                                                   .ns = ns,
                                                                   .range = device->range });
        left -= items;
        sum += ns;
    }
    return sum;
}

struct found {
    double first, later, end; /* excess over the better kernel's time: first job, mean of all
                                 others, and the last ones without noise */
    int jobs;                 /* largest number of jobs until it was settled */
};

/* A job takes `ns` with the first kernel alone, whose rate is 1; the other is `ratio` times as fast
 * in the long run. */
static struct found find(double ns, double ratio, const double fixed_ns[YK_FORMS], double noise)
{
    struct found found = { 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct device device = { .rate = { 1, ratio },
                                 .fixed_ns = { fixed_ns[0], fixed_ns[1] },
                                 .noise = noise,
                                 .range = (int64_t)ns,
                                 .seed = seed * 977 };
        double best;
        int jobs = 0;
        yk_choice_open(&device.choice);
        best = fmin(ideal_ns(&device, 0, device.range), ideal_ns(&device, 1, device.range));
        found.first += (job(&device, device.range / 2) / best - 1) / SEEDS;
        for (int i = 1; i < JOBS; i++) {
            jobs += !device.choice.settled;
            found.later += (job(&device, device.range) / best - 1) / SEEDS / (JOBS - 1);
            if (i >= JOBS - LATE)
                found.end +=
                    (ideal_ns(&device, device.choice.best, device.range) / best - 1) / SEEDS / LATE;
        }
        found.jobs = jobs > found.jobs ? jobs : found.jobs;
    }
    return found;
}

static const double ratios[] = { 0.5, 0.7, 0.8, 0.87, 0.92, 0.96, 1.04, 1.08, 1.15, 1.25, 1.4, 2 };
enum { RATIOS = sizeof ratios / sizeof *ratios };

/* Fixed cost of a chunk of each kernel, and length of jobs. */
static const struct scene {
    const char *name;
    double fixed_ns[YK_FORMS], ns;
    double first, later; /* limits */
} scenes[] = {
    { "no costs, 7 ms", { 0, 0 }, 7e6, 1.3, 0.07 },
    { "a tail of 0.25 ms, 7 ms", { 250e3, 20e3 }, 7e6, 1.3, 0.07 },
    { "a tail of 0.25 ms, 57 ms", { 250e3, 20e3 }, 57e6, 1.3, 0.07 },
    { "a tail of 0.25 ms, 1 s", { 250e3, 20e3 }, 1e9, 0.06, 0.03 },
    { "a tail of 0.6 ms, 57 ms", { 600e3, 20e3 }, 57e6, 1.3, 0.07 },
    { "a tail of 0.6 ms, 1 s", { 600e3, 20e3 }, 1e9, 0.06, 0.03 },
    { "a tail of 3 ms, 1 s", { 3e6, 20e3 }, 1e9, 0.06, 0.03 },
    { "a tail of the other one, 57 ms", { 20e3, 600e3 }, 57e6, 1.3, 0.07 },
    { "a tail of the other one, 1 s", { 20e3, 600e3 }, 1e9, 0.06, 0.03 },
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void the_long_run_counts(void **state)
{
    static const double noises[] = { 0, 0.01, 0.05 };
    (void)state;
    for (int s = 0; s < SCENES; s++)
        for (int n = 0; n < 3; n++) {
            printf("%s, noise %g %%: first job, later ones, at the end, in %%; jobs\n",
                   scenes[s].name, 100 * noises[n]);
            for (int r = 0; r < RATIOS; r++) {
                const struct found found =
                    find(scenes[s].ns, ratios[r], scenes[s].fixed_ns, noises[n]);
                printf("    %5.2f: %6.1f %6.2f %6.2f  %d\n", ratios[r], 100 * found.first,
                       100 * found.later, 100 * found.end, found.jobs);
                assert_true(found.first < scenes[s].first);
                assert_true(found.later < scenes[s].later);
                assert_true(found.end < (noises[n] > 0.01 ? 0.03 : 0.005));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_long_run_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
