/* knowledge.c - see knowledge.h: asks the knowledge base before a job begins, and copies its
 * answers to memories. */

#include "knowledge.h"

#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/hash.h"
#include "../base/option.h"
#include "../base/status.h"
#include "../job/kernel.h"
#include "../partition/partitioner.h"
#include "../platform/clock.h"
#include "../platform/topology.h"
#include "job_kind.h"
#include "knowledge_state.h"

/* Time between two storings. A process that is killed loses at most what it learned in it. */
#define INTERVAL_NS 60000000000

_Static_assert(YK_LESSON_DEVICES >= YK_PLACES - 1, "all devices of a runtime");

/* --- the machine's fingerprint --- */

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

int yk_knowledge_look(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
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
    yoke_status status;
    *out = NULL;
    if (yk_option_is(path, "off"))
        return YOKE_OK;
    status = yk_store_check(&(struct yk_store_spec){ .path = path });
    if (status != YOKE_OK)
        return status;
    knowledge = yk_calloc(1, sizeof *knowledge);
    if (!knowledge)
        return YOKE_ENOMEM;
    knowledge->named = path && !yk_option_is(path, "on");
    knowledge->interval_ns = INTERVAL_NS;
    atomic_init(&knowledge->keep_ns, yk_clock_ns() + INTERVAL_NS);
    knowledge->path = path ? yk_strdup(path) : NULL;
    status = !path || knowledge->path ? yk_mutex_open(&knowledge->lock) : YOKE_ENOMEM;
    if (status == YOKE_OK) {
        *out = knowledge;
        return YOKE_OK;
    }
    yk_free(knowledge->path);
    yk_free(knowledge);
    return status;
}

struct yk_store *yk_knowledge_store(struct yk_knowledge *knowledge)
{
    const struct yk_store_spec spec = { .path = knowledge->path };
    if (!knowledge->tried && yk_store_open(&spec, &knowledge->store) != YOKE_OK)
        yk_log(YOKE_LOG_WARN, "nothing learned is read or kept: %s", yoke_error_text());
    knowledge->tried = 1;
    return knowledge->store;
}

void yk_knowledge_get_ready(const yoke_runtime *runtime)
{
    struct yk_knowledge *knowledge = runtime->knowledge;
    if (!yk_knowledge_keeps(runtime))
        return;
    yk_lock(&knowledge->lock);
    yk_knowledge_look(knowledge, runtime);
    if (yk_knowledge_store(knowledge))
        yk_store_warm(knowledge->store);
    yk_unlock(&knowledge->lock);
}

static int is_kept(const struct yk_job *job)
{
    return yk_knowledge_keeps(job->runtime) && job->last > job->first;
}

struct yk_store_key yk_knowledge_alone(const struct yk_knowledge *knowledge,
                                       const struct yk_job *job, uint64_t content)
{
    static const char name[] = "linear (tuned)"; /* no partitioner can have this name */
    return (struct yk_store_key){ .machine = knowledge->machine,
                                  .machine_text = knowledge->machine_text,
                                  .subject = yk_job_kind_of(job, content, name),
                                  .partitioner = name };
}

uint64_t yk_knowledge_content(const yoke_kernel *kernel, const yoke_kernel *alternative)
{
    const uint64_t content = yk_job_kind_content(kernel);
    return alternative ? yk_job_kind_of_two(content, yk_job_kind_content(alternative)) : content;
}

/* What was found for a job: lessons for these sizes, or derived from other sizes. */
struct found {
    struct yk_store *store;
    struct yk_sizes sizes;
    enum { NOTHING, DERIVED, FROM_AUTO, OWN } source;
    struct yk_lesson *lesson, *alone; /* memory for the lessons; alone NULL: not wanted */
};

static void find_lesson(const struct yk_knowledge *knowledge, const struct yk_job *job,
                        uint64_t content, struct found *out)
{
    struct yk_store_key own = { .machine = knowledge->machine }, autos = own;
    const char *partitioner = yk_job_kind_partitioner(job);
    own.subject = yk_job_kind_of(job, content, partitioner);
    /* A requested partitioner begins with what `auto` has learned. */
    autos.subject = yk_job_kind_of(job, content, "");
    if (yk_store_find(out->store, &own, &out->sizes, out->lesson))
        out->source = OWN;
    else if (*partitioner && yk_store_find(out->store, &autos, &out->sizes, out->lesson))
        out->source = FROM_AUTO;
    else if (yk_store_derive(out->store, &own, &out->sizes, out->lesson) ||
             (*partitioner && yk_store_derive(out->store, &autos, &out->sizes, out->lesson)))
        out->source = DERIVED;
}

/* Finds lines of each device alone. They replace the lesson's lines, which were measured beside
 * other devices, unless these are of the partitioner's own jobs of these sizes and newer. Returns 1
 * if it found some. */
static int find_alone(const struct yk_knowledge *knowledge, const struct yk_job *job,
                      uint64_t content, struct found *out)
{
    const struct yk_store_key key = yk_knowledge_alone(knowledge, job, content);
    int d;
    if (!yk_store_find(out->store, &key, &out->sizes, out->alone) &&
        (out->source >= FROM_AUTO || !yk_store_derive(out->store, &key, &out->sizes, out->alone)))
        return 0;
    if (out->source == OWN && out->lesson->seen > out->alone->seen)
        return 1;
    for (d = 0; out->source != NOTHING && d < out->lesson->device_count; d++)
        out->lesson->devices[d].line.item_ns = 0;
    return 1;
}

static struct yk_lesson *kept_if(int found, struct yk_lesson *lesson)
{
    if (found)
        return lesson;
    yk_free(lesson);
    return NULL;
}

/* Sets job->split.lesson and job->split.lines to what it finds; NULL: nothing, or no memory. */
static void find(struct yk_knowledge *knowledge, struct yk_job *job, uint64_t content)
{
    struct found found = { .store = yk_knowledge_store(knowledge) };
    const int takes_lines = yk_partitioner_takes_lines(job->split.partitioner);
    int has_lines = 0;
    if (!found.store)
        return;
    yk_job_kind_sizes(job, &found.sizes);
    found.lesson = yk_calloc(1, sizeof *found.lesson);
    found.alone = takes_lines ? yk_calloc(1, sizeof *found.alone) : NULL;
    if (found.lesson)
        find_lesson(knowledge, job, content, &found);
    if (found.lesson && found.alone)
        has_lines = find_alone(knowledge, job, content, &found);
    job->split.lesson = kept_if(found.source != NOTHING, found.lesson);
    job->split.lines = kept_if(has_lines, found.alone);
}

void yk_knowledge_ask(struct yk_job *job, const yoke_kernel *kernel, const yoke_kernel *alternative)
{
    struct yk_knowledge *knowledge = job->runtime->knowledge;
    uint64_t kind;
    if (!is_kept(job))
        return;
    kind = yk_hash_number(job->split.key ^ (uint64_t)(uintptr_t)kernel,
                          (int64_t)(uintptr_t)alternative);
    kind = yk_hash_number(kind,
                          atomic_load_explicit(&job->runtime->device_count, memory_order_acquire));
    if (atomic_exchange_explicit(&knowledge->recent[kind % YK_KNOWLEDGE_RECENT], kind,
                                 memory_order_relaxed) == kind)
        return;
    yk_lock(&knowledge->lock);
    if (yk_knowledge_look(knowledge, job->runtime))
        find(knowledge, job, yk_knowledge_content(kernel, alternative));
    yk_unlock(&knowledge->lock);
}

/* --- memory and lessons --- */

struct yk_remembered yk_knowledge_remembered(const yoke_runtime *runtime, int count,
                                             struct yk_memory *memory, const char **names)
{
    int d;
    for (d = 0; d < count; d++)
        names[d] = runtime->devices[d].device->desc.name;
    return (struct yk_remembered){ names,         memory->device, memory->cost,
                                   &memory->team, &memory->stays, count };
}

static int form_of(const struct yk_lesson *lesson, const char *name)
{
    int i;
    for (i = 0; lesson && i < lesson->device_count; i++)
        if (strcmp(lesson->devices[i].name, name) == 0)
            return lesson->devices[i].form;
    return 0;
}

/* Returns 1 if the lesson's speed of a device is that of the kernel which the device will use: the
 * faster one or, if that was not settled, the job's own. With runtime.lock held. */
static int fits(struct yk_job *job, int device, const char *name)
{
    const int form = form_of(job->split.lesson, name);
    struct yk_choice *choice;
    int best;
    if (!job->pair)
        return form == 0;
    yk_lock(&job->pair->lock);
    choice = yk_pair_choice(job->pair, job->split.key, device);
    if (form > 0)
        yk_choice_recall(choice, form - 1);
    best = choice->best < 0 ? 0 : choice->best;
    yk_unlock(&job->pair->lock);
    return best == (form > 0 ? form - 1 : 0);
}

const struct yk_memory *yk_knowledge_take(struct yk_job *job, const struct yk_memory *memory)
{
    const char *names[YK_PLACES];
    struct yk_memory *mine, told;
    struct yk_remembered into;
    const int count = atomic_load_explicit(&job->runtime->device_count, memory_order_acquire);
    int d;
    if (!job->split.lesson && !job->split.lines)
        return memory;
    mine = yk_kernel_memorise(job->kernel, job->split.key);
    told = *mine;
    into = yk_knowledge_remembered(job->runtime, count, &told, names);
    if (job->split.lesson)
        yk_recall_learn(job->split.lesson, &into);
    if (job->split.lines)
        yk_recall_learn_alone(job->split.lines, &into);
    for (d = 0; d < count; d++) {
        if (!(mine->device[d].rate > 0) && fits(job, d, names[d]))
            mine->device[d] = told.device[d];
        if (!job->pair && !yk_cost_is_known(&mine->cost[d]))
            mine->cost[d] = told.cost[d];
        mine->tuned |= mine->device[d].tuned;
    }
    if (!memory)
        mine->team = told.team;
    if (job->split.lesson) {
        mine->stays = told.stays;
        mine->stays_of = count;
    }
    mine->taught = job->split.lesson ? job->split.lesson->confirmed : 0;
    mine->derived = job->split.lesson && job->split.lesson->origin == YK_ORIGIN_DERIVED;
    yk_free(job->split.lesson);
    yk_free(job->split.lines);
    job->split.lesson = job->split.lines = NULL;
    return mine;
}

static uint64_t content_of_job(const struct yk_job *job)
{
    struct yk_kernel *kernel = job->kernel, *other = job->pair ? job->pair->alternative : NULL;
    if (!kernel->content)
        kernel->content = yk_job_kind_content(&kernel->kernel);
    if (other && !other->content)
        other->content = yk_job_kind_content(&other->kernel);
    return other ? yk_job_kind_of_two(kernel->content, other->content) : kernel->content;
}

void yk_knowledge_note(const struct yk_job *job, struct yk_memory *memory)
{
    const char *partitioner = yk_job_kind_partitioner(job);
    if (!is_kept(job) || memory->jobs++ > 0)
        return;
    memory->pair = job->pair;
    memory->subject = yk_job_kind_of(job, content_of_job(job), partitioner);
    snprintf(memory->partitioner, sizeof memory->partitioner, "%s",
             *partitioner ? partitioner : yk_partitioners[0]->name);
    yk_job_kind_sizes(job, &memory->sizes);
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
