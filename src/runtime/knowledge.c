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
#include "subject.h"

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
    knowledge->machine = yk_hash_text(yk_hash_start, knowledge->machine_text);
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
    const char *partitioner = yk_subject_partitioner(job);
    if (!store)
        return 0;
    yk_subject_sizes(job, &sizes);
    own.subject = yk_subject_of(job, content, partitioner);
    /* One that was asked for begins with what `auto` has learned. */
    autos.subject = yk_subject_of(job, content, "");
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
    kind = yk_hash_number(job->key ^ (uint64_t)(uintptr_t)kernel,
                          atomic_load_explicit(&job->runtime->device_count, memory_order_acquire));
    if (atomic_exchange_explicit(&knowledge->recent[kind % RECENT], kind, memory_order_relaxed) ==
        kind)
        return;
    yk_lock(&knowledge->lock);
    job->lesson =
        look_at_machine(knowledge, job->runtime) ? yk_calloc(1, sizeof *job->lesson) : NULL;
    if (job->lesson && !find(knowledge, job, yk_subject_content(kernel), job->lesson)) {
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
        kernel->content = yk_subject_content(&kernel->kernel);
    memory->subject = yk_subject_of(job, kernel->content, yk_subject_partitioner(job));
    yk_subject_sizes(job, &memory->sizes);
}

/* --- keeping --- */

/* What one kernel taught; large. */
struct taught {
    struct yk_lesson lessons[YK_MEMORIES];
    struct yk_store_entry entries[YK_MEMORIES];
    char text[SUBJECT_TEXT];
};

static int teach(const yoke_runtime *runtime, struct yk_memory *memory, struct yk_lesson *out)
{
    const char *names[YK_PLACES];
    const struct yk_remembered from =
        remembered(runtime, runtime->knowledge->devices, memory, names);
    *out = (struct yk_lesson){ .sizes = memory->sizes,
                               .origin = memory->adjust.changes > 0 ? YK_ORIGIN_ADJUSTED
                                                                    : YK_ORIGIN_TRAINED,
                               .confirmed = memory->jobs };
    return yk_recall_teach(&from, out);
}

static void keep(const yoke_runtime *runtime, struct yk_kernel *kernel, struct taught *taught)
{
    struct yk_knowledge *knowledge = runtime->knowledge;
    int i, count = 0;
    snprintf(taught->text, sizeof taught->text, "%s",
             kernel->kernel.file ? kernel->kernel.file : "");
    for (i = 0; i < YK_MEMORIES; i++) {
        struct yk_memory *memory = &kernel->memories[i];
        struct yk_lesson *lesson = &taught->lessons[count];
        if (memory->jobs > 0 && teach(runtime, memory, lesson))
            taught->entries[count++] =
                (struct yk_store_entry){ .key = { .machine = knowledge->machine,
                                                  .machine_text = knowledge->machine_text,
                                                  .subject = memory->subject,
                                                  .name = kernel->kernel.name,
                                                  .subject_text = taught->text },
                                         .lesson = lesson };
    }
    if (count > 0)
        yk_store_put_all(store_of(knowledge), taught->entries, count);
}

/* Where nobody asked for anything, or devices came after the last who did, nobody knows of which
 * machine it tells. */
static void keep_all(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
{
    const int count = atomic_load(&runtime->device_count);
    struct yk_kernel *kernel;
    struct taught *taught;
    if (!knowledge->machine_text || knowledge->devices != count)
        return;
    taught = yk_calloc(1, sizeof *taught);
    for (kernel = runtime->kernels.first; taught && kernel; kernel = kernel->next)
        keep(runtime, kernel, taught);
    yk_free(taught);
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
