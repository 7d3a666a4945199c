/* decomposition.c - see decomposition.h: keeps track of arrays and kernels, and applies the plan to
 * a job. */

#include "decomposition.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../flight/held_memory.h"
#include "../job/kernel.h"
#include "../job/rows.h"
#include "../job/unit.h"
#include "../job/wake.h"

/* --- arrays --- */

/* Returns 1 if the job uses the argument's array by rows. Partial results of reductions do not
 * count, because they go home. */
static int is_by_rows(const struct yk_job *job, int p)
{
    const yoke_arg *arg = &job->args[p];
    const yoke_param_mode mode = job->kernel->kernel.params[p].mode;
    return arg->array && mode != YOKE_PARAM_VALUE && mode != YOKE_PARAM_ADD &&
           mode != YOKE_PARAM_REDUCE && arg->shape != YOKE_WHOLE && arg->array->rows > 0;
}

static void let_go(struct yk_decomposition *decomposition)
{
    if (--decomposition->users == 0)
        yk_free(decomposition);
}

void yk_decomposition_leave(yoke_array *array)
{
    if (array->decomposition)
        let_go(array->decomposition);
    array->decomposition = NULL;
}

void yk_job_leave_decomposition(struct yk_job *job)
{
    if (job->split.decomposition)
        let_go(job->split.decomposition);
    job->split.decomposition = NULL;
}

static void live_by(yoke_array *array, struct yk_decomposition *decomposition)
{
    if (array->decomposition == decomposition)
        return;
    yk_decomposition_leave(array);
    array->decomposition = decomposition;
    array->written = array->used = 0;
    array->sent_rows = 0;
    decomposition->users++;
}

/* Moves all arrays of one decomposition to the other, which has been used more. */
static void unite(const yoke_runtime *runtime, struct yk_decomposition *from,
                  struct yk_decomposition *into)
{
    yoke_array *array;
    for (array = runtime->arrays; array; array = array->next)
        if (array->decomposition == from)
            live_by(array, into);
}

/* Returns the decomposition of the argument's array; NULL: none. An array that the job reads whole
 * counts if jobs change it, because then it matters where its rows are. */
static struct yk_decomposition *theirs(const struct yk_job *job, int p)
{
    const yoke_array *array = job->args[p].array;
    const int whole = array && array->whole->changes && job->args[p].shape == YOKE_WHOLE;
    return whole || is_by_rows(job, p) ? array->whole->decomposition : NULL;
}

/* Returns the decomposition of the job's arrays; of several, the most used one. NULL: none. */
static struct yk_decomposition *most_used(const struct yk_job *job)
{
    struct yk_decomposition *found = NULL;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_decomposition *one = theirs(job, p);
        if (one && (!found || one->jobs > found->jobs))
            found = one;
    }
    return found;
}

static struct yk_decomposition *decomposition_of(const struct yk_job *job)
{
    struct yk_decomposition *found = most_used(job);
    int p;
    if (!found)
        found = yk_calloc(1, sizeof *found);
    if (!found)
        return NULL;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_decomposition *one = theirs(job, p);
        if (one && one != found)
            unite(job->runtime, one, found);
        if (!is_by_rows(job, p))
            continue;
        live_by(job->args[p].array->whole, found);
        job->args[p].array->whole->changes |= yk_writes_rows(job->args[p].mode);
    }
    return found;
}

/* --- kernels --- */

/* Makes an entry for a new member: a free one, or that of the member that was unused for longest.
 * Until a plan includes the new member, its bounds are those of the latest member. */
static struct yk_member *admit(struct yk_decomposition *decomposition, const struct yk_job *job)
{
    int m, r, oldest = 0, latest = 0;
    for (m = 1; m < YK_PLAN_KERNELS; m++) {
        const uint64_t used = decomposition->members[m].used;
        if (used < decomposition->members[oldest].used)
            oldest = m;
        if (used > decomposition->members[latest].used)
            latest = m;
    }
    memcpy(decomposition->cuts.share[oldest], decomposition->cuts.share[latest],
           sizeof decomposition->cuts.share[oldest]);
    memcpy(decomposition->proven.share[oldest], decomposition->proven.share[latest],
           sizeof decomposition->proven.share[oldest]);
    for (r = 0; r < YK_RECENT_JOBS; r++)
        if (decomposition->recent[r] == oldest)
            decomposition->recent[r] = YK_PLAN_KERNELS;
    decomposition->members[oldest] =
        (struct yk_member){ .kernel = job->kernel, .key = job->split.key };
    decomposition->stale = 1;
    return &decomposition->members[oldest];
}

static struct yk_member *member_of(struct yk_decomposition *decomposition, const struct yk_job *job)
{
    int m;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        struct yk_member *member = &decomposition->members[m];
        if (member->kernel == job->kernel && member->key == job->split.key)
            return member;
    }
    return admit(decomposition, job);
}

/* Returns the argument that shows which rows a job covers: one that it writes index by index, if
 * there is one. */
static const yoke_arg *leading(const struct yk_job *job)
{
    const yoke_arg *found = NULL;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!is_by_rows(job, p) || arg->shape == YOKE_CUSTOM)
            continue;
        if (!found || (yk_writes_rows(arg->mode) && !yk_writes_rows(found->mode)))
            found = arg;
    }
    return found;
}

/* Returns the member whose job had this number; -1: it is unknown. */
static int member_of_job(const struct yk_decomposition *decomposition, uint64_t number)
{
    int m;
    if (number == 0 || decomposition->jobs - number >= YK_RECENT_JOBS)
        return -1;
    m = decomposition->recent[(number - 1) % YK_RECENT_JOBS];
    return m < YK_PLAN_KERNELS ? m : -1;
}

/* Returns the fraction of the array's rows that the program wrote since the job before. */
static double sent_part(const yoke_array *array)
{
    return fmin(1, (double)array->whole->sent_rows / (double)array->rows);
}

/* Describes where the rows are that the member reads by rows: where the program wrote them, and
 * where the job was split that used them last. Only rows that change have to move. */
static void describe_rows(const yoke_arg *arg, struct yk_decomposition *decomposition,
                          struct yk_member *member)
{
    const yoke_array *array = arg->array;
    const double part = member->part_high - member->part_low;
    const double all = (double)yk_array_bytes(array), bytes = all * part;
    const double sent = fmin(bytes, sent_part(array) * all);
    const int before = member_of_job(decomposition, array->whole->used);
    decomposition->sent[decomposition->jobs % YK_RECENT_JOBS] += sent;
    if (!array->whole->changes)
        return;
    member->changing_bytes += bytes;
    if (arg->shape == YOKE_HALO) {
        member->halo_copies += (arg->before > 0) + (arg->after > 0);
        member->halo_bytes += (double)((arg->before + arg->after) * array->row_bytes);
    }
    if (before >= 0)
        member->rows_from[before] += bytes - sent;
}

/* The same for all arrays. Before a job has written it, an array that is read whole is assumed to
 * be where this job is. */
static void describe_sources(const struct yk_job *job, struct yk_decomposition *decomposition,
                             struct yk_member *member)
{
    int p;
    memset(member->rows_from, 0, sizeof member->rows_from);
    memset(member->whole_from, 0, sizeof member->whole_from);
    member->halo_copies = member->halo_bytes = 0;
    member->changing_bytes = decomposition->sent[decomposition->jobs % YK_RECENT_JOBS] = 0;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!arg->array || arg->mode == YOKE_PARAM_OUT)
            continue;
        if (is_by_rows(job, p)) {
            describe_rows(arg, decomposition, member);
        } else if (arg->mode == YOKE_PARAM_IN && arg->array->whole->changes) {
            const int writer = member_of_job(decomposition, arg->array->whole->written);
            member->whole_from[writer >= 0 ? writer : (int)(member - decomposition->members)] +=
                (double)yk_array_bytes(arg->array);
        }
    }
}

/* Of arrays without the job's rows, all rows count. */
static void describe_part(const struct yk_job *job, struct yk_member *member)
{
    const yoke_arg *arg = leading(job);
    const double low = member->part_low, high = member->part_high;
    member->part_low = 0;
    member->part_high = 1;
    if (arg) {
        const double rows = (double)arg->array->rows;
        const double first = fmax(0, (double)(job->first - arg->array->first_row) / rows);
        const double last = fmin(1, (double)(job->last - arg->array->first_row) / rows);
        if (last > first) {
            member->part_low = first;
            member->part_high = last;
        }
    }
    if (high > low && (member->part_low >= high || member->part_high <= low))
        member->by_parts = 1;
    else if (member->part_low != low || member->part_high != high)
        member->by_parts = 0;
}

/* Returns 1 if all kernels that use the arrays work by parts. */
static int all_go_by_parts(const struct yk_decomposition *decomposition)
{
    int m, all = 1;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        const struct yk_member *member = &decomposition->members[m];
        if (member->kernel && decomposition->jobs - member->used < YK_RECENT_JOBS)
            all &= member->by_parts;
    }
    return all;
}

static void describe_member(const struct yk_job *job, struct yk_decomposition *decomposition,
                            struct yk_member *member)
{
    int p, alike;
    describe_part(job, member);
    member->sweeps = all_go_by_parts(decomposition);
    alike = member->sweeps && !member->crowded;
    member->items = (double)(job->last - job->first);
    member->low = alike ? 0 : member->part_low;
    member->high = alike ? 1 : member->part_high;
    member->result_bytes = 0;
    for (p = 0; p < job->arg_count; p++)
        if (is_by_rows(job, p) && yk_writes_rows(job->args[p].mode))
            member->result_bytes += (double)yk_array_bytes(job->args[p].array);
    member->result_bytes *= member->part_high - member->part_low;
}

/* Returns 1 if the job may be split freely, and its results stay where they are made. A job that
 * teaches another partitioner is split without a plan, because a plan teaches no lines. */
static int may_be_planned(const struct yk_job *job)
{
    int p, by_rows = 0;
    if (!yk_job_goes_by_plan(job->split.partitioner) || job->split.asked_for || job->pair ||
        job->runtime->checks || job->device_count < 2 ||
        job->kernel->kernel.kind == YOKE_KERNEL_STEP || job->last == job->first)
        return 0;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        by_rows |= is_by_rows(job, p);
        if (is_by_rows(job, p) && yk_writes_rows(arg->mode) && arg->home == YOKE_HOME_NOW)
            return 0;
    }
    return by_rows;
}

static void note_use(const struct yk_job *job, uint64_t number)
{
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (!is_by_rows(job, p))
            continue;
        job->args[p].array->whole->used = number;
        job->args[p].array->whole->sent_rows = 0;
        if (yk_writes_rows(job->args[p].mode))
            job->args[p].array->whole->written = number;
    }
}

void yk_decomposition_written(yoke_array *array, struct yk_interval rows)
{
    if (array->whole->decomposition)
        array->whole->sent_rows += rows.last - rows.first;
}

void yk_decomposition_read(yoke_array *array, const struct yk_program_read *read)
{
    struct yk_decomposition *decomposition = array->whole->decomposition;
    const uint64_t written = array->whole->written;
    if (!decomposition)
        return;
    decomposition->round_ns += (double)read->waited_ns;
    decomposition->round_counts &= !read->readied;
    if (written && decomposition->jobs - written < YK_RECENT_JOBS)
        decomposition->home[(written - 1) % YK_RECENT_JOBS] +=
            (double)((read->rows.last - read->rows.first) * array->row_bytes);
}

void yk_job_decompose(struct yk_job *job)
{
    struct yk_decomposition *decomposition;
    struct yk_member *member;
    if (!may_be_planned(job))
        return;
    decomposition = decomposition_of(job);
    if (!decomposition)
        return; /* without memory the job is split by itself */
    if (decomposition->devices != job->device_count)
        decomposition->stands = 0;
    decomposition->devices = job->device_count;
    member = member_of(decomposition, job);
    describe_member(job, decomposition, member);
    describe_sources(job, decomposition, member);
    decomposition->recent[decomposition->jobs % YK_RECENT_JOBS] =
        (unsigned char)(member - decomposition->members);
    decomposition->home[decomposition->jobs % YK_RECENT_JOBS] = 0;
    member->used = ++decomposition->jobs;
    note_use(job, decomposition->jobs);
    job->split.decomposition = decomposition;
    decomposition->users++;
    job->split.member = (int)(member - decomposition->members);
}

/* --- how a job follows the plan --- */

/* Of the bytes that the job reads by rows, returns the fraction that devices other than the host
 * have. */
static double held_part(const struct yk_job *job)
{
    double all = 0, held = 0;
    int p, d;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        struct yk_interval rows;
        if (!is_by_rows(job, p) || arg->mode == YOKE_PARAM_OUT)
            continue;
        rows = yk_job_all_rows(job, p);
        all += (double)((rows.last - rows.first) * arg->array->row_bytes);
        for (d = 0; d < job->device_count; d++)
            if (!job->runtime->devices[d].device->desc.host_memory)
                held += (double)((rows.last - rows.first -
                                  yk_array_missing(arg->array,
                                                   job->runtime->devices[d].place->number, rows)) *
                                 arg->array->row_bytes);
    }
    return all > 0 ? held / all : 1;
}

/* Length in jobs of the first pause of plans (rows_stay). */
enum { APART_FIRST = 8 };
/* Number of jobs in a row that find their rows gone, before plans pause. */
enum { GONE_FEW = 2 };

/* Returns 1 if the rows of all other kernels of the latest jobs are gone, too, each time. If one
 * finds its rows where the plan put them, all kernels keep to the plan: otherwise their rows would
 * travel between the plan's bounds and other ones. */
static int all_are_gone(const struct yk_decomposition *decomposition,
                        const struct yk_member *member)
{
    int r;
    for (r = 0; r < YK_RECENT_JOBS && (uint64_t)r < decomposition->jobs; r++) {
        const struct yk_member *other = &decomposition->members[decomposition->recent[r]];
        if (decomposition->recent[r] < YK_PLAN_KERNELS && other != member &&
            other->changing_bytes > 0 && other->fetched < GONE_FEW &&
            other->seen >= other->apart_until)
            return 0;
    }
    return 1;
}

/* Returns 0 if the job should be split without a plan: GONE_FEW times in a row, most rows that a
 * plan had put on devices are not there any more, because the program writes them between jobs.
 * Then each job copies everything, and when its chunks arrive matters more than where rows were. So
 * plans pause for APART_FIRST jobs, then each time for twice as many. */
static int rows_stay(const struct yk_job *job, const struct yk_split_device *known)
{
    struct yk_member *member = &job->split.decomposition->members[job->split.member];
    int d, copies = 0; /* 1: copies for a device's part are expected (traffic.c) */
    if (member->seen++ < member->apart_until)
        return 0;
    for (d = 0; d < job->device_count; d++)
        copies |= known[d].copy_item_ns > 0;
    if (!member->went_by_plan || !copies || held_part(job) >= member->put / 2) {
        member->fetched = 0;
        return 1;
    }
    if (++member->fetched < GONE_FEW || !all_are_gone(job->split.decomposition, member))
        return 1;
    member->fetched = 0;
    member->apart_for = member->apart_for ? 2 * member->apart_for : APART_FIRST;
    member->apart_until = member->seen + member->apart_for;
    return 0;
}

/* Estimates the overhead of a chunk before any was measured. Sending the result of a reduction
 * takes as long as starting a kernel. */
static double assumed_overhead_ns(const struct yk_job *job, int device)
{
    const struct yk_device_desc *desc = &job->runtime->devices[device].device->desc;
    return desc->host_memory ? YK_WORTH_WAKING_NS : desc->launch_ns * (job->reduction ? 2 : 1);
}

static void describe_places(const struct yk_job *job, const struct yk_split_device *known)
{
    struct yk_member *member = &job->split.decomposition->members[job->split.member];
    int d;
    for (d = 0; d < job->device_count; d++) {
        member->make[d] = known[d].make;
        member->peak[d] = known[d].peak;
        member->overhead_ns[d] = assumed_overhead_ns(job, d);
        member->fill[d] =
            known[d].host_memory
                ? 0
                : (double)yk_job_busy_items(job, job->devices[d].device->device->desc.fill);
    }
}

/* Returns 1 if everything that the job uses has room on each device with a part, so rows stay. */
static int fits(const struct yk_job *job)
{
    const double *share = job->split.decomposition->cuts.share[job->split.member];
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
    const double *share = job->split.decomposition->cuts.share[job->split.member];
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
    const double part = member->part_high - member->part_low;
    return member->part_low + (at - member->low) * part / (member->high - member->low);
}

/* Returns 1 if the host lacks rows that the plan gives to `device`, which is a CPU. */
static int lacks_rows(const struct yk_job *job, int device)
{
    const struct yk_member *member = &job->split.decomposition->members[job->split.member];
    const double *share = job->split.decomposition->cuts.share[job->split.member];
    const double first = yk_plan_first(share, device);
    const double low = row_at(member, first), high = row_at(member, first + share[device]);
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_array *array = job->args[p].array;
        struct yk_interval rows;
        if (!is_by_rows(job, p) || job->args[p].mode == YOKE_PARAM_OUT)
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

/* Writes the plan's values for this job to `known`. */
static void tell(struct yk_job *job, const struct yk_memory *memory, struct yk_split_device *known)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    struct yk_member *member = &decomposition->members[job->split.member];
    const struct yk_plan_kernel kernel = { .items = member->items,
                                           .low = member->low,
                                           .high = member->high };
    int d;
    job->split.planned_ns = member->put = 0;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_cost *cost = memory ? &memory->cost[d] : NULL;
        const double items =
            yk_plan_items(&kernel, decomposition->cuts.share[job->split.member], d);
        known[d].share = fmin(1, items / member->items); /* rounding must not exceed 1 */
        if (!known[d].host_memory)
            member->put += known[d].share;
        known[d].row_ns = member->changing_bytes / member->items * slowest_link(job, d);
        known[d].back_ns = member->result_bytes / member->items * slowest_link(job, d);
        known[d].fetches = known[d].host_memory && items > 0 && lacks_rows(job, d);
        if (!(items > 0) || !cost || !yk_cost_is_known(cost))
            continue;
        job->devices[d].planned_ns = yk_cost_ns(cost, yk_plan_counted(items, member->fill[d]));
        job->split.planned_ns = fmax(job->split.planned_ns, job->devices[d].planned_ns);
        known[d].item_ns = cost->item_ns * (yk_plan_counted(items, member->fill[d]) / items);
        known[d].doubt = sqrt(cost->noise2 + cost->item_var / (cost->item_ns * cost->item_ns));
    }
}

int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known)
{
    struct yk_decomposition *decomposition = job->split.decomposition;
    struct yk_member *member = decomposition ? &decomposition->members[job->split.member] : NULL;
    job->split.planned = 0;
    if (!decomposition || !rows_stay(job, known))
        return 0;
    describe_places(job, known);
    yk_decomposition_plan(job);
    if (!decomposition->stands)
        return 0;
    if (member->checked != decomposition->planned)
        member->fits = fits(job);
    member->checked = decomposition->planned;
    if (!member->fits || !can_start_together(job))
        return 0;
    tell(job, memory, known);
    job->split.planned = 1;
    return 1;
}
