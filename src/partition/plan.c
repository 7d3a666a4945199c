/* plan.c - see plan.h: searches the bounds of a decomposition with the least mean time of a job. */
#include "plan.h"

#include <math.h>
#include <string.h>

/* Limits of the search: shares change by steps from 1 / 4 of all rows down to 1 / 4096, at most
 * MOVES_EACH times by each step. */
#define STEP_FIRST 0.25
#define STEP_LEAST (1.0 / 4096)
enum { MOVES_EACH = 64 };
/* A smaller relative gain is a rounding error. */
#define ROUNDING 1e-9

/* The time of each kernel's job, and the device that ends it last. */
struct ends {
    double ns[YK_PLAN_KERNELS];
    int latest[YK_PLAN_KERNELS];
};

struct search {
    const struct yk_plan *plan;
    struct yk_cuts *cuts;
    struct ends ends; /* by these cuts */
    double ns;        /* the mean time of a job by them */
    uint32_t allowed;
};

/* A part of all rows moves from one device to another. */
struct move {
    int kernel, from, to;
    double part;
};

static struct move reversed(struct move move)
{
    return (struct move){ move.kernel, move.to, move.from, move.part };
}

/* Makes the move for its kernel, or for all `kernels` if cuts are tied. */
static void shift(struct yk_cuts *cuts, int kernels, struct move move)
{
    const int first = cuts->tied ? 0 : move.kernel, last = cuts->tied ? kernels : move.kernel + 1;
    int k;
    for (k = first; k < last; k++) {
        cuts->share[k][move.from] -= move.part;
        cuts->share[k][move.to] += move.part;
        if (cuts->share[k][move.from] < ROUNDING)
            cuts->share[k][move.from] = 0;
    }
}

/* Whether jobs of kernel k take another time if the bounds of kernel `moved` move. */
static int depends(const struct search *search, int k, int moved)
{
    const struct yk_plan_kernel *kernel = &search->plan->kernel[k];
    return search->cuts->tied || k == moved || kernel->rows_from[moved] > 0 ||
           kernel->whole_from[moved] > 0;
}

/* Renews the ends that depend on the bounds of kernel `moved`; -1: all. Returns the mean time of a
 * job. */
static double renew(const struct search *search, int moved, struct ends *ends)
{
    const struct yk_plan *plan = search->plan;
    double sum = 0;
    int k;
    for (k = 0; k < plan->kernels; k++) {
        if (!(plan->kernel[k].weight > 0))
            continue;
        if (moved < 0 || depends(search, k, moved))
            ends->ns[k] = yk_plan_kernel_ns(plan, search->cuts, k, &ends->latest[k]);
        sum += plan->kernel[k].weight * ends->ns[k];
    }
    return sum;
}

/* Moves rows from the device that ends kernel k last to the device where that helps most. Returns 1
 * if it helped. */
static int relieve(struct search *search, int k, double step)
{
    const int kernels = search->plan->kernels, from = search->ends.latest[k];
    struct yk_cuts *cuts = search->cuts;
    struct move move = { k, from, -1, fmin(step, cuts->share[k][from]) };
    double best = search->ns * (1 - ROUNDING);
    int to, found = -1;
    for (to = 0; to < search->plan->devices && move.part > 0; to++) {
        struct ends ends = search->ends;
        double ns;
        if (to == from || !(search->allowed >> to & 1))
            continue;
        move.to = to;
        shift(cuts, kernels, move);
        ns = renew(search, k, &ends);
        shift(cuts, kernels, reversed(move));
        if (ns < best) {
            best = ns;
            found = to;
        }
    }
    if (found < 0)
        return 0;
    move.to = found;
    shift(cuts, kernels, move);
    search->ns = renew(search, k, &search->ends);
    return 1;
}

/* Relieves the device that ends each kernel last; if cuts are tied, once if it ends several last.
 * Returns 1 if that helped. */
static int relieve_each(struct search *search, double step)
{
    uint32_t relieved = 0; /* devices that it did not help to relieve since rows moved last */
    int k, helped = 0;
    for (k = 0; k < search->plan->kernels; k++) {
        const uint32_t from = (uint32_t)1 << search->ends.latest[k];
        if (!(search->plan->kernel[k].weight > 0) || (relieved & from))
            continue;
        if (relieve(search, k, step)) {
            relieved = 0;
            helped = 1;
        } else if (search->cuts->tied) {
            relieved |= from;
        }
    }
    return helped;
}

static void descend(struct search *search)
{
    double step;
    int moves;
    search->ns = renew(search, -1, &search->ends);
    if (!(search->allowed & (search->allowed - 1)))
        return; /* one device has all rows */
    for (step = STEP_FIRST; step >= STEP_LEAST; step /= 2)
        for (moves = 0; moves < MOVES_EACH && relieve_each(search, step); moves++)
            ;
}

/* Begins with shares by speed among the allowed devices: by their speed in all kernels together if
 * cuts are tied, otherwise in each kernel alone. */
static void begin_by_speed(const struct search *search)
{
    const struct yk_plan *plan = search->plan;
    struct yk_cuts *cuts = search->cuts;
    int k, j, d;
    for (k = 0; k < plan->kernels; k++) {
        double all = 0;
        for (d = 0; d < plan->devices; d++) {
            double ns = 0;
            for (j = 0; j < plan->kernels; j++)
                if (plan->kernel[j].weight > 0 && (cuts->tied || j == k))
                    ns += yk_cost_is_known(&plan->kernel[j].cost[d])
                              ? plan->kernel[j].weight *
                                    yk_plan_counted(plan->kernel[j].items, 1,
                                                    plan->kernel[j].fill[d]) *
                                    plan->kernel[j].cost[d].item_ns
                              : INFINITY;
            cuts->share[k][d] = search->allowed >> d & 1 && ns > 0 ? 1 / ns : 0;
            all += cuts->share[k][d];
        }
        for (d = 0; d < plan->devices; d++)
            cuts->share[k][d] = all > 0 ? cuts->share[k][d] / all : d == 0;
    }
}

/* The device that does least, as a bit. */
static uint32_t least_of(const struct search *search)
{
    double least = INFINITY;
    uint32_t found = 0;
    int d, k;
    for (d = 0; d < search->plan->devices; d++) {
        double share = 0;
        for (k = 0; k < search->plan->kernels; k++)
            share = fmax(share, search->cuts->share[k][d]);
        if (share > 0 && share < least) {
            least = share;
            found = (uint32_t)1 << d;
        }
    }
    return found;
}

/* Devices of the search that use the host's memory, as bits: others begin sooner without them. */
static uint32_t cores_of(const struct search *search)
{
    uint32_t cores = 0;
    int d;
    for (d = 0; d < search->plan->devices; d++)
        if (yk_plan_is_host(search->plan, d))
            cores |= (search->allowed & (uint32_t)1 << d);
    return cores;
}

/* Removes these devices if that helps. Returns 1 if it did. */
static int drop(struct search *search, uint32_t devices)
{
    struct yk_cuts fewer = { .tied = search->cuts->tied };
    struct search next = { .plan = search->plan,
                           .cuts = &fewer,
                           .allowed = search->allowed & ~devices };
    if (!next.allowed || next.allowed == search->allowed)
        return 0;
    begin_by_speed(&next);
    descend(&next);
    if (!(next.ns < search->ns * (1 - ROUNDING)))
        return 0;
    *search->cuts = fewer;
    search->ns = next.ns;
    search->allowed = next.allowed;
    return 1;
}

/* Removes the cores, or the device that does least, as long as that helps. */
static void drop_some(struct search *search)
{
    drop(search, cores_of(search));
    while (drop(search, least_of(search)))
        ;
}

static double search_from_speed(const struct yk_plan *plan, int tied, struct yk_cuts *out)
{
    struct search search = { .plan = plan, .cuts = out, .allowed = plan->allowed };
    memset(out, 0, sizeof *out);
    out->tied = tied;
    begin_by_speed(&search);
    descend(&search);
    if (!plan->keeps)
        drop_some(&search);
    return search.ns;
}

/* Kernels that have not run lately, or are new, get the cuts of the most frequent one. */
static void lead_others(const struct yk_plan *plan, struct yk_cuts *cuts)
{
    int k, most = 0;
    for (k = 1; k < plan->kernels; k++)
        if (plan->kernel[k].weight > plan->kernel[most].weight)
            most = k;
    for (k = 0; k < YK_PLAN_KERNELS; k++)
        if (k >= plan->kernels || plan->kernel[k].weight <= 0)
            memcpy(cuts->share[k], cuts->share[most], sizeof cuts->share[k]);
}

double yk_plan_pays_at(const struct yk_plan_move *move)
{
    const double sure_ns = move->gain_ns - move->error_ns;
    return sure_ns > 0 ? move->move_ns / sure_ns : INFINITY;
}

static int pays(const struct yk_plan *plan, const struct yk_plan_move *move)
{
    return plan->jobs > yk_plan_pays_at(move);
}

/* Finds the best cuts, tied or not. Returns the mean time of a job with them. */
static double search_both(const struct yk_plan *plan, struct yk_cuts *best)
{
    struct yk_cuts other;
    double best_ns = search_from_speed(plan, 1, best), other_ns;
    if (plan->kernels > 1) {
        other_ns = search_from_speed(plan, 0, &other);
        if (other_ns + yk_plan_error_ns(plan, best, &other) < best_ns * (1 - ROUNDING)) {
            *best = other;
            best_ns = other_ns;
        }
    }
    return best_ns;
}

/* Moves one kernel's bounds to multiples of the grain. A part of less than half of it goes to the
 * next device. */
static void align_shares(const struct yk_plan *plan, double *share)
{
    double before = 0, first = 0;
    int d, last = -1; /* if no device has a part, none gets one */
    for (d = 0; d < plan->devices; d++)
        last = share[d] > 0 ? d : last;
    for (d = 0; d <= last; d++) {
        before += share[d];
        const double bound = d < last ? fmin(1, round(before / plan->grain) * plan->grain) : 1;
        share[d] = fmax(0, bound - first);
        first += share[d];
    }
}

void yk_plan_align(const struct yk_plan *plan, struct yk_cuts *cuts)
{
    struct yk_cuts aligned = *cuts;
    int k;
    if (!(plan->grain > 0))
        return;
    for (k = 0; k < YK_PLAN_KERNELS; k++)
        align_shares(plan, aligned.share[k]);
    if (yk_plan_ns(plan, &aligned) <= yk_plan_ns(plan, cuts) + 2 * plan->start_ns)
        *cuts = aligned;
}

/* Rows that a device lacks of its present part come to it even if bounds stay. */
static struct yk_plan_move weigh(const struct yk_plan *plan, const struct yk_cuts *now,
                                 const struct yk_cuts *to)
{
    return (struct yk_plan_move){ .gain_ns = yk_plan_ns(plan, now) - yk_plan_ns(plan, to),
                                  .error_ns = yk_plan_error_ns(plan, now, to),
                                  .move_ns = fmax(0, yk_plan_move_ns(plan, now, to) -
                                                         yk_plan_move_ns(plan, now, now)) };
}

/* The times of items of each kernel and device. */
struct item_times {
    double ns[YK_PLAN_KERNELS][YK_PLAN_DEVICES];
};

/* Exchanges the plan's times of items for others. */
static void swap_times(struct yk_plan *plan, struct item_times *times)
{
    int k, d;
    for (k = 0; k < plan->kernels; k++)
        for (d = 0; d < plan->devices; d++) {
            const double kept = plan->kernel[k].cost[d].item_ns;
            plan->kernel[k].cost[d].item_ns = times->ns[k][d];
            times->ns[k][d] = kept;
        }
}

/* Times of items that are lower or, with `slower`, higher by their standard errors; never below
 * 0. */
static void doubt(const struct yk_plan *plan, int slower, struct item_times *out)
{
    int k, d;
    for (k = 0; k < plan->kernels; k++)
        for (d = 0; d < plan->devices; d++) {
            const struct yk_cost *cost = &plan->kernel[k].cost[d];
            const double sd = sqrt(cost->item_var);
            out->ns[k][d] = slower                   ? cost->item_ns + sd
                            : yk_cost_is_known(cost) ? cost->item_ns * exp(-sd / cost->item_ns)
                                                     : cost->item_ns;
        }
}

double yk_plan_least_ns(struct yk_plan *plan, const struct yk_cuts *cuts)
{
    struct item_times times;
    double ns;
    doubt(plan, 0, &times);
    swap_times(plan, &times);
    ns = yk_plan_ns(plan, cuts);
    swap_times(plan, &times);
    return ns;
}

/* Finds the cuts that would be best if each device were slower by its standard error: these rely
 * less on devices that are little known, so their gain is more certain. Returns 1 if it pays. */
static int find_surer(struct yk_plan *plan, const struct yk_cuts *now, struct yk_cuts *out)
{
    struct item_times times;
    struct yk_plan_move move;
    doubt(plan, 1, &times);
    swap_times(plan, &times);
    search_both(plan, out);
    swap_times(plan, &times);
    lead_others(plan, out);
    yk_plan_align(plan, out);
    move = weigh(plan, now, out);
    if (!pays(plan, &move))
        return 0;
    plan->weighed = move;
    return 1;
}

int yk_plan_find(struct yk_plan *plan, const struct yk_cuts *now, struct yk_cuts *best)
{
    const double best_ns = search_both(plan, best);
    if (!isfinite(best_ns) || !(best_ns > 0))
        return 0;
    lead_others(plan, best);
    yk_plan_align(plan, best);
    if (!now)
        return 1;
    plan->weighed = weigh(plan, now, best);
    if (pays(plan, &plan->weighed))
        return 1;
    return plan->jobs * plan->weighed.gain_ns > plan->weighed.move_ns &&
           find_surer(plan, now, best);
}
