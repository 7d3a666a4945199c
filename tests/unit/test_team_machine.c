/* test_team_machine.c - consecutive jobs on a node whose devices slow each other: whichever devices
 * are available, the best team is found soon, and at a low cost. Times are drawn with many seeds
 * from those of team_machine.h. `ctest -R test_team_machine -V` prints the results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "partition/team.h"
#include "team_machine.h"

enum { JOBS = 100, SEEDS = 100, ITEMS = 1000000, MIDDLE = TEAM_QUANTILES / 2 };

/* Factors of the time: the first job measures speeds and is not learned from, the second one still
 * pins memory, and the first job of a new team moves rows. */
static const double begins = 1.1, moves = 1.05;

struct node {
    const struct team_app *app;
    int cores, gpus; /* cores, if any, are the first device */
    struct yk_split_device devices[1 + TEAM_GPUS];
    struct yk_team team;
    uint32_t asked;
    uint64_t seed;
};

static double draw(struct node *node)
{
    node->seed = node->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(node->seed >> 11) / 9007199254740992.0;
}

static int has_cores(const struct node *node, uint32_t set)
{
    return node->cores && (set & yk_team_bit(0));
}

static int gpus_of(const struct node *node, uint32_t set)
{
    int count = -has_cores(node, set);
    for (; set; set &= set - 1)
        count++;
    return count;
}

static const struct team_times *times_of(const struct node *node, uint32_t set)
{
    int gpus = gpus_of(node, set);
    return has_cores(node, set) ? &node->app->with[gpus] : &node->app->without[gpus];
}

static double quantile(const struct team_times *times, double part)
{
    static const double at[TEAM_QUANTILES] = { 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1 };
    int i = 0;
    while (i < TEAM_QUANTILES - 2 && part > at[i + 1])
        i++;
    return times->ms[i] + (times->ms[i + 1] - times->ms[i]) * (part - at[i]) / (at[i + 1] - at[i]);
}

static double middle_ms(const struct team_times *times)
{
    return times->ms[MIDDLE];
}

static double mean_ms(const struct team_times *times)
{
    double sum = 0;
    int i;
    for (i = 0; i < 1000; i++)
        sum += quantile(times, (i + 0.5) / 1000);
    return sum / 1000;
}

/* The team with the shortest jobs. */
static const struct team_times *best_team(const struct node *node)
{
    uint32_t all = yk_team_bit(node->cores + node->gpus) - 1, set;
    const struct team_times *best = times_of(node, all);
    for (set = 1; set < all; set++)
        if (mean_ms(times_of(node, set)) < mean_ms(best))
            best = times_of(node, set);
    return best;
}

static void set_up(struct node *node, uint64_t seed)
{
    int d;
    node->team = (struct yk_team){ 0 };
    node->seed = seed * 7919 + 1;
    for (d = 0; d < node->cores + node->gpus; d++) {
        int gpu = d >= node->cores;
        node->devices[d] = (struct yk_split_device){
            .host_memory = !gpu,
            .lanes = gpu ? 2 : 64,
            .make = gpu ? 1 + node->cores : 0,
            .copy_item_ns = gpu ? node->app->link_ms * 1e6 / ITEMS : 0,
            .busier_part = node->app->busier,
        };
    }
}

/* The speeds in this job are known before the next one; those of devices that were not asked stay.
 */
static void note_rates(struct node *node, double ms)
{
    double cores = has_cores(node, node->asked) ? times_of(node, node->asked)->cores : 0;
    double gpu = cores < 1 ? (1 - cores) / gpus_of(node, node->asked) : 0, all = ITEMS / (ms * 1e6);
    int d;
    for (d = 0; d < node->cores + node->gpus; d++)
        if (node->asked & yk_team_bit(d))
            node->devices[d].rate = all * (d < node->cores ? cores : gpu) * (0.9 + draw(node) / 5);
    if (node->cores && node->devices[0].rate <= 0) /* measured, then left without a part */
        node->devices[0].rate = ITEMS / (middle_ms(&node->app->with[0]) * 1e6);
}

static double run_job(struct node *node, int number)
{
    uint32_t before = node->asked;
    const struct yk_team_asks asks = { .devices = node->devices,
                                       .count = node->cores + node->gpus,
                                       .items = ITEMS };
    struct yk_team_job job = { .tells = number > 0 };
    double ms;
    job.asked = node->asked = yk_team_choose(&node->team, &asks);
    ms = quantile(times_of(node, job.asked), draw(node));
    ms *= number == 1 ? begins : number > 1 && job.asked != before ? moves : 1;
    if (has_cores(node, job.asked) && times_of(node, job.asked)->cores <= 0)
        job.idle = yk_team_bit(0);
    job.ns = ms * 1e6;
    note_rates(node, ms);
    yk_team_note(&node->team, &job);
    return ms;
}

/* Time of all jobs but the first, relative to the best team's. */
static double sum_of_jobs(struct node *node, uint64_t seed)
{
    double sum = 0;
    int i;
    set_up(node, seed);
    run_job(node, 0);
    for (i = 0; i < JOBS; i++)
        sum += run_job(node, i + 1);
    return sum / JOBS / mean_ms(best_team(node));
}

static void best_teams_are_found(void **state)
{
    size_t a;
    int cores, gpus;
    uint64_t seed;
    (void)state;
    for (a = 0; a < sizeof team_apps / sizeof *team_apps; a++)
        for (cores = 0; cores <= 1; cores++)
            for (gpus = 2 - cores; gpus <= TEAM_GPUS; gpus++) {
                const struct team_app *app = &team_apps[a];
                struct node node = { .app = app, .cores = cores, .gpus = gpus };
                double sum = 0, all;
                for (seed = 0; seed < SEEDS; seed++)
                    sum += sum_of_jobs(&node, seed) / SEEDS;
                all = mean_ms(times_of(&node, yk_team_bit(cores + gpus) - 1)) /
                      mean_ms(best_team(&node));
                printf("%-12s %s%d GPUs: all devices %.3f of the best team, %d jobs %.3f\n",
                       app->name, cores ? "cores and " : "", gpus, all, JOBS, sum);
                assert_true(sum <= app->sum);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(best_teams_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
