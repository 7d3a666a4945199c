/* knowledge.c - see knowledge.h. */
#include "knowledge.h"

#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/hash.h"
#include "../base/status.h"
#include "../model/store.h"
#include "../partition/recall.h"
#include "../platform/topology.h"
#include "explain.h"
#include "job.h"

enum { RECENT = 256, SUBJECT_TEXT = 256 };

struct yk_knowledge {
    char *path; /* NULL: as usual */
    int named;
    atomic_uint_fast64_t recent[RECENT]; /* kinds of jobs that were asked for; a hint */
    yk_mutex lock;                       /* the rest */
    struct yk_store *store;              /* opened by the first who asks */
    int tried;                           /* it was, or could not be */
    int devices;                         /* as many as the fingerprint tells of */
    uint64_t machine;
    char *machine_text;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? yk_hash(hash, text, strlen(text) + 1) : yk_hash(hash, "", 1);
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    return yk_hash(hash, &number, sizeof number);
}

/* --- which kind of job --- */

/* What runs, as far as one can tell from outside: of a function by hand its name and file. */
static uint64_t content_of(const yoke_kernel *kernel)
{
    uint64_t hash = hash_text(hash_text(yk_hash_start, kernel->name), kernel->file);
    int p;
    hash = hash_number(hash_number(hash, kernel->kind), kernel->lanes);
    hash = hash_number(hash_number(hash, kernel->unit), kernel->dimensions);
    for (p = 0; p < kernel->param_count; p++) {
        hash = hash_number(hash_text(hash, kernel->params[p].type), kernel->params[p].mode);
        hash = hash_number(hash, kernel->params[p].size);
    }
    return hash_text(hash_text(hash, kernel->opencl.source.text), kernel->cuda.source.text);
}

/* Weights come and go. */
static const char *asked_partitioner(const struct yk_job *job)
{
    if (job->weight >= 0)
        return "weight";
    return yk_job_splits_freely(job->partitioner) ? "" : job->partitioner;
}

/* What is the same for jobs of all sizes. */
static uint64_t subject_of(const struct yk_job *job, uint64_t content, const char *partitioner)
{
    uint64_t hash = hash_text(content, partitioner);
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        if (!arg->array)
            continue;
        hash = hash_number(hash_number(hash, arg->mode), arg->shape);
        hash = hash_number(hash_number(hash, arg->home), p);
    }
    return hash;
}

static void sizes_of(const struct yk_job *job, struct yk_sizes *out)
{
    int p, n = 0;
    out->at[n++] = (double)(job->last - job->first);
    out->at[n++] = (double)job->extent[0];
    out->at[n++] = (double)job->extent[1];
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].array) {
            out->at[n++] = (double)job->args[p].array->rows;
            out->at[n++] = (double)job->args[p].array->row_bytes;
        }
    out->count = n;
}

_Static_assert(YK_SIZES_MAX >= 3 + 2 * YOKE_ARGS_MAX, "all sizes of a job");
_Static_assert(YK_LESSON_DEVICES >= YK_PLACES - 1, "all devices of a runtime");

/* --- which machine --- */

static void put_machine(const yoke_runtime *runtime, int count, FILE *stream)
{
    struct yk_topology topology;
    int d;
    if (yk_topology_open(&topology) == YOKE_OK) {
        fprintf(stream, "%s, %d cores", topology.model, topology.core_count);
        yk_topology_close(&topology);
    }
    for (d = 0; d < count; d++) {
        const struct yk_device_desc *desc = &runtime->devices[d].device->desc;
        fprintf(stream, "; %s%s%s: %s%s%s, %d lanes", desc->name, desc->settings_text[0] ? ":" : "",
                desc->settings_text, desc->model, desc->driver[0] ? ", " : "", desc->driver,
                runtime->devices[d].lanes);
        if (desc->link_bytes_per_ns > 0)
            fprintf(stream, ", %lld MB/s", (long long)(desc->link_bytes_per_ns * 1e3));
    }
}

/* Devices that came since are part of it. 1 if there is a fingerprint. */
static int look_at_machine(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
{
    const int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    const size_t bytes = 512 + (size_t)count * 512;
    FILE *stream;
    if (knowledge->machine_text && knowledge->devices == count)
        return 1;
    yk_free(knowledge->machine_text);
    knowledge->machine_text = yk_calloc(bytes, 1);
    stream = knowledge->machine_text ? fmemopen(knowledge->machine_text, bytes, "w") : NULL;
    if (!stream)
        return 0;
    put_machine(runtime, count, stream);
    fclose(stream);
    knowledge->devices = count;
    knowledge->machine = hash_text(yk_hash_start, knowledge->machine_text);
    return 1;
}

/* --- asking --- */

yoke_status yk_knowledge_open(const char *path, struct yk_knowledge **out)
{
    struct yk_knowledge *knowledge;
    yoke_status status = YOKE_ENOMEM;
    *out = NULL;
    if (path && strcmp(path, "off") == 0)
        return YOKE_OK;
    knowledge = yk_calloc(1, sizeof *knowledge);
    if (!knowledge)
        return YOKE_ENOMEM;
    knowledge->named = path != NULL;
    knowledge->path = path ? yk_strdup(path) : NULL;
    if (!path || knowledge->path)
        status = yk_mutex_open(&knowledge->lock);
    if (status == YOKE_OK) {
        *out = knowledge;
        return YOKE_OK;
    }
    yk_free(knowledge->path);
    yk_free(knowledge);
    return status;
}

/* Knowledge's lock held. What keeps it from working it says itself, once. */
static struct yk_store *store_of(struct yk_knowledge *knowledge)
{
    const struct yk_store_spec spec = { .path = knowledge->path };
    if (!knowledge->tried && yk_store_open(&spec, &knowledge->store) != YOKE_OK)
        yk_log(YOKE_LOG_WARN, "nothing learned is read or kept: %s", yoke_error_text());
    knowledge->tried = 1;
    return knowledge->store;
}

static int is_kept(const struct yk_job *job)
{
    return yk_knowledge_keeps(job->runtime) && !job->pair && job->last > job->first;
}

/* Measured with these sizes, or at least with others. */
static int find(struct yk_knowledge *knowledge, const struct yk_job *job, uint64_t content,
                struct yk_lesson *out)
{
    struct yk_store *store = store_of(knowledge);
    struct yk_store_key own = { .machine = knowledge->machine }, autos = own;
    struct yk_sizes sizes = { 0 };
    const char *partitioner = asked_partitioner(job);
    if (!store)
        return 0;
    sizes_of(job, &sizes);
    own.subject = subject_of(job, content, partitioner);
    /* One that was asked for begins with what `auto` has learned. */
    autos.subject = subject_of(job, content, "");
    return yk_store_find(store, &own, &sizes, out) ||
           (*partitioner && yk_store_find(store, &autos, &sizes, out)) ||
           yk_store_derive(store, &own, &sizes, out) ||
           (*partitioner && yk_store_derive(store, &autos, &sizes, out));
}

void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel)
{
    struct yk_knowledge *knowledge = job->runtime->knowledge;
    uint64_t kind;
    if (!is_kept(job))
        return;
    kind = hash_number(job->key ^ (uint64_t)(uintptr_t)kernel,
                       atomic_load_explicit(&job->runtime->device_count, memory_order_acquire));
    if (atomic_exchange_explicit(&knowledge->recent[kind % RECENT], kind, memory_order_relaxed) ==
        kind)
        return;
    yk_lock(&knowledge->lock);
    job->lesson =
        look_at_machine(knowledge, job->runtime) ? yk_calloc(1, sizeof *job->lesson) : NULL;
    if (job->lesson && !find(knowledge, job, content_of(kernel), job->lesson)) {
        yk_free(job->lesson);
        job->lesson = NULL;
    }
    yk_unlock(&knowledge->lock);
}

/* --- memory and lessons --- */

static struct yk_remembered remembered(const yoke_runtime *runtime, int count,
                                       struct yk_memory *memory, const char **names)
{
    int d;
    for (d = 0; d < count; d++)
        names[d] = runtime->devices[d].device->desc.name;
    return (struct yk_remembered){ names, memory->device, &memory->team, count };
}

const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory)
{
    const char *names[YK_PLACES];
    struct yk_memory *mine, told;
    struct yk_remembered into;
    const int count = atomic_load_explicit(&job->runtime->device_count, memory_order_acquire);
    int d;
    if (!job->lesson)
        return memory;
    mine = yk_kernel_memorise(job->kernel, job->key);
    told = *mine;
    into = remembered(job->runtime, count, &told, names);
    yk_recall_learn(job->lesson, &into);
    for (d = 0; d < count; d++)
        if (!(mine->device[d].rate > 0))
            mine->device[d] = told.device[d];
    if (!memory)
        mine->team = told.team;
    mine->taught = job->lesson->confirmed;
    mine->derived = job->lesson->origin == YK_ORIGIN_DERIVED;
    yk_free(job->lesson);
    job->lesson = NULL;
    return mine;
}

void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory)
{
    struct yk_kernel *kernel = job->kernel;
    if (!is_kept(job) || memory->jobs++ > 0)
        return;
    if (!kernel->content)
        kernel->content = content_of(&kernel->kernel);
    memory->subject = subject_of(job, kernel->content, asked_partitioner(job));
    sizes_of(job, &memory->sizes);
}

/* --- keeping --- */

static void keep(struct yk_knowledge *knowledge, const yoke_runtime *runtime,
                 const struct yk_kernel *kernel, struct yk_memory *memory)
{
    const char *names[YK_PLACES];
    const struct yk_remembered from = remembered(runtime, knowledge->devices, memory, names);
    char text[SUBJECT_TEXT];
    struct yk_lesson lesson = { .sizes = memory->sizes,
                                .origin = memory->adjust.changes > 0 ? YK_ORIGIN_ADJUSTED
                                                                     : YK_ORIGIN_TRAINED,
                                .confirmed = memory->jobs };
    const struct yk_store_key key = { .machine = knowledge->machine,
                                      .machine_text = knowledge->machine_text,
                                      .subject = memory->subject,
                                      .name = kernel->kernel.name,
                                      .subject_text = text };
    snprintf(text, sizeof text, "%s", kernel->kernel.file ? kernel->kernel.file : "");
    if (yk_recall_teach(&from, &lesson))
        yk_store_put(store_of(knowledge), &key, &lesson, 1);
}

/* Where nobody asked for anything, or devices came after the last who did, nobody knows of which
 * machine it tells. */
static void keep_all(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
{
    const int count = atomic_load(&runtime->device_count);
    struct yk_kernel *kernel;
    int i;
    if (!knowledge->machine_text || knowledge->devices != count)
        return;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (i = 0; i < YK_MEMORIES; i++)
            if (kernel->memories[i].jobs > 0)
                keep(knowledge, runtime, kernel, &kernel->memories[i]);
}

static void keep_story(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
{
    char *text = knowledge->store ? yk_told_text(runtime, yk_told_print_run) : NULL;
    if (text && *text)
        yk_store_put_run(knowledge->store, text);
    yk_free(text);
}

void yk_knowledge_keep(const yoke_runtime *runtime)
{
    struct yk_knowledge *knowledge = runtime->knowledge;
    if (!knowledge)
        return;
    keep_all(knowledge, runtime);
    keep_story(knowledge, runtime);
}

int yk_knowledge_keeps(const yoke_runtime *runtime)
{
    return runtime->knowledge && (runtime->knowledge->named || !runtime->virtual_clock);
}

void yk_knowledge_close(struct yk_knowledge *knowledge)
{
    if (!knowledge)
        return;
    yk_store_close(knowledge->store);
    yk_mutex_close(&knowledge->lock);
    yk_free(knowledge->machine_text);
    yk_free(knowledge->path);
    yk_free(knowledge);
}
