/* planned_job.c - see planned_job.h. */
#include "planned_job.h"

#include <math.h>

#include "../flight/held_memory.h"
#include "../job/call.h"
#include "../job/kernel.h"
#include "../job/rows.h"
#include "../job/unit.h"
#include "../partition/trial.h"
#include "decomposition.h"
#include "decomposition_plan.h"

/* Returns 1 if the program has written most of what the job reads by rows since the job before. */
static int is_sent(const struct yk_job *job)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    const double sent = decomposition->recent.sent[(decomposition->jobs - 1) % YK_RECENT_JOBS];
    return sent > yk_job_member(job)->read_bytes / 2;
}

/* Returns 1 if the rows of all other kernels of the latest jobs are gone, too, each time. If one
 * finds its rows where the plan put them, all kernels keep to the plan: otherwise their rows would
 * travel between the plan's bounds and other ones. */
static int all_are_gone(const struct yk_decomposition *decomposition,
                        const struct yk_member *member)
{
    int r;
    for (r = 0; r < YK_RECENT_JOBS && (uint64_t)r < decomposition->jobs; r++) {
        const struct yk_member *other = &decomposition->members[decomposition->recent.member[r]];
        if (decomposition->recent.member[r] < YK_PLAN_KERNELS && other != member &&
            other->changing_bytes > 0 && other->keeping.gone < YK_LASTING &&
            other->keeping.jobs >= other->keeping.pause_until)
            return 0;
    }
    return 1;
}

/* The shortest of its latest rounds; infinite: there was none. */
static double shortest(const struct yk_way *way)
{
    double ns = INFINITY;
    int r;
    for (r = 0; r < YK_LASTING && r < way->rounds; r++)
        ns = fmin(ns, way->ns[r]);
    return ns;
}

/* Ends a plan that was followed although rows were gone: for a trial of jobs without one, or, if
 * these were faster, for twice as many jobs each time. If the plan was faster, it is followed twice
 * as long before the next trial. */
static void pause_plan(struct yk_keeping *keeping, int plan_is_faster)
{
    const int has_tried = keeping->pause_jobs > 0;
    keeping->pause_jobs = has_tried && !plan_is_faster ? 2 * keeping->pause_jobs : YK_LASTING;
    keeping->stay_jobs = 2 * (plan_is_faster ? keeping->stay_jobs : YK_LASTING);
    keeping->pause_until = keeping->jobs + keeping->pause_jobs;
    keeping->gone = 0;
}

/* Returns 0 if the job should be split without a plan: YK_LASTING times in a row the program has
 * written most of what the job reads, after a plan had put rows on devices. Then each job copies
 * most rows, and when its chunks arrive may matter more than where rows were. So jobs without a
 * plan are tried, and what was faster goes on. */
static int rows_stay(const struct yk_job *job, const struct yk_split_device *known)
{
    struct yk_member *member = yk_job_member(job);
    struct yk_keeping *keeping = &member->keeping;
    int d, plan_is_faster, copies = 0; /* 1: copies for a device's part are expected (traffic.c) */
    if (keeping->jobs++ < keeping->pause_until)
        return 0;
    for (d = 0; d < job->device_count; d++)
        copies |= known[d].copy_item_ns > 0;
    if (!keeping->by_plan || !copies || !keeping->put || !is_sent(job)) {
        keeping->gone = 0;
        return 1;
    }
    if (++keeping->gone < YK_LASTING || !all_are_gone(job->split.decomposition, member))
        return 1;
    plan_is_faster =
        keeping->pause_jobs > 0 && shortest(&keeping->plan) < shortest(&keeping->alone);
    if (plan_is_faster && keeping->gone < keeping->stay_jobs)
        return 1;
    pause_plan(keeping, plan_is_faster);
    return 0;
}

/* Estimates the overhead of a chunk before any was measured. Sending the result of a reduction
 * takes as long as starting a kernel. */
static double assumed_overhead_ns(const struct yk_job *job, int device)
{
    const struct yk_device_desc *desc = &job->runtime->devices[device].device->desc;
    return desc->host_memory ? YK_WORTH_WAKING_NS : desc->launch_ns * (job->reduction ? 2 : 1);
}

static struct yk_plan_fill fill_of(const struct yk_job *job, int device)
{
    const struct yk_runtime_device *of = &job->runtime->devices[device];
    if (!of->device->desc.host_memory)
        return (struct yk_plan_fill){ (double)yk_job_busy_items(job, of->device->desc.fill), 0 };
    return (struct yk_plan_fill){ (double)(of->lanes * yk_job_unit(job)), 1 };
}

static void describe_places(const struct yk_job *job, const struct yk_split_device *known)
{
    struct yk_member *member = yk_job_member(job);
    int d;
    for (d = 0; d < job->device_count; d++) {
        member->make[d] = known[d].make;
        member->peak[d] = known[d].peak;
        member->overhead_ns[d] = assumed_overhead_ns(job, d);
        member->fill[d] = fill_of(job, d);
    }
}

/* Returns 1 if everything that the job uses has room on each device with a part, so rows stay. */
static int fits(const struct yk_job *job)
{
    const double *share = yk_job_shares(job);
    int d;
    for (d = 0; d < job->device_count; d++)
        if (share[d] > 0 && !job->runtime->devices[d].device->desc.host_memory &&
            !yk_job_would_hold(job, d))
            return 0;
    return 1;
}

/* Returns 1 if no other device would have to wait until one with a part can start. This is not
 * yk_device_must_build: a device that was lost before it had built the kernel, or that failed to
 * build it, cannot start either. It has its part until cuts without it are made, and until then
 * jobs are split without a plan. CPUs count as ready even without a part, because they could work
 * meanwhile. */
static int can_start_together(const struct yk_job *job)
{
    const double *share = yk_job_shares(job);
    int d, unready = 0, ready = 0;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_runtime_device *device = &job->runtime->devices[d];
        if (device->device->desc.host_memory)
            ready++;
        else if (share[d] > 0 && yk_kernel_is_ready(job->kernel, device->number))
            ready++;
        else
            unready += share[d] > 0;
    }
    return unready == 0 || ready == 0;
}

/* Returns where `at`, a place in what the cuts divide, lies among all rows; both from 0 to 1. */
static double row_at(const struct yk_member *member, double at)
{
    const struct yk_stretch divided = yk_member_divided(member);
    return member->part.low +
           (at - divided.low) * yk_member_part(member) / (divided.high - divided.low);
}

/* Returns 1 if the host lacks rows that the plan gives to `device`, which is a CPU. */
static int lacks_rows(const struct yk_job *job, int device)
{
    const struct yk_member *member = yk_job_member(job);
    const double *share = yk_job_shares(job);
    const double first = yk_plan_first(share, device);
    const double low = row_at(member, first), high = row_at(member, first + share[device]);
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_array *array = job->args[p].array;
        struct yk_interval rows;
        if (!yk_job_needs_by_rows(job, p))
            continue;
        rows = (struct yk_interval){ array->first_row + (int64_t)(low * (double)array->rows),
                                     array->first_row + (int64_t)(high * (double)array->rows) };
        if (yk_array_missing(job->args[p].array, YK_HOST, rows) > 0)
            return 1;
    }
    return 0;
}

/* Returns the ns per byte over the device's link; for a CPU, over the slowest link of all. */
static double slowest_link(const struct yk_job *job, int device)
{
    double most = 0;
    int d;
    for (d = 0; d < job->device_count; d++) {
        const double rate = job->runtime->devices[d].device->desc.link_bytes_per_ns;
        const int counts = d == device || job->runtime->devices[device].device->desc.host_memory;
        if (counts && rate > 0)
            most = fmax(most, 1 / rate);
    }
    return most;
}

/* Writes the plan's values for device d to `known`, except those that follow from its cost. items:
 * its part of the job. */
static void tell_part(const struct yk_job *job, int d, double items, struct yk_split_device *known)
{
    const struct yk_member *member = yk_job_member(job);
    known->share = fmin(1, items / member->items); /* rounding must not exceed 1 */
    known->row_ns = member->changing_bytes / member->items * slowest_link(job, d);
    known->back_ns = member->result_bytes / member->items * slowest_link(job, d);
    known->fetches = known->host_memory && items > 0 && lacks_rows(job, d);
}

/* Writes the plan's values for this job to `known`. */
static void tell(struct yk_job *job, const struct yk_memory *memory, struct yk_split_device *known)
{
    struct yk_member *member = yk_job_member(job);
    const struct yk_stretch divided = yk_member_divided(member);
    const struct yk_plan_kernel kernel = { .items = member->items,
                                           .low = divided.low,
                                           .high = divided.high };
    int d;
    job->split.planned_ns = 0;
    member->keeping.put = 0;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_cost *cost = memory ? &memory->cost[d] : NULL;
        const double items = yk_plan_items(&kernel, yk_job_shares(job), d);
        const double counted = yk_plan_counted(items, 1, member->fill[d]);
        tell_part(job, d, items, &known[d]);
        if (!known[d].host_memory)
            member->keeping.put |= known[d].share > 0;
        if (!(items > 0) || !cost || !yk_cost_is_known(cost))
            continue;
        job->devices[d].planned_ns = yk_cost_ns(cost, counted);
        job->split.planned_ns = fmax(job->split.planned_ns, job->devices[d].planned_ns);
        known[d].item_ns = cost->item_ns * (counted / items);
    }
}

/* Returns 1 if the kernels' waits for rows are known. They are measured in the first jobs by new
 * cuts, the first of which moves rows, and after a job that took unusually long or short. */
static int knows_waits(const struct yk_job *job, const struct yk_memory *memory)
{
    int d;
    if (!memory || yk_job_member(job)->timed < 1 + YK_LASTING)
        return 0;
    for (d = 0; d < job->device_count; d++)
        if (memory->cost[d].outside != 0)
            return 0;
    return 1;
}

/* Tells devices their waits. A wait for rows from the host counts as known only if it is no longer
 * than a chunk's overhead: a longer one may contain waits for other devices, and measuring it is
 * cheap beside it. */
static void tell_waits(struct yk_job *job)
{
    const struct yk_member *member = yk_job_member(job);
    int d;
    for (d = 0; d < job->device_count; d++) {
        const int64_t bytes = member->fetch_bytes[d], ns = member->fetch_ns[d];
        const int is_known = bytes == 0 || (double)ns <= member->overhead_ns[d];
        job->devices[d].wait = (struct yk_known_wait){ is_known, bytes, is_known ? ns : 0 };
    }
}

int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known)
{
    const struct yk_decomposition *decomposition = job->split.decomposition;
    struct yk_member *member;
    job->split.planned = 0;
    if (!decomposition || !rows_stay(job, known))
        return 0;
    describe_places(job, known);
    yk_decomposition_plan(job);
    if (!decomposition->division.stand)
        return 0;
    member = yk_job_member(job);
    if (member->checked != decomposition->planning.at)
        member->fits = fits(job);
    member->checked = decomposition->planning.at;
    if (member->cut != decomposition->division.since)
        member->timed = 0;
    member->cut = decomposition->division.since;
    if (!member->fits || !can_start_together(job))
        return 0;
    tell(job, memory, known);
    job->split.planned = 1;
    if (knows_waits(job, memory))
        tell_waits(job);
    return 1;
}
