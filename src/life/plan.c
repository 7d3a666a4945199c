/* plan.c - sets up a job's devices and dispatcher when it begins: what is known about each device
 * by then, which devices take part, and which cores are left to threads that drive GPUs. */

#include "plan.h"

#include <math.h>
#include <string.h>

#include "../flight/alternative.h"
#include "../flight/pin_ahead.h"
#include "../flight/traffic.h"
#include "../job/kernel.h"
#include "../job/unit.h"
#include "../job/workspace.h"
#include "../partition/kept_cores.h"
#include "../partition/partitioner.h"
#include "builders.h"
#include "decomposition.h"
#include "decomposition_ready.h"
#include "host_lane.h"
#include "planned_job.h"
#include "remembered.h"

/* Bytes of a copy that uses a link fully. On PCI Express 5, 1 MiB uses 0.7 of it, 4 MiB 0.95. */
enum { SATURATING_BYTES = 4 << 20 };

/* Returns the number of items whose copies saturate the link, at most all; 0: there are none. */
static int64_t linking_items(const struct yk_job *job, const struct yk_traffic *traffic)
{
    const double all = (double)(job->last - job->first);
    return traffic->busier > 0 ? (int64_t)fmin(SATURATING_BYTES / traffic->busier, all) : 0;
}

/* Returns the number of items that use all of a device with memory of its own: each of its
 * processing elements has one, and copying their data saturates the link. */
static int64_t filling_items(const struct yk_job *job, const struct yk_device_desc *desc,
                             const struct yk_traffic *traffic)
{
    const int64_t compute = yk_job_busy_items(job, desc->fill);
    const int copies = SATURATING_BYTES > (double)compute * traffic->busier && traffic->busier > 0;
    return copies ? linking_items(job, traffic) : compute;
}

static void describe_link(struct yk_job *job, int d, const struct yk_learned *learned,
                          struct yk_split_device *out)
{
    const struct yk_device_desc *desc = &job->runtime->devices[d].device->desc;
    struct yk_traffic traffic;
    if (desc->host_memory)
        return;
    yk_job_traffic(job, d, learned, &traffic);
    out->fill = filling_items(job, desc, &traffic);
    out->link_fill = linking_items(job, &traffic);
    /* While devices try kernels, other devices look slow or are unknown, so a chunk that saturates
     * the link could take all that is left. `busy` is a smaller size for that case. */
    out->busy = job->pair ? yk_job_busy_items(job, desc->fill) : 0;
    if (desc->link_bytes_per_ns > 0) {
        out->copy_item_ns = traffic.both / desc->link_bytes_per_ns;
        job->devices[d].bringing_ns = traffic.whole / desc->link_bytes_per_ns;
    }
    out->busier_part = traffic.both > 0 ? traffic.busier / traffic.both : 1;
}

/* Describes what the dispatcher may know about device d before the job begins. */
static void describe(struct yk_job *job, int d, const struct yk_memory *memory,
                     struct yk_split_device *out)
{
    const struct yk_runtime_device *device = &job->runtime->devices[d];
    const struct yk_device_desc *desc = &device->device->desc;
    const yoke_kernel *kernel = &job->kernel->kernel;
    const struct yk_learned *learned =
        memory && !yk_alternative_is_untried(job, d) ? &memory->device[d] : NULL;
    *out = (struct yk_split_device){
        .name = desc->name,
        .lanes = kernel->cpu.team && desc->host_memory ? 1 : device->lanes,
        .host_memory = desc->host_memory,
        .cores = desc->host_memory ? desc->cores : 0,
        .fill = device->lanes,
        .lane_fill = desc->host_memory ? yk_job_vector(job) : 0,
        .fixed_ns = desc->launch_ns,
        .peak = desc->peak_per_ns,
        .share = -1,
    };
    if (learned)
        yk_learned_tell(learned, out);
    describe_link(job, d, learned, out);
    if (out->fill < 1)
        out->fill = 1;
}

static int are_alike(const struct yk_device_desc *a, const struct yk_device_desc *b)
{
    return a->backend == b->backend && !a->host_memory && !b->host_memory &&
           strcmp(a->model, b->model) == 0 && strcmp(a->settings_text, b->settings_text) == 0;
}

/* The number of the first device like device d. */
static int first_alike(const struct yk_job *job, int d)
{
    const struct yk_runtime_device *devices = job->runtime->devices;
    int first = 0;
    while (first < d && !are_alike(&devices[first].device->desc, &devices[d].device->desc))
        first++;
    return first;
}

void yk_job_describe(struct yk_job *job, int d, const struct yk_memory *memory,
                     struct yk_split_device *out)
{
    describe(job, d, memory, out);
    out->make = 1 + first_alike(job, d);
}

static void describe_all(struct yk_job *job, const struct yk_memory *memory, int count,
                         struct yk_split_device *out)
{
    int d;
    for (d = 0; d < count; d++)
        yk_job_describe(job, d, memory, &out[d]);
    if (memory)
        yk_learned_level(out, count);
    if (memory && yk_partitioner_needs_lessons(job->split.partitioner))
        yk_learned_lines(memory->device, out, count);
}

/* Returns the share in the last job, or the share by speed if that is larger: the device may have
 * been late for that job. */
static double likely_share(const struct yk_split_device *known, double all_rates)
{
    return known->rate > 0 ? fmax(known->share, known->rate / all_rates) : known->share;
}

/* No other thread sees the job yet. */
static void set_team(struct yk_job *job, uint32_t team)
{
    atomic_store_explicit(&job->split.team, team, memory_order_relaxed);
}

/* Chooses the devices that take part by what is known of teams; `team` NULL: nothing is. */
static void choose_team(struct yk_job *job, struct yk_team *team,
                        const struct yk_split_device *known)
{
    const struct yk_team_asks asks = { .devices = known,
                                       .count = job->device_count,
                                       .items = (double)(job->last - job->first),
                                       .crowded = job->split.crowded };
    const uint32_t chosen = team ? yk_team_choose(team, &asks) : yk_team_all(job->device_count);
    set_team(job, yk_job_call_builders(job, chosen, team ? known : NULL));
}

/* Returns the time of an item on one of the device's cores; 0: unknown. An earlier process knows
 * only that of all cores together. */
static double core_item_ns(const struct yk_learned *learned, const struct yk_split_device *known)
{
    if (learned->core_item_ns > 0 || !(known->rate > 0))
        return learned->core_item_ns;
    return known->lanes / known->rate;
}

/* Sets what the job knows of its team. */
static void note_team(struct yk_job *job, const struct yk_memory *memory,
                      const struct yk_split_device *known)
{
    int d;
    if (job->device_count > 1)
        job->split.alone = yk_team_only(job->split.team);
    job->split.items_per_ns = job->split.core_item_ns = 0;
    for (d = 0; d < job->device_count; d++) {
        if (yk_job_in_team(job, d))
            job->split.items_per_ns += known[d].rate;
        if (memory && yk_job_asks_cpu(job, d))
            job->split.core_item_ns = core_item_ns(&memory->device[d], &known[d]);
    }
}

/* Sets what the job knows of device d; its share is set already. */
static void note_device(struct yk_job *job, int d, const struct yk_memory *memory,
                        const struct yk_split_device *known)
{
    struct yk_job_device *jd = &job->devices[d];
    jd->bringing_ns += known->copy_item_ns * fabs(jd->share) * (double)(job->last - job->first);
    if (!memory)
        return;
    jd->bringing_ns *=
        yk_learned_bringing(&memory->device[d], jd->device->device->desc.link_bytes_per_ns);
    jd->steady = memory->device[d].steady;
    memcpy(jd->pace, memory->pace[d], sizeof memory->pace[d]);
}

/* Lets those devices take part that are the best team by what is known, or all. */
static void call_team(struct yk_job *job, const struct yk_memory *memory,
                      struct yk_split_device *known)
{
    const int judges = memory && yk_job_splits_freely(job->split.partitioner);
    struct yk_team *team = judges ? &yk_kernel_memorise(job->kernel, job->split.key)->team : NULL;
    int d;
    choose_team(job, team, known);
    note_team(job, memory, known);
    for (d = 0; d < job->device_count; d++) {
        if (yk_job_in_team(job, d)) {
            job->devices[d].share = likely_share(&known[d], job->split.items_per_ns);
        } else {
            known[d].share = 0; /* only in this job; the learned share stays */
            job->devices[d].share = 0;
        }
        note_device(job, d, memory, &known[d]);
    }
    if (yk_team_all(job->device_count) & ~job->split.team)
        job->workspace->team = *team;
}

/* Has the kernel built for the device, beside the jobs: later plans may give rows to the device,
 * and each kernel that is not ready then would have to fetch them back. */
static void build_ahead(const struct yk_job *job, int d)
{
    const struct yk_runtime_device *device = &job->runtime->devices[d];
    if (yk_device_must_build(device, job->kernel))
        yk_kernel_build_beside(job->kernel, device->device, device->number);
}

/* Lets those devices take part that have a part in the plan. */
static void call_planned(struct yk_job *job, const struct yk_memory *memory,
                         const struct yk_split_device *known)
{
    int d;
    uint32_t team = 0;
    for (d = 0; d < job->device_count; d++)
        if (known[d].share > 0)
            team |= yk_team_bit(d);
        else
            build_ahead(job, d);
    set_team(job, team);
    job->split.builds = 0;
    job->split.unbuilt = 0;
    note_team(job, memory, known);
    for (d = 0; d < job->device_count; d++) {
        job->devices[d].share = known[d].share;
        note_device(job, d, memory, &known[d]);
    }
    job->workspace->weighed = job->split.decomposition->planning.weighed;
    if (job->split.team != yk_team_all(job->device_count))
        job->workspace->team = (struct yk_team){ .explorer = job->split.decomposition->explorer };
}

/* Benches devices with an empty share, as in a team: waking dozens of threads for nothing takes
 * longer than a short job. */
static void bench_by_split(struct yk_job *job)
{
    const uint32_t asked = yk_dispatch_asked(job->dispatch) & job->split.team;
    int d;
    if (!asked || asked == job->split.team)
        return;
    set_team(job, asked);
    job->split.alone = yk_team_only(asked);
    for (d = 0; d < job->device_count; d++)
        if (!yk_job_in_team(job, d))
            job->devices[d].share = 0;
}

/* Returns 1 while kernels are built for a device, or a plan waits for its memory to be pinned.
 * Threads do that beside the jobs, and hold locks of the driver. If every core works, a thread that
 * has lost its core gets one when a time slice ends, and the others wait for its locks: on 16 cores
 * some loads of a kernel took 3 to 6 ms instead of 0.2, and none on 15. */
static int makes_ready(const struct yk_job *job)
{
    return job->split.unbuilt != 0 ||
           (job->split.decomposition &&
            (job->split.decomposition->planning.waits > 0 || yk_decomposition_builds(job)));
}

/* Returns how many of its cores the CPU, which takes part, keeps free beside that many GPUs. */
static int count_kept(const struct yk_job *job, int cpu, int lanes, int gpus)
{
    const int kept = yk_kept_cores(lanes, job->devices[cpu].share, gpus);
    return kept || !makes_ready(job) ? kept : yk_kept_core(lanes, lanes, 0) >= 0;
}

/* Keeps cores of the first CPU device free for the threads that drive GPUs. Otherwise such a thread
 * may find every core taken when it is woken. */
static void keep_cores(struct yk_job *job, struct yk_split_device *known)
{
    int d, cpu = -1, gpus = 0;
    job->split.keeps_cores = 0;
    if (!(yk_job_splits_freely(job->split.partitioner) ||
          yk_partitioner_needs_lessons(job->split.partitioner)) ||
        yk_runtime_polls(job->runtime))
        return;
    for (d = job->device_count - 1; d >= 0; d--) {
        if (known[d].host_memory)
            cpu = d;
        else
            gpus += yk_job_in_team(job, d) && !job->devices[d].device->device->desc.virtual_clock;
    }
    if (cpu < 0)
        return;
    job->devices[cpu].kept =
        yk_job_in_team(job, cpu) ? count_kept(job, cpu, known[cpu].lanes, gpus) : 0;
    known[cpu].lanes -= job->devices[cpu].kept;
    job->devices[cpu].leases.cutters = known[cpu].lanes;
    job->split.keeps_cores = job->devices[cpu].kept > 0;
}

/* Opens the job's dispatcher, or that of an earlier job again. */
static yoke_status open_dispatch(struct yk_job *job, const struct yk_memory *memory,
                                 const struct yk_split_device *known)
{
    const struct yk_split_spec spec = {
        .first = job->first,
        .last = job->last,
        .devices = known,
        .device_count = job->device_count,
        .unit = yk_job_unit(job),
        .partitioner = job->split.partitioner,
        .adjust = memory ? &memory->adjust : NULL,
        .late = memory ? yk_late_typical(&memory->late) : 0,
        .all_or_nothing = job->sums.has_add,
        .crowded = job->split.crowded,
        .planned = job->split.planned,
        .planned_ns = job->split.planned_ns,
        .awaits_ns = (double)atomic_load(&job->runtime->awaits_ns),
        .settles = job->split.decomposition && !job->split.planned,
    };
    const yoke_status status = job->workspace->dispatch
                                   ? yk_dispatch_reopen(job->workspace->dispatch, &spec)
                                   : yk_dispatch_open(&spec, &job->workspace->dispatch);
    job->dispatch = job->workspace->dispatch;
    return status;
}

/* What is left of the jobs that the latest such arrays lasted; if these have lasted longer, as many
 * as were seen; 0: unknown. */
static double jobs_to_come(const struct yk_job *job, const struct yk_memory *memory)
{
    const double lasted = memory ? (double)memory->lasted : 0;
    const double jobs = job->split.decomposition ? (double)job->split.decomposition->jobs : 1;
    if (!(lasted > 0))
        return 0;
    return jobs > lasted ? jobs : lasted - jobs + 1;
}

/* Splits the job by what `memory` knows. */
static yoke_status split(struct yk_job *job, const struct yk_memory *memory)
{
    struct yk_split_device known[YK_PLACES]; /* one per device */
    yoke_status status = YOKE_OK;
    job->split.to_come = jobs_to_come(job, memory);
    describe_all(job, memory, job->device_count, known);
    if (job->split.partitioner)
        status = yk_host_lanes_plan(job, known, job->device_count);
    if (status != YOKE_OK)
        return status;
    /* beside another job than the one behind which it begins */
    job->split.crowded = job->runtime->running_count > (job->pipeline.before != NULL);
    job->split.has_memory = memory != NULL;
    if (yk_job_follow_plan(job, memory, known))
        call_planned(job, memory, known);
    else
        call_team(job, memory, known);
    yk_alternative_plan(job, known);
    keep_cores(job, known);
    status = open_dispatch(job, memory, known);
    if (status == YOKE_OK)
        bench_by_split(job);
    return status;
}

/* Marks the job's arrays as used. Returns 1 if no job has used one of them before. */
static int open_arrays(const struct yk_job *job)
{
    int p, opens = 0;
    for (p = 0; p < job->arg_count; p++) {
        yoke_array *array = job->args[p].array ? job->args[p].array->whole : NULL;
        if (!array)
            continue;
        opens |= !array->in_use;
        array->in_use = 1;
    }
    return opens;
}

yoke_status yk_job_plan(struct yk_job *job)
{
    const int count = atomic_load_explicit(&job->runtime->device_count, memory_order_acquire);
    const struct yk_memory *memory = yk_job_recall(job, count);
    yoke_status status = yk_workspace_take(job, count);
    if (status != YOKE_OK)
        return status;
    yk_alternative_begin(job, memory);
    yk_job_decompose(job);
    job->split.opens = open_arrays(job);
    status = split(job, memory);
    /* after the split, which decides the devices that get items and so rows */
    if (status == YOKE_OK && yk_job_awaits_pins(job))
        return split(job, yk_job_yield(job, memory));
    yk_job_keep_apart(job, memory);
    return status;
}
