/* job.c - a user's job copied, so that nothing of it is needed after submit. */
#include "job.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"

static yoke_status copy_values(struct yk_job *job)
{
    size_t bytes = 0, at = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].mode == YOKE_PARAM_VALUE)
            bytes += (job->args[p].value_size + 15) / 16 * 16;
    job->value_bytes = yk_calloc(1, bytes);
    if (!job->value_bytes)
        return YOKE_ENOMEM;
    for (p = 0; p < job->arg_count; p++) {
        yoke_arg *arg = &job->args[p];
        if (arg->mode != YOKE_PARAM_VALUE)
            continue;
        memcpy(job->value_bytes + at, arg->value, arg->value_size);
        arg->value = job->value_bytes + at;
        at += (arg->value_size + 15) / 16 * 16;
    }
    return YOKE_OK;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash ^= word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdu;
}

int yk_job_splits_freely(const char *partitioner)
{
    return !partitioner || strcmp(partitioner, "auto") == 0;
}

/* Range and array shapes: jobs with the same key cost the same on the same device, or nearly. A
 * partitioner that was asked for learns apart, or what it makes devices do would teach `auto` that
 * they can do no better. */
static uint64_t memory_key(const struct yk_job *job)
{
    const char *c;
    uint64_t hash = mix(mix(mix(1, (uint64_t)(job->last - job->first)), (uint64_t)job->extent[0]),
                        (uint64_t)job->extent[1]);
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array) {
            hash = mix(hash, (uint64_t)job->args[p].array->row_bytes);
            hash = mix(hash, (uint64_t)job->args[p].array->rows);
            hash = mix(hash, (uint64_t)job->args[p].home);
        }
    for (c = yk_job_splits_freely(job->partitioner) ? "" : job->partitioner; *c; c++)
        hash = mix(hash, (unsigned char)*c);
    return hash;
}

/* Copies shorter than this run at a fraction of a link's speed (1 MiB: 0.7, 4 MiB: 0.95 on PCI
 * Express 5). */
enum { SATURATING_BYTES = 4 << 20 };

/* Items that use all of a device with memory of its own: each of its processing elements has one,
 * and a copy of what they need saturates the link. */
static int64_t filling_items(const struct yk_job *job, const struct yk_device_desc *desc,
                             const struct yk_traffic *traffic)
{
    const yoke_kernel *kernel = &job->kernel->kernel;
    int64_t per_index = job->extent[0] * job->extent[1] * (kernel->lanes > 1 ? kernel->lanes : 1);
    int64_t unit = kernel->unit > 1 ? kernel->unit : 1;
    int64_t compute = desc->fill * unit / per_index;
    double copy = traffic->busier > 0 ? SATURATING_BYTES / traffic->busier : 0;
    return copy > (double)compute ? (int64_t)fmin(copy, (double)(job->last - job->first)) : compute;
}

static void describe_link(const struct yk_job *job, int d, const struct yk_learned *learned,
                          struct yk_split_device *out)
{
    const struct yk_device_desc *desc = &job->runtime->devices[d].device->desc;
    struct yk_traffic traffic;
    if (desc->host_memory)
        return;
    yk_job_traffic(job, d, learned, &traffic);
    out->fill = filling_items(job, desc, &traffic);
    out->copy_item_ns = desc->link_bytes_per_ns > 0 ? traffic.both / desc->link_bytes_per_ns : 0;
    out->busier_part = traffic.both > 0 ? traffic.busier / traffic.both : 1;
}

/* What the dispatcher may know of device d before the job starts. */
static void describe(const struct yk_job *job, int d, const struct yk_memory *memory,
                     struct yk_split_device *out)
{
    const struct yk_runtime_device *device = &job->runtime->devices[d];
    const struct yk_device_desc *desc = &device->device->desc;
    const yoke_kernel *kernel = &job->kernel->kernel;
    const struct yk_learned *learned = memory ? &memory->device[d] : NULL;
    out->name = desc->name;
    out->lanes = kernel->cpu.team && desc->host_memory ? 1 : device->lanes;
    out->host_memory = desc->host_memory;
    out->cores = desc->host_memory ? desc->cores : 0;
    out->fill = device->lanes;
    out->lane_fill = desc->host_memory ? kernel->cpu.unit : 0;
    out->fixed_ns = desc->launch_ns;
    out->peak = desc->peak_per_ns;
    out->share = -1;
    if (learned)
        yk_learned_tell(learned, out);
    describe_link(job, d, learned, out);
    if (out->fill < 1)
        out->fill = 1;
}

static yoke_status open_device(struct yk_job *job, int d)
{
    struct yk_job_device *jd = &job->devices[d];
    struct yk_runtime_device *device = &job->runtime->devices[d];
    jd->device = device;
    jd->flights = yk_calloc((size_t)device->lanes, sizeof *jd->flights);
    if (!jd->flights)
        return YOKE_ENOMEM;
    if (job->has_add) {
        jd->private_hosts =
            yk_calloc((size_t)(device->lanes * job->arg_count), sizeof *jd->private_hosts);
        if (!jd->private_hosts)
            return YOKE_ENOMEM;
    }
    return device->device->desc.host_memory ? yk_leases_open(device->lanes, &jd->leases) : YOKE_OK;
}

int64_t yk_job_readied(const struct yk_job *job)
{
    int64_t bytes = 0;
    int d;
    for (d = 0; d < job->device_count; d++)
        bytes += yk_place_readied(job->devices[d].device->place);
    return bytes;
}

/* The last job's, or what the speeds say if that is more: it may have been late for that one. */
static double likely_share(const struct yk_split_device *known, double all_rates)
{
    return known->rate > 0 ? fmax(known->share, known->rate / all_rates) : known->share;
}

yoke_status yk_job_plan(struct yk_job *job)
{
    struct yk_split_device known[YK_PLACES] = { { 0 } };
    const struct yk_memory *memory = yk_kernel_recall(job->kernel, job->key);
    struct yk_split_spec spec = { .first = job->first,
                                  .last = job->last,
                                  .devices = known,
                                  .unit =
                                      job->kernel->kernel.unit > 1 ? job->kernel->kernel.unit : 1,
                                  .partitioner = job->partitioner,
                                  .all_or_nothing = job->has_add };
    yoke_status status = YOKE_OK;
    int d, count = atomic_load_explicit(&job->runtime->device_count, memory_order_acquire);
    job->devices = yk_calloc((size_t)count, sizeof *job->devices);
    if (!job->devices)
        return YOKE_ENOMEM;
    for (d = 0; d < count && status == YOKE_OK; d++) {
        job->device_count = d + 1;
        status = open_device(job, d);
        describe(job, d, memory, &known[d]);
    }
    if (status == YOKE_OK && job->partitioner)
        status = yk_host_lanes_plan(job, known, count);
    if (status != YOKE_OK)
        return status;
    spec.device_count = count;
    job->seen = job->tells = memory != NULL;
    for (d = 0; d < count; d++) {
        job->recalled += known[d].rate;
        job->tells &= known[d].rate > 0;
    }
    for (d = 0; d < count; d++)
        job->devices[d].share = likely_share(&known[d], job->recalled);
    for (d = 0; memory && d < count; d++)
        job->devices[d].steady = memory->device[d].steady;
    if (memory && yk_job_splits_freely(job->partitioner))
        job->alone = yk_team_choose(&memory->team, known, count);
    return yk_dispatch_open(&spec, &job->dispatch);
}

static yoke_status fill(struct yk_job *job, const yoke_job *spec)
{
    const char *partitioner = spec->partitioner ? spec->partitioner : job->runtime->partitioner;
    yoke_status status;
    int p;
    job->first = spec->range.first;
    job->last = spec->range.last;
    job->extent[0] = spec->range.extent[0] ? spec->range.extent[0] : 1;
    job->extent[1] = spec->range.extent[1] ? spec->range.extent[1] : 1;
    job->arg_count = spec->kernel->param_count;
    memcpy(job->args, spec->args, (size_t)job->arg_count * sizeof *job->args);
    for (p = 0; p < job->arg_count; p++)
        job->has_add |= job->args[p].mode == YOKE_PARAM_ADD;
    job->borrowed_device = job->borrowed_lane = job->alone = job->hosting = -1;
    status = copy_values(job);
    if (status != YOKE_OK)
        return status;
    job->name = yk_strdup(spec->name ? spec->name : spec->kernel->name);
    job->partitioner = partitioner ? yk_strdup(partitioner) : NULL;
    if (!job->name || (partitioner && !job->partitioner))
        return YOKE_ENOMEM;
    job->key = memory_key(job);
    if (spec->deadline_seconds > 0)
        job->deadline_ns = yk_now(job->runtime) + (int64_t)fmin(1e9 * spec->deadline_seconds, 4e18);
    job->progress = spec->progress;
    job->progress_context = spec->progress_context;
    return yk_order_prepare(job);
}

yoke_status yk_job_open(yoke_runtime *runtime, const yoke_job *spec, struct yk_job **out)
{
    struct yk_job *job;
    yoke_status status = yk_job_check(runtime, spec);
    if (status != YOKE_OK)
        return status;
    job = yk_calloc(1, sizeof *job);
    if (!job)
        return YOKE_ENOMEM;
    job->runtime = runtime;
    status = fill(job, spec);
    if (status != YOKE_OK)
        goto free_job;
    status = yk_mutex_open(&job->lock);
    if (status != YOKE_OK)
        goto free_job;
    status = yk_gate_init(&job->done);
    if (status != YOKE_OK)
        goto close_lock;
    *out = job;
    return YOKE_OK;
close_lock:
    yk_mutex_close(&job->lock);
free_job:
    yk_order_close(job);
    yk_free(job->name);
    yk_free(job->partitioner);
    yk_free(job->value_bytes);
    yk_free(job);
    return status;
}

void yk_job_close(struct yk_job *job)
{
    int d;
    for (d = 0; job->devices && d < job->device_count; d++) {
        struct yk_job_device *device = &job->devices[d];
        yk_leases_close(&device->leases);
        yk_free(device->flights);
        yk_free(device->private_hosts);
    }
    yk_free(job->devices);
    yk_dispatch_close(job->dispatch);
    yk_gate_destroy(&job->done);
    yk_mutex_close(&job->lock);
    yk_order_close(job);
    yk_free(job->text);
    yk_free(job->name);
    yk_free(job->partitioner);
    yk_free(job->value_bytes);
    yk_free(job);
}
