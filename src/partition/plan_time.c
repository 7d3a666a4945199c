/* plan_time.c - see plan_time.h. */
#include "plan_time.h"

#include <math.h>
#include <stddef.h>

/* A part that is larger than a round by less is a rounding error of shares. */
#define ROUNDING 1e-6

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

double yk_plan_counted(double items, double chunks, struct yk_plan_fill fill)
{
    if (!(items > 0))
        return 0;
    if (fill.rounds && fill.items > 0)
        items = ceil(items / fill.items - ROUNDING) * fill.items;
    return fmax(items, chunks * fill.items);
}

double yk_plan_peak(double peak, double items, struct yk_plan_fill fill)
{
    return items > 0 ? peak * sqrt(yk_plan_counted(items, 1, fill) / items) : peak;
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
    if (yk_plan_is_host(plan, part->device) || !(kernel->home_bytes > 0))
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
    const double sent =
        (kernel->sent_bytes * share[device] + kernel->sent_whole_bytes) * plan->link_ns[device];
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
        cores |= share[d] > 0 && yk_plan_is_host(plan, d);
    return cores;
}

struct job_end {
    double ns;  /* after the job's begin */
    int latest; /* the device that ends last, including the copies of its own results */
};

/* The end of a job of kernel k, in which each device d waits first for more_ns[d] (NULL: not).
 * Results are copied to the host when all devices have ended. */
static struct job_end end_of(const struct yk_plan *plan, const struct yk_cuts *cuts, int k,
                             const double *more_ns)
{
    const struct yk_plan_kernel *kernel = &plan->kernel[k];
    const double *share = cuts->share[k];
    const int cores = has_cores(plan, share);
    double most = 0, most_home = 0, last = 0;
    int d, latest = 0;
    for (d = 0; d < plan->devices; d++) {
        const double items = share[d] > 0 ? yk_plan_items(kernel, share, d) : 0;
        if (!(items > 0))
            continue;
        const double ns = yk_cost_ns(&kernel->cost[d], yk_plan_counted(items, 1, kernel->fill[d])) +
                          fetch_ns(plan, cuts, k, d) + (cores ? plan->late_ns[d] : 0) +
                          (more_ns ? more_ns[d] : 0);
        const double home = home_ns(plan, kernel, &(struct part){ share, d, kernel->home_bytes });
        most = fmax(most, ns);
        most_home = fmax(most_home, home);
        if (ns + home > last) {
            last = ns + home;
            latest = d;
        }
    }
    return (struct job_end){ most + most_home + (cores ? plan->return_ns : 0), latest };
}

double yk_plan_kernel_ns(const struct yk_plan *plan, const struct yk_cuts *cuts, int k, int *latest)
{
    const struct job_end end = end_of(plan, cuts, k, NULL);
    *latest = end.latest;
    return end.ns;
}

/* The mean time of a job in which each device waits first for more_ns[d]. */
static double mean_ns(const struct yk_plan *plan, const struct yk_cuts *cuts, const double *more_ns)
{
    double sum = 0;
    int k;
    for (k = 0; k < plan->kernels; k++)
        if (plan->kernel[k].weight > 0)
            sum += plan->kernel[k].weight * end_of(plan, cuts, k, more_ns).ns;
    return sum;
}

double yk_plan_ns(const struct yk_plan *plan, const struct yk_cuts *cuts)
{
    return mean_ns(plan, cuts, NULL);
}

/* Time to get the rows that stay in the device's part when bounds change, but that it lacks. They
 * are assumed to come from all others. */
static double get_own_ns(const struct yk_plan *plan, const double *from, const struct part *to)
{
    const int d = to->device;
    const double low = yk_plan_first(to->share, d), from_low = yk_plan_first(from, d);
    const double kept = fmin(low + to->share[d], from_low + from[d]) - fmax(low, from_low);
    const double others = 1 - from[d];
    return others > 0 ? gather_ns(plan, from, d, to->bytes * kept / others) : 0;
}

/* The time in which new rows of all arrays reach device d once they are on their way; 0: it has its
 * rows. */
static double new_rows_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                          const struct yk_cuts *to, int d)
{
    double most = 0;
    int k;
    for (k = 0; k < plan->kernels; k++) {
        const struct part outside = { to->share[k], d, plan->bytes * plan->lacks[d] };
        const struct part own = { to->share[k], d, plan->bytes * plan->lacks_own[d] };
        if (to->share[k][d] > 0)
            most = fmax(most, get_ns(plan, from->share[k], &outside) +
                                  get_own_ns(plan, from->share[k], &own));
    }
    return most;
}

double yk_plan_move_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                       const struct yk_cuts *to)
{
    const double jobs = fmax(1, plan->round_jobs);
    double more_ns[YK_PLAN_DEVICES];
    int d;
    for (d = 0; d < plan->devices; d++) {
        const double ns = new_rows_ns(plan, from, to, d);
        more_ns[d] = ns > 0 ? plan->start_ns + ns / jobs : 0;
    }
    return jobs * (mean_ns(plan, to, more_ns) - yk_plan_ns(plan, to));
}

double yk_plan_error_ns(const struct yk_plan *plan, const struct yk_cuts *from,
                        const struct yk_cuts *to)
{
    double sum = 0;
    int k, d;
    for (k = 0; k < plan->kernels && !plan->certain; k++) {
        const struct yk_plan_kernel *kernel = &plan->kernel[k];
        double var = 0;
        for (d = 0; d < plan->devices && kernel->weight > 0; d++) {
            const double items =
                yk_plan_counted(yk_plan_items(kernel, to->share[k], d), 1, kernel->fill[d]) -
                yk_plan_counted(yk_plan_items(kernel, from->share[k], d), 1, kernel->fill[d]);
            var += kernel->cost[d].item_var * items * items;
        }
        sum += kernel->weight * sqrt(var);
    }
    return sum;
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
