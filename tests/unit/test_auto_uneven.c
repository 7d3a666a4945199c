/* test_auto_uneven.c - loops whose items cost more in one place than in another, run again and
 * again: a device that is done takes over items from a place where they are far more expensive than
 * its own were. In the simulator, where the best time is known. */
#include "simulator_bench.h"

enum { RUNS = 4 };
/* Of the best time. In the first run, no cost is known. */
#define NEAR 1.08

struct case_of {
    const char *machine;
    int64_t items;
    double core_seconds; /* of all items on one core */
};

/* Slow GPUs beside fast devices, so their parts lie where items cost least, or most. */
static const struct case_of cases[] = {
    { "cores=34,gpu:f=67.31:launch=7.727us:fill=15:stair=yes:lanes=3,gpu:f=40.96:launch=2.368us:"
      "stair=no:lanes=4,gpu:f=0.9571:launch=38.64us:stair=no:lanes=3,gpu:f=0.6537:launch=53.68us:"
      "stair=yes",
      1798123, 19.2 },
    { "cores=64:noise=0.005,gpu*5:f=1.185:launch=36.67us:stair=no", 397175, 111.5 },
    { "cores=8:noise=0.05,gpu:f=20:launch=5us:stair=no,gpu:f=1:launch=30us:stair=no", 400000, 8 },
};
static const char *const profiles[] = { "regular", "linear-up", "linear-down",
                                        "clustered:dear=6:share=0.3:stretches=40:seed=3",
                                        "random:seed=3" };

static void every_run_is_near_the_best(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++) {
            struct simulator_bench *bench =
                bench_open(cases[c].machine, profiles[p], cases[c].items);
            bench->spec.core_seconds = cases[c].core_seconds / (double)cases[c].items;
            for (int run = 0; run < RUNS; run++) {
                const double part = bench_run(bench) / bench_ideal(bench, -1);
                if (part > NEAR)
                    fail_msg("%s on machine %d, run %d: %.3f of the best time", profiles[p], (int)c,
                             run, part);
                bench_learn(bench);
            }
            bench_close(bench);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_run_is_near_the_best) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
