/* decomposition_input.c - the input of a decomposition's plan (partition/plan.h): what is known of
 * its kernels, their order, and the devices and their links. */
#include "decomposition_input.h"

#include <math.h>
#include <string.h>

#include "../base/typical.h"
#include "../job/kernel.h"
#include "decomposition.h"

/* Describes links by the rates that devices report. Starting a copy takes as long as starting a
 * kernel. */
static void describe_ways(const struct yk_job *job, struct yk_plan *plan)
{
    int from, to;
    for (to = 0; to < job->device_count; to++) {
        const struct yk_runtime_device *target = &job->runtime->devices[to];
        const struct yk_device_desc *desc = &target->device->desc;
        if (desc->host_memory)
            continue;
        plan->start_ns = fmax(plan->start_ns, desc->launch_ns);
        if (desc->link_bytes_per_ns > 0)
            plan->link_ns[to] = 1 / desc->link_bytes_per_ns;
        for (from = 0; from < job->device_count; from++) {
            const double rate = target->place->reach[job->runtime->devices[from].place->number];
            if (from != to && rate > 0 && !job->runtime->devices[from].device->desc.host_memory)
                plan->peer_ns[from][to] = 1 / rate;
        }
    }
}

/* The only core of a CPU is the caller's, which ends the job itself. */
static void describe_waits(const struct yk_job *job, struct yk_plan *plan)
{
    int d;
    if (job->runtime->virtual_clock)
        return;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_runtime_device *device = &job->runtime->devices[d];
        if (!device->device->desc.host_memory)
            plan->late_ns[d] = (double)yk_typical(&device->late_ns);
        else if (device->lanes > 1)
            plan->return_ns = (double)yk_typical(&job->runtime->core_return_ns);
    }
}

/* The rows of an array in a device's part, without those near a bound: jobs round bounds by less
 * than a grain. */
static struct yk_interval own_rows(const yoke_array *array, const struct yk_plan *plan,
                                   const double *share, int device)
{
    const double rows = (double)array->rows, first = yk_plan_first(share, device);
    const int64_t margin = 1 + (int64_t)(plan->grain * rows);
    const int64_t low = (int64_t)(first * rows) + margin;
    const int64_t high = (int64_t)((first + share[device]) * rows) - margin;
    return (struct yk_interval){ array->first_row + low, array->first_row + high };
}

static double missing_bytes(yoke_array *array, int place, struct yk_interval rows)
{
    return yk_interval_empty(rows)
               ? 0
               : (double)(yk_array_missing(array, place, rows) * array->row_bytes);
}

/* Rows that are written before they are read, or that a device has besides those of its part, need
 * not move to it. */
static void describe_bytes(const struct yk_job *job, struct yk_plan *plan)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const double *share = decomposition->division.cuts.share[decomposition->leads];
    double lacks[YK_PLAN_DEVICES] = { 0 }, own[YK_PLAN_DEVICES] = { 0 };
    yoke_array *array;
    int d;
    for (array = job->runtime->arrays; array; array = array->next) {
        if (array->decomposition != decomposition || !array->carried)
            continue;
        plan->bytes += (double)yk_array_bytes(array);
        for (d = 0; d < job->device_count; d++) {
            const int place = job->runtime->devices[d].place->number;
            lacks[d] += missing_bytes(array, place, yk_array_rows(array));
            own[d] += missing_bytes(array, place, own_rows(array, plan, share, d));
        }
    }
    for (d = 0; d < job->device_count; d++) {
        const double inside = plan->bytes * share[d], outside = plan->bytes - inside;
        plan->lacks[d] = outside > 0 ? fmin(1, (lacks[d] - own[d]) / outside) : 1;
        plan->lacks_own[d] = inside > 0 ? fmin(1, own[d] / inside) : 0;
    }
}

/* Describes how often each kernel runs. */
static void describe_turns(const struct yk_decomposition *decomposition, struct yk_plan *plan)
{
    const uint64_t seen =
        decomposition->jobs < YK_RECENT_JOBS ? decomposition->jobs : YK_RECENT_JOBS;
    double all = 0;
    uint64_t job;
    int k;
    for (job = decomposition->jobs - seen; job < decomposition->jobs; job++) {
        const int now = decomposition->recent.member[job % YK_RECENT_JOBS];
        if (now < YK_PLAN_KERNELS) {
            plan->kernel[now].weight++;
            all++;
        }
    }
    for (k = 0; k < plan->kernels && all > 0; k++)
        plan->kernel[k].weight /= all;
}

/* Bytes that the latest jobs moved. */
struct recent {
    const double *bytes; /* at job % YK_RECENT_JOBS */
    uint64_t end;        /* jobs before this one count */
    double most;         /* more bytes of one job count as this number */
};

/* Returns the mean of the bytes that jobs of member m moved. Sets *part to the fraction of these
 * jobs that moved some. */
static double mean_bytes(const struct yk_decomposition *decomposition, int m,
                         const struct recent *recent, double *part)
{
    uint64_t job = decomposition->jobs < YK_RECENT_JOBS ? 0 : decomposition->jobs - YK_RECENT_JOBS;
    double sum = 0;
    int jobs = 0, some = 0;
    for (; job < recent->end; job++) {
        const double bytes = recent->bytes[job % YK_RECENT_JOBS];
        if (decomposition->recent.member[job % YK_RECENT_JOBS] != m)
            continue;
        jobs++;
        sum += fmin(bytes, recent->most);
        some += bytes > 0;
    }
    *part = some / fmax(1, jobs);
    return sum / fmax(1, jobs);
}

/* Describes what the program writes that the member reads, and reads of the member's results. The
 * results of the present job are not there yet. Rows that are read twice count once. */
static void describe_program(const struct yk_decomposition *decomposition, int m,
                             struct yk_plan_kernel *out)
{
    const struct recent sent = { decomposition->recent.sent, decomposition->jobs, INFINITY };
    const struct recent whole = { decomposition->recent.sent_whole, decomposition->jobs, INFINITY };
    const struct recent home = { decomposition->recent.home, decomposition->jobs - 1,
                                 decomposition->members[m].result_bytes };
    double unused;
    out->sent_bytes = mean_bytes(decomposition, m, &sent, &unused);
    out->sent_whole_bytes = mean_bytes(decomposition, m, &whole, &unused);
    out->home_bytes = mean_bytes(decomposition, m, &home, &out->home_part);
}

/* Describes which rows the member covers. A sweep counts as one only until its latest job has ended
 * by itself. */
static void describe_extent(const struct yk_member *member, struct yk_plan_kernel *out)
{
    const struct yk_stretch divided = yk_member_divided(member);
    out->items = member->items;
    out->low = divided.low;
    out->high = divided.high;
    if (member->divides == YK_DIVIDES_SWEEP && member->crowded) {
        out->items /= yk_member_part(member);
        out->low = 0;
        out->high = 1;
    }
}

/* Describes member m. Returns 1 if its kernel's cost is known. */
static int describe_kernel(const struct yk_job *job, int m, struct yk_plan_kernel *out)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const struct yk_member *member = &decomposition->members[m];
    const struct yk_memory *memory =
        member->kernel ? yk_kernel_recall(member->kernel, member->key) : NULL;
    double peak[YK_PLAN_DEVICES];
    int d, known = 0;
    if (!memory)
        return 0;
    describe_extent(member, out);
    out->halo_copies = member->halo_copies;
    out->halo_bytes = member->halo_bytes;
    memcpy(out->rows_from, member->rows_from, sizeof out->rows_from);
    memcpy(out->whole_from, member->whole_from, sizeof out->whole_from);
    describe_program(decomposition, m, out);
    memcpy(out->cost, memory->cost, (size_t)decomposition->devices * sizeof *out->cost);
    memcpy(out->fill, member->fill, sizeof out->fill);
    for (d = 0; d < decomposition->devices; d++)
        peak[d] = yk_plan_peak(member->peak[d], member->items, member->fill[d]);
    yk_cost_pool(out->cost, &(struct yk_cost_pool){ .make = member->make,
                                                    .peak = peak,
                                                    .told = member->overhead_ns,
                                                    .count = decomposition->devices });
    for (d = 0; d < decomposition->devices; d++) {
        if (!yk_device_can_run(&job->runtime->devices[d], member->kernel))
            out->cost[d] = (struct yk_cost){ 0 };
        known |= yk_cost_is_known(&out->cost[d]);
    }
    return known;
}

/* Returns the unit of the member's chunks as a fraction of the rows. */
static double grain_of(const struct yk_member *member)
{
    const struct yk_stretch divided = yk_member_divided(member);
    return member->kernel ? member->unit * (divided.high - divided.low) / member->items : 0;
}

/* Returns 1 if rounds should rather begin with member m than with `other`: it is rarer, or as rare
 * and reads fewer rows that jobs change, so fewer have to move when bounds change before it. One
 * job more or less depends on where in a round the recent jobs begin. */
static int leads_better(const struct yk_decomposition *decomposition, const struct yk_plan *plan,
                        int m, int other)
{
    const double one = 1.0 / fmin((double)decomposition->jobs, YK_RECENT_JOBS);
    const double rarer = plan->kernel[other].weight - plan->kernel[m].weight;
    if (!(plan->kernel[m].weight > 0) || !(plan->kernel[other].weight > 0))
        return plan->kernel[m].weight > 0;
    if (fabs(rarer) > 1.5 * one)
        return rarer > 0;
    return decomposition->members[m].changing_bytes < decomposition->members[other].changing_bytes;
}

static void choose_leader(struct yk_decomposition *decomposition, const struct yk_plan *plan)
{
    int m, leads = 0;
    for (m = 1; m < plan->kernels; m++)
        if (leads_better(decomposition, plan, m, leads))
            leads = m;
    if (leads != decomposition->leads) /* the present round has lost its beginning */
        decomposition->round.counts = 0;
    decomposition->leads = leads;
}

void yk_decomposition_describe(const struct yk_job *job, struct yk_plan *plan)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    int m;
    plan->devices = decomposition->devices;
    for (m = 0; m < YK_PLAN_KERNELS; m++)
        if (decomposition->members[m].kernel)
            plan->kernels = m + 1;
    describe_turns(decomposition, plan);
    for (m = 0; m < plan->kernels; m++) {
        if (!describe_kernel(job, m, &plan->kernel[m]))
            plan->kernel[m].weight = 0;
        plan->grain = fmax(plan->grain, grain_of(&decomposition->members[m]));
    }
    choose_leader(decomposition, plan);
    describe_ways(job, plan);
    describe_waits(job, plan);
    describe_bytes(job, plan);
    plan->jobs = (double)decomposition->jobs;
    plan->round_jobs = decomposition->round.last_jobs;
}
