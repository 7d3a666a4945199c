/* wood.c - see wood.h. */
#include "wood.h"

#include <stdio.h>
#include <string.h>

#include "storm_job.h"

#define HOST_VIEW(layout)                                                                          \
    static leaf_t layout##_kept(leaf_t leaf)                                                       \
    {                                                                                              \
        return layout##_read(layout##_of(leaf));                                                   \
    }                                                                                              \
    static uint64_t layout##_mark(leaf_t leaf)                                                     \
    {                                                                                              \
        return wood_hash(leaf) + layout##_spare(layout##_of(leaf));                                \
    }
HOST_VIEW(small)
HOST_VIEW(plain)
HOST_VIEW(large)

extern const yoke_kernel k_wood_1, k_wood_2, k_wood_3, k_wood_8, k_wood_64, k_wood_256;
const struct wood_form wood_forms[] = {
    { &k_wood_3, large_kept, large_mark },  { &k_wood_256, small_kept, small_mark },
    { &k_wood_1, small_kept, small_mark },  { &k_wood_8, large_kept, large_mark },
    { &k_wood_64, plain_kept, plain_mark }, { &k_wood_2, plain_kept, plain_mark },
};
const int wood_form_count = sizeof wood_forms / sizeof *wood_forms;

/* --- counting --- */

/* Counts `leaf` and all its descendants, at most as deep as there are generations. */
static int64_t count_tree(struct wood_job *job, leaf_t leaf, struct wood_tally *tally)
{
    const uint32_t children = wood_children(job->wood, leaf);
    const uint64_t mark = job->form->mark(leaf);
    int64_t items = 1;
    tally->bins[2 * leaf.bin] += 1;
    tally->bins[2 * leaf.bin + 1] += mark;
    tally->ages[2 * leaf.age] += 1;
    tally->ages[2 * leaf.age + 1] += mark;
    if (children && leaf.age + 1 >= job->step.generations) {
        job->too_old = 1;
        return items;
    }
    for (uint32_t c = 0; c < children; c++)
        items += count_tree(job, job->form->kept(wood_child(leaf, c)), tally);
    return items;
}

/* Counts trees until the given number of items or trees is reached. */
static void count_wood(struct wood_job *job, int64_t items, int64_t trees, struct wood_tally *want)
{
    memset(want, 0, sizeof *want);
    job->items = job->too_old = 0;
    for (job->last = job->first; job->items < items && job->last < job->first + trees; job->last++)
        job->items += count_tree(job, job->form->kept(wood_root(job->wood, job->last)), want);
}

/* --- random parameters --- */

/* Mean number of items of a tree. */
static double tree_items(const wood_t *wood)
{
    const double emitted = wood->often / 65536.0 * (wood->most + 1) / 2;
    double generation = 1, items = 1;
    for (uint32_t age = 0; age < wood->depth; age++)
        items += generation *= emitted;
    return items;
}

/* Sizes of queues: the default, the smallest possible, and values between. */
static void draw_queue(uint64_t *seed, uint32_t groups_most, yoke_step *step)
{
    const uint32_t most = step->most;
    const uint32_t rooms[] = { 0,
                               most,
                               most + (uint32_t)storm_below(seed, most + 1),
                               2 * most + 1,
                               64 * most,
                               most * (1 + (uint32_t)storm_below(seed, 20)) };
    const uint32_t turns[] = { 0, 1, 2, 3, 7, 1 + (uint32_t)storm_below(seed, 100) };
    const uint32_t groups[] = { 0, 0, 1, 2, 5, 1 + (uint32_t)storm_below(seed, 64) };
    if (!storm_one_in(seed, 3)) {
        step->room = rooms[storm_below(seed, 6)];
        step->turns = turns[storm_below(seed, 6)];
        step->groups = groups[storm_below(seed, 6)];
    }
    if (groups_most && (!step->groups || step->groups > groups_most))
        step->groups = groups_most;
}

/* If stacks have room for a few lanes only, in the end one group runs with one lane. Starting a
 * launch takes about as long as LAUNCH_TURNS turns. */
enum { LAUNCH_TURNS = 20 };
static int64_t items_of_turns(const yoke_step *step, int64_t turns)
{
    const int64_t launch = step->turns ? step->turns : 4096;
    const int64_t lanes = step->room ? step->room / step->most - 1 : 64;
    turns = turns * launch / (launch + LAUNCH_TURNS);
    return 1 + turns * (lanes < 4 ? 1 : lanes < 64 ? lanes / 4 : 16);
}

static void draw_shape(uint64_t *seed, int64_t items, struct wood_job *job)
{
    wood_t *wood = &job->wood;
    const uint32_t most = job->step.most, generations = job->step.generations;
    const uint32_t uniform = 65536 * most / (most + 1), even = 2 * 65536 / (most + 1);
    const uint32_t about = (uint32_t)(even * (0.8 + 0.01 * (double)storm_below(seed, 50)));
    const uint32_t often[] = { uniform, about, about, (uint32_t)storm_below(seed, 65537) };
    wood->often = often[storm_below(seed, 4)];
    wood->depth =
        storm_one_in(seed, 2) ? generations - 1 : (uint32_t)storm_below(seed, generations);
    if (storm_one_in(seed, 12))
        wood->depth = generations + 3;
    while (wood->depth > 0 && tree_items(wood) > (double)items)
        wood->depth--;
}

/* Makes one item of the wood emit more than is declared. */
static void draw_odd(uint64_t *seed, struct wood_job *job)
{
    const int64_t index = job->first + storm_below(seed, job->last - job->first);
    leaf_t leaf = job->form->kept(wood_root(job->wood, index));
    uint32_t children;
    while ((children = wood_children(job->wood, leaf)) > 0 && !storm_one_in(seed, 3) &&
           leaf.age + 1 < job->step.generations)
        leaf = job->form->kept(wood_child(leaf, (uint32_t)storm_below(seed, children)));
    job->wood.odd_key = leaf.key;
    job->wood.odd_age = leaf.age;
    job->too_many = 1;
}

static void draw_partitioner(uint64_t *seed, struct wood_job *job)
{
    static const char *const others[] = { "", "", "even", "guided" };
    const int64_t trees = job->last - job->first;
    if (storm_one_in(seed, 3)) /* at most a hundred chunks */
        snprintf(job->partitioner, sizeof job->partitioner, "dynamic:chunk=%lld",
                 (long long)(1 + trees / 100 + storm_below(seed, trees)));
    else
        strcpy(job->partitioner, others[storm_below(seed, 4)]);
}

void wood_draw(uint64_t seed, const struct wood_limits *limits, struct wood_job *out,
               struct wood_tally *want)
{
    const struct wood_form *form =
        &wood_forms[storm_below(&seed, limits->kernels ? limits->kernels : wood_form_count)];
    struct wood_job job = { .form = form, .step = form->kernel->step };
    int64_t items = limits->items >> storm_below(&seed, 8), possible;
    draw_queue(&seed, limits->groups, &job.step);
    possible = items_of_turns(&job.step, limits->turns);
    items = items < possible ? items : possible;
    job.first = storm_below(&seed, 2000000) - 1000000;
    job.wood = (wood_t){ .seed = seed,
                         .first = job.first,
                         .bins = 1 + (uint32_t)storm_below(&seed, WOOD_BINS_MOST),
                         .ages = job.step.generations,
                         .most = job.step.most,
                         .odd_age = UINT32_MAX };
    draw_shape(&seed, items, &job);
    count_wood(&job, items, storm_one_in(&seed, 3) ? 1 + storm_below(&seed, 20) : items, want);
    draw_partitioner(&seed, &job);
    if (storm_one_in(&seed, 12))
        draw_odd(&seed, &job);
    *out = job;
}
