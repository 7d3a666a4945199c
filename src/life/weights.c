/* weights.c - the CPU weight of jobs: which setting applies to a job, and how a job's end changes
 * it. model/weight.c does the computing. Everything here needs runtime.lock held, unless its header
 * says otherwise. */

#include "weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/option.h"
#include "../base/status.h"
#include "../job/entry.h"
#include "../job/kernel.h"

enum { CHUNKS_MOST = 1000000 };

/* Jobs split by a weight have their own memory, like those of any requested partitioner. All
 * weights share one memory, because weights change often. */
#define WEIGHTED_KEY 0x5bd1e995a7c3f2d1u

struct settings {
    char *weight;
    int policy;
};

static const char *const policy_names[] = { "none", "paper", "rate", NULL };
static yoke_weight_fn *const policies[] = { NULL, yoke_weight_paper, yoke_weight_rate };

static const struct yk_option options[] = {
    { "cpu-weight", "YOKE_CPU_WEIGHT", NULL, "the cores' share of a range, 0 to 1", YK_OPTION_TEXT,
      offsetof(struct settings, weight), NULL },
    { "weight-policy", "YOKE_WEIGHT_POLICY", "none", "the rule that adjusts it after each job",
      YK_OPTION_CHOICE, offsetof(struct settings, policy), policy_names },
    { .name = NULL },
};

static yoke_status read_weight(const char *text, double *out)
{
    double weight;
    if (!text)
        return YOKE_OK;
    if (yk_option_number(YK_OPTION_REAL, text, &weight) != YOKE_OK || !yk_weight_is_valid(weight))
        return yk_fail(YOKE_EINVAL, "YOKE_CPU_WEIGHT=%s is no weight; give a number from 0 to 1",
                       text);
    *out = weight;
    return YOKE_OK;
}

/* A weight in the environment is always read, so that an error is reported. It is not used if the
 * program names a partitioner. */
yoke_status yk_runtime_open_weight(yoke_runtime *runtime, const yoke_config *config)
{
    struct settings settings;
    double weight = -1;
    yoke_status status = yk_options_default(options, &settings);
    yk_weight_open(&runtime->weight);
    if (status != YOKE_OK)
        return status;
    status = read_weight(settings.weight, &weight);
    if (!config || !config->partitioner)
        runtime->weight.given = weight;
    runtime->weight.policy = policies[settings.policy];
    atomic_store(&runtime->weighs, runtime->weight.given >= 0);
    yk_options_clear(options, &settings);
    return status;
}

/* --- a job --- */

int yk_job_may_be_weighed(const yoke_runtime *runtime, const yoke_job *spec)
{
    return !spec->partitioner && atomic_load_explicit(&runtime->weighs, memory_order_relaxed);
}

/* Writes a number from 0 to 1 with a decimal point in every locale. */
static void write_part(double part, char text[16])
{
    const int billionths = (int)lround(part * 1e9);
    size_t length;
    snprintf(text, 16, "%d.%09d", billionths / 1000000000, billionths % 1000000000);
    for (length = strlen(text); text[length - 1] == '0' && text[length - 2] != '.'; length--)
        text[length - 1] = '\0';
}

static int write_chunks(char *text, size_t room, const char *key, int chunks)
{
    return chunks > 0 ? snprintf(text, room, ",%s=%d", key, chunks) : 0;
}

/* Writes the weight as a text for the partitioner `weight`. */
static void write_weight(struct yk_job *job)
{
    const struct yk_weight *own = &job->kernel->weight, *all = &job->runtime->weight;
    const size_t room = sizeof job->split.weight_text;
    char part[16], *text = job->split.weight_text;
    size_t used;
    job->split.weight = yk_weight_now(own, all);
    write_part(job->split.weight, part);
    used = (size_t)snprintf(text, room, "weight:cpu=%s", part);
    used += (size_t)write_chunks(text + used, room - used, "cpu-chunks",
                                 yk_weight_cpu_chunks(own, all));
    write_chunks(text + used, room - used, "gpu-chunks", yk_weight_gpu_chunks(own, all));
    job->split.partitioner = text;
}

void yk_job_weigh(struct yk_job *job)
{
    if (job->split.names_partitioner ||
        yk_weight_now(&job->kernel->weight, &job->runtime->weight) < 0)
        return;
    write_weight(job);
    job->split.key ^= WEIGHTED_KEY;
}

void yk_job_weigh_again(struct yk_job *job)
{
    if (job->split.weight >= 0 && yk_weight_moves(&job->kernel->weight, &job->runtime->weight))
        write_weight(job);
}

/* Sets items and end times of CPUs and of GPUs. Returns 1 if both took part to the end. */
static int done_by(const struct yk_job *job, struct yk_weight_job *out)
{
    int d, cpus = 0, gpus = 0;
    *out = (struct yk_weight_job){ .weight = job->split.weight,
                                   .begun_ns = job->outcome.submitted_ns };
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        const int cpu = jd->device->device->desc.host_memory;
        int64_t *ended = cpu ? &out->cpu_ended_ns : &out->gpu_ended_ns;
        if (jd->outcome.items > 0 && jd->outcome.ended_ns > *ended)
            *ended = jd->outcome.ended_ns;
        *(cpu ? &out->cpu_items : &out->gpu_items) += jd->outcome.items;
        *(cpu ? &cpus : &gpus) += !jd->failed && !jd->retired;
    }
    return cpus > 0 && gpus > 0;
}

void yk_job_weigh_begun(struct yk_job *job)
{
    yk_weight_begin(&job->kernel->weight.run);
}

void yk_job_note_times(struct yk_job *job)
{
    struct yk_weight_job did;
    if (!done_by(job, &did))
        did.weight = -1;
    yk_weight_tell(&job->kernel->weight.run, &did);
}

void yk_job_weigh_ended(struct yk_job *job)
{
    struct yk_weight *own = &job->kernel->weight, *all = &job->runtime->weight;
    int tells;
    if (!yk_weight_end(&own->run) || own->run.told == 0)
        return;
    tells = yk_weight_times(&own->run, &own->times);
    all->times = own->times;
    if (tells)
        yk_weight_adapt(own, all, own->run.weight, &own->times);
}

/* --- public functions --- */

static yoke_status check(const yoke_runtime *runtime, const yoke_kernel *kernel, const char *call)
{
    if (yk_runtime_check(runtime, call) != YOKE_OK)
        return YOKE_EINVAL;
    if (kernel && (kernel->struct_size != sizeof *kernel || !kernel->name))
        return yk_fail(YOKE_EINVAL, "%s: the kernel is not filled in; define it with YOKE_KERNEL",
                       call);
    return YOKE_OK;
}

/* Sets *out to the settings of the kernel, or of all kernels (NULL). */
static yoke_status place_of(yoke_runtime *runtime, const yoke_kernel *kernel,
                            struct yk_weight **out)
{
    struct yk_kernel *known;
    yoke_status status = YOKE_OK;
    *out = &runtime->weight;
    if (!kernel)
        return YOKE_OK;
    status = yk_kernel_intern(&runtime->kernels, kernel, &known);
    if (status == YOKE_OK)
        *out = &known->weight;
    return status;
}

/* Sets the weight of the kernel, or of all kernels (NULL); given < 0: no weight. */
static yoke_status put_weight(yoke_runtime *runtime, const yoke_kernel *kernel, double given)
{
    struct yk_weight *weight;
    struct yk_kernel *known;
    yoke_status status;
    yk_lock(&runtime->lock);
    status = place_of(runtime, kernel, &weight);
    if (status == YOKE_OK) {
        weight->given = given;
        weight->moved = -1;
        for (known = kernel ? NULL : runtime->kernels.first; known; known = known->next)
            known->weight.moved = -1;
        if (given >= 0)
            atomic_store(&runtime->weighs, 1);
    }
    yk_unlock(&runtime->lock);
    return status;
}

yoke_status yoke_set_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel, double weight)
{
    yoke_status status = check(runtime, kernel, "yoke_set_cpu_weight");
    if (status == YOKE_OK && !yk_weight_is_valid(weight))
        status = yk_fail(YOKE_EINVAL, "yoke_set_cpu_weight: %g is no weight; give 0 to 1", weight);
    return status == YOKE_OK ? put_weight(runtime, kernel, weight) : status;
}

yoke_status yoke_clear_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel)
{
    yoke_status status = check(runtime, kernel, "yoke_clear_cpu_weight");
    return status == YOKE_OK ? put_weight(runtime, kernel, -1) : status;
}

yoke_status yoke_set_weight_chunks(yoke_runtime *runtime, const yoke_kernel *kernel, int cpu,
                                   int gpu)
{
    struct yk_weight *weight;
    yoke_status status = check(runtime, kernel, "yoke_set_weight_chunks");
    if (status == YOKE_OK && (cpu < 0 || gpu < 0 || cpu > CHUNKS_MOST || gpu > CHUNKS_MOST))
        status = yk_fail(YOKE_EINVAL, "yoke_set_weight_chunks: %d and %d; give 0 to %d", cpu, gpu,
                         (int)CHUNKS_MOST);
    if (status != YOKE_OK)
        return status;
    yk_lock(&runtime->lock);
    status = place_of(runtime, kernel, &weight);
    if (status == YOKE_OK) {
        weight->cpu_chunks = cpu;
        weight->gpu_chunks = gpu;
    }
    yk_unlock(&runtime->lock);
    return status;
}

yoke_status yoke_set_weight_policy(yoke_runtime *runtime, const yoke_kernel *kernel,
                                   yoke_weight_fn *policy, void *context)
{
    struct yk_weight *weight;
    yoke_status status = check(runtime, kernel, "yoke_set_weight_policy");
    if (status != YOKE_OK)
        return status;
    yk_lock(&runtime->lock);
    status = place_of(runtime, kernel, &weight);
    if (status == YOKE_OK) {
        weight->has_policy = 1;
        weight->policy = policy;
        weight->context = context;
    }
    yk_unlock(&runtime->lock);
    return status;
}

yoke_status yoke_get_cpu_weight(yoke_runtime *runtime, const yoke_kernel *kernel, double *out)
{
    struct yk_weight *own;
    yoke_status status = check(runtime, kernel, "yoke_get_cpu_weight");
    if (status == YOKE_OK && !out)
        status = yk_fail(YOKE_EINVAL, "yoke_get_cpu_weight: out is NULL");
    if (status != YOKE_OK)
        return status;
    yk_lock(&runtime->lock);
    status = place_of(runtime, kernel, &own);
    if (status == YOKE_OK)
        *out = yk_weight_now(own, &runtime->weight);
    yk_unlock(&runtime->lock);
    return status;
}

yoke_status yoke_last_times(yoke_runtime *runtime, const yoke_kernel *kernel, yoke_times *out)
{
    struct yk_weight *weight;
    yoke_status status = check(runtime, kernel, "yoke_last_times");
    if (status == YOKE_OK && !out)
        status = yk_fail(YOKE_EINVAL, "yoke_last_times: out is NULL");
    if (status != YOKE_OK)
        return status;
    yk_lock(&runtime->lock);
    status = place_of(runtime, kernel, &weight);
    if (status == YOKE_OK)
        *out = weight->times;
    yk_unlock(&runtime->lock);
    return status;
}

double yoke_weight_paper(void *context, double weight, const yoke_times *times)
{
    (void)context;
    return yk_weight_paper(weight, times);
}

double yoke_weight_rate(void *context, double weight, const yoke_times *times)
{
    (void)context;
    return yk_weight_rate(weight, times);
}
