/* job.c - copies a user's job, so that nothing of the user's is needed after submit; keeps its
 * references and its first error. */

#include "job.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/carve.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "array_handle.h"
#include "order.h"
#include "range.h"
#include "reduction.h"
#include "validate.h"
#include "workspace.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash ^= word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdu;
}

int yk_job_splits_freely(const char *partitioner)
{
    return yk_job_goes_by_plan(partitioner) || strcmp(partitioner, yk_partitioner_alone.name) == 0;
}

int yk_job_goes_by_plan(const char *partitioner)
{
    return !partitioner || strcmp(partitioner, yk_partitioner_auto.name) == 0;
}

/* A hash of the range and the arrays' shapes. Jobs with the same key cost nearly the same on the
 * same device. */
static uint64_t shapes_key(const struct yk_job *job)
{
    uint64_t hash = mix(mix(mix(1, (uint64_t)(job->last - job->first)),
                            (uint64_t)yk_interval_length(job->along[0])),
                        (uint64_t)yk_interval_length(job->along[1]));
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array) {
            hash = mix(hash, (uint64_t)job->args[p].array->row_bytes);
            hash = mix(hash, (uint64_t)job->args[p].array->rows);
            hash = mix(hash, (uint64_t)job->args[p].home);
        }
    return hash;
}

/* A job with a requested partitioner has its own memory. Otherwise `auto` would learn that devices
 * cannot do better than that partitioner let them. */
static uint64_t memory_key(const struct yk_job *job)
{
    const char *c;
    uint64_t hash = job->split.free_key;
    for (c = yk_job_splits_freely(job->split.partitioner) ? "" : job->split.partitioner; *c; c++)
        hash = mix(hash, (unsigned char)*c);
    return hash;
}

/* What the user asked for, with the runtime's defaults filled in. */
struct asked {
    const yoke_job *spec;
    const char *name, *partitioner;
    int args, reduces, devices;
};

static size_t block_bytes(const struct asked *asked)
{
    size_t args = (size_t)asked->args, bytes = yk_carved(sizeof(struct yk_job));
    size_t p;
    bytes += yk_carved(args * sizeof(yoke_arg)) +
             yk_carved((args + (size_t)asked->reduces) * sizeof(struct yk_use));
    bytes += yk_carved((size_t)asked->devices * sizeof(struct yk_figures));
    bytes += yk_carved_text(asked->name) + yk_carved_text(asked->partitioner);
    for (p = 0; p < args; p++)
        if (asked->spec->args[p].mode == YOKE_PARAM_VALUE)
            bytes += yk_carved(asked->spec->args[p].value_size);
    return bytes;
}

/* A halo is at most the array's rows, so that adding it never overflows. */
static void cut_halo(yoke_arg *arg)
{
    if (arg->before > arg->array->rows)
        arg->before = arg->array->rows;
    if (arg->after > arg->array->rows)
        arg->after = arg->array->rows;
}

/* Finds the arrays that have their row distance among the job's values. Those values no longer
 * count as array arguments. */
static void note_distances(struct yk_job *job)
{
    int p, q;
    for (p = 0; p < job->arg_count; p++) {
        yoke_arg *value = &job->args[p];
        if (value->mode != YOKE_PARAM_VALUE || !value->array)
            continue;
        for (q = 0; q < job->arg_count; q++)
            if (job->args[q].mode != YOKE_PARAM_VALUE && job->args[q].array == value->array)
                job->distance_of[p] = (uint8_t)(q + 1);
        job->packs |= 1u << (job->distance_of[p] - 1);
        value->array = NULL;
    }
}

/* Returns a block of zeros. It is that of a finished job if that one is large enough: freeing and
 * allocating blocks of this size takes glibc 1 us for each job. */
static struct yk_job *take_block(yoke_runtime *runtime, size_t bytes)
{
    struct yk_job *job = atomic_exchange(&runtime->spare_job, NULL);
    size_t room = job ? job->life.block_bytes : 0;
    if (room >= bytes) {
        memset(job, 0, bytes);
    } else {
        yk_free(job);
        job = yk_calloc(1, bytes);
        room = bytes;
    }
    if (job)
        job->life.block_bytes = room;
    return job;
}

static void give_block(yoke_runtime *runtime, struct yk_job *job)
{
    yk_free(atomic_exchange(&runtime->spare_job, job));
}

void yk_job_forget_spare(yoke_runtime *runtime)
{
    give_block(runtime, NULL);
}

/* Returns the job with copies of everything that it was given; NULL: no memory. */
static struct yk_job *copy(yoke_runtime *runtime, const struct asked *asked)
{
    struct yk_job *job = take_block(runtime, block_bytes(asked));
    size_t args = (size_t)asked->args;
    char *next = (char *)job;
    int p;
    if (!job)
        return NULL;
    yk_carve(&next, sizeof *job);
    job->arg_count = asked->args;
    job->args = yk_carve(&next, args * sizeof *job->args);
    job->order.count = asked->args + asked->reduces;
    job->order.uses = yk_carve(&next, (size_t)job->order.count * sizeof *job->order.uses);
    job->life.figures = yk_carve(&next, (size_t)asked->devices * sizeof *job->life.figures);
    job->life.figure_room = asked->devices;
    job->name = yk_carve_text(&next, asked->name);
    job->split.partitioner = asked->partitioner ? yk_carve_text(&next, asked->partitioner) : NULL;
    memcpy(job->args, asked->spec->args, args * sizeof *job->args);
    note_distances(job);
    for (p = 0; p < asked->args; p++) {
        yoke_arg *arg = &job->args[p];
        const void *value = arg->value ? arg->value : &arg->bits;
        if (arg->mode == YOKE_PARAM_VALUE && !arg->array)
            arg->value = memcpy(yk_carve(&next, arg->value_size), value, arg->value_size);
        else if (arg->mode != YOKE_PARAM_VALUE && arg->shape == YOKE_HALO)
            cut_halo(arg);
    }
    return job;
}

static void fill(struct yk_job *job, const yoke_job *spec)
{
    int p;
    job->split.names_partitioner = spec->partitioner != NULL;
    job->split.weight = -1;
    for (p = 0; p < job->arg_count; p++)
        job->sums.has_add |= job->args[p].mode == YOKE_PARAM_ADD;
    job->caller.borrowed_device = job->caller.borrowed_lane = job->split.alone =
        job->lanes.hosting = -1;
    job->split.free_key = shapes_key(job);
    job->split.key = memory_key(job);
    if (spec->deadline_seconds > 0)
        job->progress.deadline_ns =
            yk_now(job->runtime) + (int64_t)fmin(1e9 * spec->deadline_seconds, 4e18);
    job->progress.callback = spec->progress;
    job->progress.context = spec->progress_context;
}

/* Converts the arguments to internal form: arrays instead of handles (NULL for an invalid handle),
 * and the kernel's mode where the argument has none. */
static void take_args(const yoke_job *spec, yoke_job *out)
{
    int p;
    *out = *spec;
    for (p = 0; p < spec->kernel->param_count; p++) {
        yoke_arg *arg = &out->args[p];
        const yoke_param_mode mode = spec->kernel->params[p].mode;
        if (arg->array)
            arg->array = yk_array_of(arg->array, "a job's array");
        if (arg->mode != YOKE_PARAM_AS_KERNEL || mode == YOKE_PARAM_VALUE)
            continue; /* an array given for a value is an error, reported later */
        arg->mode = mode;
        if (mode == YOKE_PARAM_ADD)
            arg->shape = YOKE_WHOLE;
    }
}

yoke_status yk_job_open(yoke_runtime *runtime, const yoke_job *given, struct yk_job **out)
{
    yoke_job taken;
    const yoke_job *spec = &taken;
    struct asked asked;
    struct yk_job *job;
    yoke_status status = yk_job_check_layout(given);
    if (status == YOKE_OK) {
        take_args(given, &taken);
        status = yk_job_check(runtime, spec);
    }
    if (status != YOKE_OK)
        return status;
    asked.spec = spec;
    asked.name = spec->name ? spec->name : spec->kernel->name;
    asked.partitioner = runtime->checks     ? "dynamic" /* short chunks reveal more errors */
                        : spec->partitioner ? spec->partitioner
                                            : runtime->partitioner;
    asked.args = spec->kernel->param_count;
    asked.reduces = yk_reduces(spec->kernel);
    asked.devices = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    job = copy(runtime, &asked);
    if (!job)
        return YOKE_ENOMEM;
    job->runtime = runtime;
    yk_range_take(job, spec);
    status = yk_reduction_open(job, spec);
    if (status == YOKE_OK)
        status = yk_mutex_open(&job->lock);
    if (status != YOKE_OK) {
        yk_reduction_close(job);
        yk_free(job);
        return status;
    }
    fill(job, spec);
    yk_order_prepare(job);
    *out = job;
    return YOKE_OK;
}

void yk_job_close(struct yk_job *job)
{
    yk_workspace_close(job);
    yk_mutex_close(&job->lock);
    yk_order_close(job);
    yk_reduction_close(job);
    yk_free(job->split.lesson);
    yk_free(job->split.lines);
    yk_free(job->outcome.text);
    give_block(job->runtime, job);
}

void yk_job_hold(struct yk_job *job)
{
    atomic_fetch_add_explicit(&job->life.references, 1, memory_order_relaxed);
}

void yk_job_release(struct yk_job *job)
{
    if (atomic_fetch_sub(&job->life.references, 1) == 1)
        yk_job_close(job);
}

void yk_job_fail(struct yk_job *job, yoke_status status)
{
    const int asked = status == YOKE_ECANCELED || status == YOKE_ETIMEDOUT;
    int expected = YK_STOP_NOT;
    if (!atomic_compare_exchange_strong(&job->lanes.stop, &expected,
                                        asked ? YK_STOP_ASKED : YK_STOP_FAILED))
        return;
    job->outcome.status = status;
    job->outcome.text = yk_strdup(yoke_error_text());
}

int yk_job_is_stopped(struct yk_job *job)
{
    if (job->progress.deadline_ns && yk_now(job->runtime) > job->progress.deadline_ns)
        yk_job_fail(job, yk_fail(YOKE_ETIMEDOUT, "%s was not done before its deadline", job->name));
    return atomic_load(&job->lanes.stop);
}
