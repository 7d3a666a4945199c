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

/* --- the cost of cuts --- */

/* A device's part of `bytes` by these shares. */
struct part {
    const double *share;
    int device;
    double bytes;
};

double yk_plan_items(const struct yk_plan_kernel *kernel, const double *share, int device)
{
    const double first = yk_plan_first(share, device);
    const double high = fmin(first + share[device], kernel->high);
    const double low = fmax(first, kernel->low);
    return high > low ? kernel->items * (high - low) / (kernel->high - kernel->low) : 0;
}

double yk_plan_counted(double items, double fill)
{
    return items > 0 ? fmax(items, fill) : 0;
}

double yk_plan_peak(double peak, double items, double fill)
{
    return items > 0 ? peak * sqrt(yk_plan_counted(items, fill) / items) : peak;
}

/* Time for bytes[d] of each other device d to reach `device`. Copies through the host leave all
 * devices at the same time. */
static double travel_ns(const struct yk_plan *plan, const double *bytes, int device)
{
    double come = 0, leave = 0;
    int d;
    for (d = 0; d < plan->devices; d++) {
        const double peer = plan->peer_ns[d][device];
        if (d == device)
            continue;
        come += bytes[d] * (peer > 0 ? peer : plan->link_ns[device]);
        if (!(peer > 0))
            leave = fmax(leave, bytes[d] * plan->link_ns[d]);
    }
    return come + leave;
}

/* Time for `bytes`, of which each device has its share, to reach `device`. */
static double gather_ns(const struct yk_plan *plan, const double *share, int device, double bytes)
{
    double part[YK_PLAN_DEVICES];
    int d;
    if (!(bytes > 0))
        return 0;
    for (d = 0; d < plan->devices; d++)
        part[d] = share[d] * bytes;
    return travel_ns(plan, part, device);
}

/* Time until the program has the device's results that it reads. */
static double home_ns(const struct yk_plan *plan, const struct yk_plan_kernel *kernel,
                      const struct part *part)
{
    if (!(plan->link_ns[part->device] > 0) || !(kernel->home_bytes > 0))
        return 0;
    return kernel->home_part * plan->start_ns +
           part->bytes * part->share[part->device] * plan->link_ns[part->device];
}

/* Time to get the rows that are new to a device when bounds change, from the devices that have
 * them. */
static double get_ns(const struct yk_plan *plan, const double *from, const struct part *to)
{
    double part[YK_PLAN_DEVICES], from_low = 0;
    const double low = yk_plan_first(to->share, to->device);
    int d;
    for (d = 0; d < plan->devices; d++) {
        const double high = fmin(low + to->share[to->device], from_low + from[d]);
        part[d] = to->bytes * fmax(0, high - fmax(low, from_low));
        from_low += from[d];
    }
    return travel_ns(plan, part, to->device);
}

/* The next device with a part, going up (step 1) or down (-1); -1: there is none. */
static int neighbour(const struct yk_plan *plan, const double *share, int device, int step)
{
    do
        device += step;
    while (device >= 0 && device < plan->devices && !(share[device] > 0));
    return device < plan->devices ? device : -1;
}

/* Time for the halo of one side, half of all copies, to come from a neighbour. Through the host
 * each is copied twice. */
static double side_ns(const struct yk_plan *plan, const struct yk_plan_kernel *kernel, int from,
                      int to)
{
    const double copies = kernel->halo_copies / 2, bytes = kernel->halo_bytes / 2;
    const double peer = plan->peer_ns[from][to];
    const double leave = plan->link_ns[from], come = plan->link_ns[to];
    if (peer > 0)
        return copies * plan->start_ns + bytes * peer;
    return copies * plan->start_ns * ((leave > 0) + (come > 0)) + bytes * (leave + come);
}

static double halo_ns(const struct yk_plan *plan, const struct yk_plan_kernel *kernel,
                      const double *share, int device)
{
    const int below = neighbour(plan, share, device, -1), above = neighbour(plan, share, device, 1);
    return (below >= 0 ? side_ns(plan, kernel, below, device) : 0) +
           (above >= 0 ? side_ns(plan, kernel, above, device) : 0);
}

/* Time until `device` has what its part of kernel k reads: halos, rows that other kernels left
 * elsewhere, rows that the program wrote, and arrays that it reads whole. */
static double fetch_ns(const struct yk_plan *plan, const struct yk_cuts *cuts, int k, int device)
{
    const struct yk_plan_kernel *kernel = &plan->kernel[k];
    const double *share = cuts->share[k];
    const double sent = kernel->sent_bytes * share[device] * plan->link_ns[device];
    double sum = (sent > 0 ? plan->start_ns + sent : 0) + halo_ns(plan, kernel, share, device);
    int m;
    for (m = 0; m < plan->kernels; m++) {
        const struct part part = { share, device, kernel->rows_from[m] };
        const double rows =
            !cuts->tied && m != k && part.bytes > 0 ? get_ns(plan, cuts->share[m], &part) : 0;
        sum += (rows > 0 ? plan->start_ns + rows : 0) +
               gather_ns(plan, cuts->share[m], device, kernel->whole_from[m]);
    }
    return sum;
}

/* Whether cores have a part. */
static int has_cores(const struct yk_plan *plan, const double *share)
{
    int d, cores = 0;
    for (d = 0; d < plan->devices; d++)
        cores |= share[d] > 0 && !(plan->link_ns[d] > 0);
    return cores;
}

/* Time of one job of kernel k. Results are copied to the host when all devices have ended. Sets
 * *latest to the device that ends last, including the copies of its own results. */
static double kernel_ns(const struct yk_plan *plan, const struct yk_cuts *cuts, int k, int *latest)
{
    const struct yk_plan_kernel *kernel = &plan->kernel[k];
    const double *share = cuts->share[k];
    const int cores = has_cores(plan, share);
    double most = 0, most_home = 0, last = 0;
    int d;
    *latest = 0;
    for (d = 0; d < plan->devices; d++) {
        const double items = share[d] > 0 ? yk_plan_items(kernel, share, d) : 0;
        if (!(items > 0))
            continue;
        const double ns = yk_cost_ns(&kernel->cost[d], yk_plan_counted(items, kernel->fill[d])) +
                          fetch_ns(plan, cuts, k, d) + (cores ? plan->late_ns[d] : 0);
        const double home = home_ns(plan, kernel, &(struct part){ share, d, kernel->home_bytes });
        most = fmax(most, ns);
        most_home = fmax(most_home, home);
        if (ns + home > last) {
            last = ns + home;
            *latest = d;
        }
    }
    return most + most_home + (cores ? plan->return_ns : 0);
}

double yk_plan_ns(const struct yk_plan *plan, const struct yk_cuts *cuts)
{
    double sum = 0;
    int k, latest;
    for (k = 0; k < plan->kernels; k++)
        if (plan->kernel[k].weight > 0)
            sum += plan->kernel[k].weight * kernel_ns(plan, cuts, k, &latest);
    return sum;
}

double yk_plan_move_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                       const struct yk_cuts *to)
{
    double most = 0;
    int k, d;
    for (k = 0; k < plan->kernels; k++)
        for (d = 0; d < plan->devices; d++) {
            const int host = !(plan->link_ns[d] > 0);
            const struct part part = { to->share[k], d, plan->bytes * (host ? plan->away : 1) };
            const double ns = part.share[d] > 0 ? get_ns(plan, from->share[k], &part) : 0;
            if (ns > 0)
                most = fmax(most, plan->start_ns + ns);
        }
    return most;
}

/* Standard error of the gain, from the items that move between devices. */
static double error_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                       const struct yk_cuts *to)
{
    double sum = 0;
    int k, d;
    for (k = 0; k < plan->kernels && !plan->certain; k++) {
        const struct yk_plan_kernel *kernel = &plan->kernel[k];
        double var = 0;
        for (d = 0; d < plan->devices && kernel->weight > 0; d++) {
            const double items =
                yk_plan_counted(yk_plan_items(kernel, to->share[k], d), kernel->fill[d]) -
                yk_plan_counted(yk_plan_items(kernel, from->share[k], d), kernel->fill[d]);
            var += kernel->cost[d].item_var * items * items;
        }
        sum += kernel->weight * sqrt(var);
    }
    return sum;
}

/* --- the search --- */

struct search {
    const struct yk_plan *plan;
    struct yk_cuts *cuts;
    double ns;
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

/* Moves rows from the device that ends kernel k last to the device where that helps most. Returns 1
 * if it helped. */
static int relieve(struct search *search, int k, double step)
{
    const int kernels = search->plan->kernels;
    struct yk_cuts *cuts = search->cuts;
    struct move move = { .kernel = k };
    double best = search->ns * (1 - ROUNDING);
    int to, found = -1;
    if (search->plan->kernel[k].weight <= 0)
        return 0;
    kernel_ns(search->plan, cuts, k, &move.from);
    move.part = fmin(step, cuts->share[k][move.from]);
    for (to = 0; to < search->plan->devices && move.part > 0; to++) {
        double ns;
        if (to == move.from || !(search->allowed >> to & 1))
            continue;
        move.to = to;
        shift(cuts, kernels, move);
        ns = yk_plan_ns(search->plan, cuts);
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
    search->ns = yk_plan_ns(search->plan, cuts);
    return 1;
}

static void descend(struct search *search)
{
    double step;
    int k, moves, helped;
    search->ns = yk_plan_ns(search->plan, search->cuts);
    for (step = STEP_FIRST; step >= STEP_LEAST; step /= 2)
        for (moves = 0, helped = 1; helped && moves < MOVES_EACH; moves++)
            for (k = 0, helped = 0; k < search->plan->kernels; k++)
                helped |= relieve(search, k, step);
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
                    ns +=
                        yk_cost_is_known(&plan->kernel[j].cost[d])
                            ? plan->kernel[j].weight *
                                  yk_plan_counted(plan->kernel[j].items, plan->kernel[j].fill[d]) *
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
        if (!(search->plan->link_ns[d] > 0))
            cores |= (search->allowed & (uint32_t)1 << d);
    return cores;
}

/* Removes these devices if that helps. Returns 1 if it did. */
static int drop(struct search *search, uint32_t devices)
{
    struct yk_cuts fewer = { .tied = search->cuts->tied };
    struct search next = { search->plan, &fewer, INFINITY, search->allowed & ~devices };
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
    struct search search = { plan, out, INFINITY, plan->allowed };
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

static int pays(const struct yk_plan *plan, const struct yk_plan_move *move)
{
    return plan->jobs * (move->gain_ns - YK_SURE * move->error_ns) > move->move_ns;
}

/* Finds the best cuts, tied or not. Returns the mean time of a job with them. */
static double search_both(const struct yk_plan *plan, struct yk_cuts *best)
{
    struct yk_cuts other;
    double best_ns = search_from_speed(plan, 1, best), other_ns;
    if (plan->kernels > 1) {
        other_ns = search_from_speed(plan, 0, &other);
        if (other_ns + YK_SURE * error_ns(plan, best, &other) < best_ns * (1 - ROUNDING)) {
            *best = other;
            best_ns = other_ns;
        }
    }
    return best_ns;
}

static struct yk_plan_move weigh(const struct yk_plan *plan, const struct yk_cuts *now,
                                 const struct yk_cuts *to)
{
    return (struct yk_plan_move){ .gain_ns = yk_plan_ns(plan, now) - yk_plan_ns(plan, to),
                                  .error_ns = error_ns(plan, now, to),
                                  .move_ns = yk_plan_move_ns(plan, now, to) };
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
            out->ns[k][d] = slower                   ? cost->item_ns + YK_SURE * sd
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
    move = weigh(plan, now, out);
    if (!pays(plan, &move))
        return 0;
    plan->weighed = move;
    lead_others(plan, out);
    return 1;
}

int yk_plan_find(struct yk_plan *plan, const struct yk_cuts *now, struct yk_cuts *best)
{
    const double best_ns = search_both(plan, best);
    if (!isfinite(best_ns) || !(best_ns > 0))
        return 0;
    lead_others(plan, best);
    if (!now)
        return 1;
    plan->weighed = weigh(plan, now, best);
    if (pays(plan, &plan->weighed))
        return 1;
    return plan->jobs * plan->weighed.gain_ns > plan->weighed.move_ns &&
           find_surer(plan, now, best);
}

uint32_t yk_plan_team(const struct yk_plan *plan, const struct yk_cuts *cuts)
{
    uint32_t team = 0;
    int k, d;
    for (k = 0; k < plan->kernels; k++)
        for (d = 0; d < plan->devices && plan->kernel[k].weight > 0; d++)
            if (cuts->share[k][d] > 0)
                team |= (uint32_t)1 << d;
    return team;
}
