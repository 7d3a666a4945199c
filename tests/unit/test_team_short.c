/* test_team_short.c - consecutive jobs that are so short that some devices cost more to include
 * than they contribute: whichever devices are available, the team soon is the best one, so no
 * device makes such jobs slower. Times are those of the slab of photons on a node with 32 cores and
 * two H200s. `ctest -R test_team_short -V` prints the results. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "partition/team.h"

enum { GPUS = 2, DEVICES = 1 + GPUS, JOBS = 200, SOON = 12, SEEDS = 50 };

/* Rates in packets per ns; fixed cost of a GPU's part (the longest walk); the smallest part of the
 * cores, in packets. */
static const double core_least = 61440;
static const struct load {
    const char *name;
    double gpu_rate, core_rate, walk_ns;
} loads[] = { { "slab", 5.67, 0.17, 0.155e6 }, { "tissue", 0.0925, 0.0022, 7.5e6 } };
/* Fixed costs of a job in ns: one GPU, driven by the calling thread; several, whose threads wake up
 * and whose sums are added; the cores if asked in vain, or with sums of their own. */
static const double one_ns = 0.12e6, several_ns = 0.5e6, asked_ns = 0.15e6, sums_ns = 1.3e6;

struct node {
    struct load load;
    struct yk_split_device devices[DEVICES];
    struct yk_team team;
    double packets, noise;
    uint64_t seed;
};

static double draw(struct node *node)
{
    node->seed = node->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(node->seed >> 11) / 9007199254740992.0;
}

static int gpus_of(uint32_t set)
{
    return (set >> 1 & 1) + (set >> 2 & 1);
}

/* True if the cores have time for their smallest part. */
static int cores_take_part(const struct node *node, uint32_t set)
{
    const double without =
        gpus_of(set) ? node->load.walk_ns + node->packets / (node->load.gpu_rate * gpus_of(set))
                     : INFINITY;
    return (set & 1) && core_least / node->load.core_rate < without;
}

static double work_ns(const struct node *node, uint32_t set)
{
    const double rate =
        node->load.gpu_rate * gpus_of(set) + node->load.core_rate * cores_take_part(node, set);
    return gpus_of(set) ? node->load.walk_ns + node->packets / rate : node->packets / rate;
}

static double job_ns(const struct node *node, uint32_t set)
{
    double ns = work_ns(node, set) + (yk_team_only(set) > 0 ? one_ns : several_ns);
    if (set & 1)
        ns += cores_take_part(node, set) ? sums_ns : asked_ns;
    return ns;
}

static double best_ns(const struct node *node)
{
    double best = INFINITY;
    for (uint32_t set = 1; set < 1u << DEVICES; set++)
        best = fmin(best, job_ns(node, set));
    return best;
}

static void note_rates(struct node *node, uint32_t set)
{
    const double ns = work_ns(node, set), vary = 1 + node->noise * (2 * draw(node) - 1);
    const double cores = cores_take_part(node, set) ? ns * node->load.core_rate : 0;
    for (int d = 1; d < DEVICES; d++)
        if (set & yk_team_bit(d))
            node->devices[d].rate = (node->packets - cores) / gpus_of(set) / ns * vary;
    node->devices[0].rate = node->load.core_rate * (cores > 0 ? 1 : 0.7);
}

/* Returns the team that was asked. */
static uint32_t run_job(struct node *node, int number)
{
    const struct yk_team_asks asks = { .devices = node->devices,
                                       .count = DEVICES,
                                       .items = node->packets };
    struct yk_team_job job = { .tells = number > 0 };
    job.asked = yk_team_choose(&node->team, &asks);
    job.ns = job_ns(node, job.asked) * (1 + node->noise * (2 * draw(node) - 1));
    if ((job.asked & 1) && !cores_take_part(node, job.asked))
        job.idle = 1;
    note_rates(node, job.asked);
    yk_team_note(&node->team, &job);
    return job.asked;
}

static void no_device_makes_a_job_slower(void **state)
{
    static const double packets[] = { 1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 1e9 };
    static const double noises[] = { 0, 0.05 };
    enum { PACKETS = sizeof packets / sizeof *packets };
    (void)state;
    for (int n = 0; n < 2; n++)
        for (int p = 0; p < 2 * PACKETS; p++) {
            const struct load *load = &loads[p / PACKETS];
            struct node node = { *load, .packets = packets[p % PACKETS], .noise = noises[n] };
            const double all = job_ns(&node, 7), one = job_ns(&node, 2), best = best_ns(&node);
            double soon = 0, late = 0;
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                node = (struct node){ .load = *load,
                                      .packets = packets[p % PACKETS],
                                      .noise = noises[n],
                                      .devices = { { .host_memory = 1, .lanes = 32 },
                                                   { .lanes = 4, .make = 2 },
                                                   { .lanes = 4, .make = 2 } },
                                      .seed = seed * 7919 + 1 };
                for (int i = 0; i < JOBS; i++) {
                    const double ns = job_ns(&node, run_job(&node, i));
                    soon += i > 0 && i <= SOON ? ns / SOON / SEEDS : 0;
                    late += i > SOON ? ns / (JOBS - SOON - 1) / SEEDS : 0;
                }
            }
            printf(
                "%s, %5g packets, noise %g %%: one GPU %.3f ms, all %.3f, best %.3f; the first %d "
                "jobs %.3f, later ones %.3f\n",
                load->name, node.packets, 100 * noises[n], one / 1e6, all / 1e6, best / 1e6, SOON,
                soon / 1e6, late / 1e6);
            assert_true(late <= 1.03 * best);
            assert_true(soon <= fmax(0.75 * all + 0.25 * best, 1.02 * best));
        }
}

/* n-body of 16,384 bodies on two H200s: half of the bodies take a GPU nearly as long as all of
 * them, because they do not fill it. By its speed beside the other GPU one would take longer than
 * both. */
static void one_gpu_does_what_does_not_fill_it(void **state)
{
    enum { BODIES = 16384 };
    struct yk_split_device gpus[GPUS] = { { .lanes = 4, .make = 1, .fill = 262144 },
                                          { .lanes = 4, .make = 1, .fill = 262144 } };
    struct yk_team team = { 0 };
    int alone = 0;
    (void)state;
    for (int j = 0; j < JOBS; j++) {
        const struct yk_team_asks asks = { .devices = gpus, .count = GPUS, .items = BODIES };
        const uint32_t asked = yk_team_choose(&team, &asks);
        const int only = yk_team_only(asked);
        for (int d = 0; d < GPUS; d++)
            if (asked & yk_team_bit(d)) {
                gpus[d].part = only < 0 ? BODIES / 2.0 : BODIES;
                gpus[d].rate = gpus[d].part / (only < 0 ? 0.3e6 : 0.32e6);
            }
        yk_team_note(&team, &(struct yk_team_job){
                                .asked = asked, .tells = j > 0, .ns = only < 0 ? 0.4e6 : 0.33e6 });
        alone += j >= JOBS / 2 && only >= 0;
    }
    assert_true(alone >= 0.9 * JOBS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_device_makes_a_job_slower),
                                        cmocka_unit_test(one_gpu_does_what_does_not_fill_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
