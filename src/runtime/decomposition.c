/* decomposition.c - see decomposition.h. */
#include "decomposition.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "flight.h"

/* A plan is looked at again when this part more jobs came. */
#define MORE_JOBS (1.0 / 3)

/* --- which arrays --- */

/* Partial results of reductions are not: they go home. */
static int is_by_rows(const struct yk_job *job, int p)
{
    const yoke_arg *arg = &job->args[p];
    const yoke_param_mode mode = job->kernel->kernel.params[p].mode;
    return arg->array && mode != YOKE_PARAM_VALUE && mode != YOKE_PARAM_ADD &&
           mode != YOKE_PARAM_REDUCE && arg->shape != YOKE_WHOLE && arg->array->rows > 0;
}

static void let_go(struct yk_decomposition *decomposition, int arrays)
{
    decomposition->arrays -= arrays;
    if (decomposition->arrays == 0)
        yk_free(decomposition);
}

void yk_decomposition_leave(yoke_array *array)
{
    if (array->decomposition)
        let_go(array->decomposition, 1);
    array->decomposition = NULL;
}

static void live_by(yoke_array *array, struct yk_decomposition *decomposition)
{
    if (array->decomposition == decomposition)
        return;
    yk_decomposition_leave(array);
    array->decomposition = decomposition;
    decomposition->arrays++;
}

/* All arrays of one go over to the other, which has been used more. */
static void unite(const yoke_runtime *runtime, struct yk_decomposition *from,
                  struct yk_decomposition *into)
{
    yoke_array *array;
    for (array = runtime->arrays; array; array = array->next)
        if (array->decomposition == from)
            live_by(array, into);
}

/* The one that the job's arrays have, or the most used one of several; NULL: none has any. */
static struct yk_decomposition *most_used(const struct yk_job *job)
{
    struct yk_decomposition *found = NULL;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_decomposition *theirs =
            is_by_rows(job, p) ? job->args[p].array->whole->decomposition : NULL;
        if (theirs && (!found || theirs->jobs > found->jobs))
            found = theirs;
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
        yoke_array *whole = is_by_rows(job, p) ? job->args[p].array->whole : NULL;
        if (!whole)
            continue;
        if (whole->decomposition && whole->decomposition != found)
            unite(job->runtime, whole->decomposition, found);
        live_by(whole, found);
        whole->changes |= yk_writes_rows(job->args[p].mode);
    }
    return found;
}

/* --- which kernels --- */

/* A place for one more: nobody's, or that of who has not come for longest. Its bounds are, until there
 * is a plan for it, those of the latest. */
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
    for (r = 0; r < YK_RECENT_JOBS; r++)
        if (decomposition->recent[r] == oldest)
            decomposition->recent[r] = YK_PLAN_KERNELS;
    decomposition->members[oldest] =
        (struct yk_member){ .kernel = job->kernel, .key = job->key };
    decomposition->began = decomposition->jobs;
    decomposition->stale = 1;
    return &decomposition->members[oldest];
}

static struct yk_member *member_of(struct yk_decomposition *decomposition, const struct yk_job *job)
{
    int m;
    for (m = 0; m < YK_PLAN_KERNELS; m++) {
        struct yk_member *member = &decomposition->members[m];
        if (member->kernel == job->kernel && member->key == job->key)
            return member;
    }
    return admit(decomposition, job);
}

/* The argument that says where a job is in the rows: one that it writes, index by index, if any. */
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

static void describe_member(const struct yk_job *job, struct yk_member *member)
{
    const yoke_arg *arg = leading(job);
    int p;
    member->items = (double)(job->last - job->first);
    member->low = 0;
    member->high = 1;
    if (arg) {
        const double rows = (double)arg->array->rows;
        member->low = fmax(0, (double)(job->first - arg->array->first_row) / rows);
        member->high = fmin(1, (double)(job->last - arg->array->first_row) / rows);
    }
    member->changing_bytes = member->whole_bytes = 0;
    for (p = 0; p < job->arg_count; p++) {
        arg = &job->args[p];
        if (!arg->array || arg->mode == YOKE_PARAM_OUT || !arg->array->whole->changes)
            continue;
        if (is_by_rows(job, p))
            member->changing_bytes += (double)yk_array_bytes(arg->array);
        else if (arg->mode == YOKE_PARAM_IN)
            member->whole_bytes += (double)yk_array_bytes(arg->array);
    }
}

/* Its work is ours to split, and its results stay where they are made. */
static int may_be_planned(const struct yk_job *job)
{
    int p, by_rows = 0;
    if (!yk_job_splits_freely(job->partitioner) || job->asked_for || job->pair || job->runtime->checks ||
        job->device_count < 2 || job->kernel->kernel.kind == YOKE_KERNEL_STEP ||
        job->last == job->first)
        return 0;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        by_rows |= is_by_rows(job, p);
        if (is_by_rows(job, p) && yk_writes_rows(arg->mode) && arg->home == YOKE_HOME_NOW)
            return 0;
    }
    return by_rows;
}

void yk_job_decompose(struct yk_job *job)
{
    struct yk_decomposition *decomposition;
    struct yk_member *member;
    job->decomposition = NULL;
    if (!may_be_planned(job))
        return;
    decomposition = decomposition_of(job);
    if (!decomposition)
        return; /* for lack of memory it is split by itself */
    if (decomposition->devices != job->device_count)
        decomposition->stands = 0;
    decomposition->devices = job->device_count;
    member = member_of(decomposition, job);
    describe_member(job, member);
    decomposition->recent[decomposition->jobs % YK_RECENT_JOBS] =
        (unsigned char)(member - decomposition->members);
    member->used = ++decomposition->jobs;
    job->decomposition = decomposition;
    job->member = (int)(member - decomposition->members);
}

/* --- the plan --- */

/* A byte's way, by the rates that links are told to have: from device to device, where the second can
 * read from the first, else through the host. */
static double way_ns(const struct yk_runtime_device *from, const struct yk_runtime_device *to)
{
    const struct yk_device_desc *source = &from->device->desc, *target = &to->device->desc;
    const double reach = target->host_memory ? 0 : to->place->reach[from->place->number];
    double ns = 0;
    if (reach > 0)
        return 1 / reach;
    if (!source->host_memory && source->link_bytes_per_ns > 0)
        ns += 1 / source->link_bytes_per_ns;
    if (!target->host_memory && target->link_bytes_per_ns > 0)
        ns += 1 / target->link_bytes_per_ns;
    return ns;
}

static void describe_ways(const struct yk_job *job, struct yk_plan *plan)
{
    int from, to;
    for (from = 0; from < job->device_count; from++)
        for (to = 0; to < job->device_count; to++)
            if (from != to)
                plan->byte_ns[from][to] =
                    way_ns(&job->runtime->devices[from], &job->runtime->devices[to]);
}

static void describe_bytes(const struct yk_job *job, struct yk_plan *plan)
{
    const yoke_array *array;
    for (array = job->runtime->arrays; array; array = array->next)
        if (array->decomposition == job->decomposition)
            plan->bytes += (double)yk_array_bytes(array);
}

/* How often each comes, and after which other. */
static void describe_turns(const struct yk_decomposition *decomposition, struct yk_plan *plan)
{
    const uint64_t seen =
        decomposition->jobs < YK_RECENT_JOBS ? decomposition->jobs : YK_RECENT_JOBS;
    double all = 0;
    uint64_t job;
    int k, l, before = YK_PLAN_KERNELS;
    for (job = decomposition->jobs - seen; job < decomposition->jobs; job++) {
        const int now = decomposition->recent[job % YK_RECENT_JOBS];
        if (now < YK_PLAN_KERNELS) {
            plan->kernel[now].weight++;
            all++;
            if (before < YK_PLAN_KERNELS)
                plan->follows[before][now]++;
            before = now;
        }
    }
    for (k = 0; k < plan->kernels && all > 0; k++) {
        plan->kernel[k].weight /= all;
        for (l = 0; l < plan->kernels; l++)
            plan->follows[k][l] /= all;
    }
}

/* 1: something is known of it, and it still comes. */
static int describe_kernel(const struct yk_decomposition *decomposition, int m,
                           struct yk_plan_kernel *out)
{
    const struct yk_member *member = &decomposition->members[m];
    const struct yk_memory *memory =
        member->kernel ? yk_kernel_recall(member->kernel, member->key) : NULL;
    int d, known = 0;
    if (!memory)
        return 0;
    out->items = member->items;
    out->low = member->low;
    out->high = member->high;
    out->changing_bytes = member->changing_bytes;
    out->whole_bytes = member->whole_bytes;
    out->teams = memory->teams;
    memcpy(out->cost, memory->cost, (size_t)decomposition->devices * sizeof *out->cost);
    memcpy(out->fill, member->fill, sizeof out->fill);
    yk_cost_pool(out->cost, member->make, decomposition->devices);
    for (d = 0; d < decomposition->devices; d++)
        known |= yk_cost_is_known(&out->cost[d]);
    return known;
}

static void plan_anew(const struct yk_job *job)
{
    struct yk_decomposition *decomposition = job->decomposition;
    struct yk_plan *plan = yk_calloc(1, sizeof *plan);
    struct yk_cuts best;
    int m;
    if (!plan)
        return; /* what stands goes on standing */
    plan->devices = decomposition->devices;
    for (m = 0; m < YK_PLAN_KERNELS; m++)
        if (decomposition->members[m].kernel)
            plan->kernels = m + 1;
    describe_turns(decomposition, plan);
    for (m = 0; m < plan->kernels; m++)
        if (!describe_kernel(decomposition, m, &plan->kernel[m]))
            plan->kernel[m].weight = 0;
    describe_ways(job, plan);
    describe_bytes(job, plan);
    plan->jobs = (double)(decomposition->jobs - decomposition->began);
    if (yk_plan_find(plan, decomposition->stands ? &decomposition->cuts : NULL, &best)) {
        decomposition->cuts = best;
        decomposition->stands = 1;
    }
    decomposition->planned = decomposition->jobs;
    decomposition->stale = 0;
    yk_free(plan);
}

static int is_due(const struct yk_decomposition *decomposition)
{
    return !decomposition->stands || decomposition->stale ||
           (double)(decomposition->jobs - decomposition->began) >
               (1 + MORE_JOBS) * (double)(decomposition->planned - decomposition->began);
}

/* Of each device, or it was asked twice and got nothing, or of another one of its make. */
static int knows_costs(const struct yk_memory *memory, const struct yk_split_device *known,
                       int devices)
{
    int d, other, any = 0;
    for (d = 0; d < devices; d++) {
        int knows = yk_cost_is_known(&memory->cost[d]);
        any |= knows;
        for (other = 0; other < devices && !knows; other++)
            knows = yk_cost_is_known(&memory->cost[other]) &&
                    yk_split_alike(&known[d], &known[other]);
        if (!knows && memory->device[d].asked < 2)
            return 0;
    }
    return any;
}

/* Of the rows that it reads, those that are on a device: as a part, by bytes. */
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

/* 0: for the second time in a row rows that devices would work on are not there any more, though
 * they were: the program writes them between jobs. Then each job copies all, and when chunks of it
 * begin and end matters more than where rows were. */
static int rows_stay(const struct yk_job *job, struct yk_memory *memory,
                     const struct yk_split_device *known)
{
    double on_devices = 0;
    int d, copies = 0;
    for (d = 0; d < job->device_count; d++) {
        copies |= known[d].copy_item_ns > 0;
        if (!known[d].host_memory)
            on_devices += fmax(0, known[d].share);
    }
    if (!copies || held_part(job) >= on_devices / 2)
        memory->fetched = 0;
    else
        memory->fetched++;
    return memory->fetched < 2;
}

static void describe_places(const struct yk_job *job, const struct yk_split_device *known)
{
    struct yk_member *member = &job->decomposition->members[job->member];
    int d;
    for (d = 0; d < job->device_count; d++) {
        member->make[d] = known[d].make;
        member->fill[d] =
            known[d].host_memory
                ? 0
                : (double)yk_job_busy_items(job, job->devices[d].device->device->desc.fill);
    }
}

/* All that it uses has room on each device that has a part, so that rows stay. */
static int fits(const struct yk_job *job)
{
    const double *share = job->decomposition->cuts.share[job->member];
    int d;
    for (d = 0; d < job->device_count; d++)
        if (share[d] > 0 && !job->runtime->devices[d].device->desc.host_memory &&
            !yk_job_would_hold(job, d))
            return 0;
    return 1;
}

/* What the plan says of this job. */
static void tell(struct yk_job *job, const struct yk_memory *memory, struct yk_split_device *known)
{
    const struct yk_decomposition *decomposition = job->decomposition;
    const struct yk_member *member = &decomposition->members[job->member];
    const struct yk_plan_kernel kernel = { .items = member->items,
                                           .low = member->low,
                                           .high = member->high };
    int d;
    job->planned_ns = 0;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_cost *cost = &memory->cost[d];
        const double items =
            yk_plan_items(&kernel, decomposition->cuts.share[job->member], d);
        known[d].share = items / member->items;
        if (!(items > 0) || !yk_cost_is_known(cost))
            continue;
        job->planned_ns = fmax(job->planned_ns, yk_cost_ns(cost, items));
        known[d].doubt = sqrt(cost->noise2 + cost->item_var / (cost->item_ns * cost->item_ns));
    }
}

int yk_job_follow_plan(struct yk_job *job, struct yk_memory *memory, struct yk_split_device *known)
{
    struct yk_decomposition *decomposition = job->decomposition;
    struct yk_member *member = decomposition ? &decomposition->members[job->member] : NULL;
    job->planned = 0;
    if (!decomposition || !memory || !knows_costs(memory, known, job->device_count) ||
        !rows_stay(job, memory, known))
        return 0;
    describe_places(job, known);
    if (is_due(decomposition))
        plan_anew(job);
    if (!decomposition->stands)
        return 0;
    if (decomposition->planned == decomposition->jobs)
        member->fits = fits(job);
    if (!member->fits)
        return 0;
    tell(job, memory, known);
    job->planned = 1;
    return 1;
}

/* --- what jobs took --- */

/* What the device's part took beside what it waited for rows, which may have been beside another
 * chunk's kernel. Nobody knows how much of it memory took that was made ready meanwhile. */
static enum yk_cost_news note_part(struct yk_memory *memory, int d, double told_ns,
                                   const struct yk_split_outcome *outcome, int readied)
{
    const double fetch_ns = (double)outcome->fetch_ns, busy_ns = (double)outcome->busy_ns;
    const struct yk_cost_sample sample = {
        .items = (double)outcome->items,
        .chunks = (double)outcome->chunks,
        .ns = fmax(busy_ns - fetch_ns, busy_ns / 8),
        .unsure_ns = (outcome->chunks > 1 ? fetch_ns / 2 : fetch_ns / 8) + (readied ? busy_ns / 2 : 0),
    };
    const int new = !yk_cost_is_known(&memory->cost[d]);
    enum yk_cost_news news;
    if (new)
        yk_cost_open(&memory->cost[d], told_ns);
    news = yk_cost_observe(&memory->cost[d], &sample);
    return new && news == YK_COST_LEARNED ? YK_COST_CHANGED : news;
}

void yk_job_note_costs(struct yk_job *job, struct yk_memory *memory)
{
    struct yk_decomposition *decomposition = job->decomposition;
    const int readied = yk_job_readied(job) != job->readied;
    uint32_t team = 0;
    double most = 0;
    int d;
    for (d = 0; decomposition && d < job->device_count; d++) {
        const struct yk_split_outcome *outcome = &job->devices[d].outcome;
        const struct yk_device_desc *desc = &job->devices[d].device->device->desc;
        if (outcome->items == 0)
            continue;
        if (note_part(memory, d, desc->host_memory ? 0 : desc->launch_ns, outcome,
                      readied && !desc->host_memory) == YK_COST_CHANGED)
            decomposition->stale = 1;
        team |= yk_team_bit(d);
        most = fmax(most, (double)outcome->busy_ns);
    }
    if (job->planned && !readied)
        yk_plan_note_team(memory->teams, team, (double)(job->ended_ns - job->submitted_ns) - most);
}
