/* knowledge_keep.c - stores what this process learned, for later ones: when its runtime closes, and
 * from time to time before that, because a process can be killed (for example at a batch system's
 * time limit). Then a thread that has waited for a job stores it while no job runs, which takes
 * some milliseconds per minute. */
#include <string.h>

#include "../base/alloc.h"
#include "../job/kernel.h"
#include "../life/knowledge.h"
#include "../life/knowledge_state.h"
#include "../partition/partitioner.h"
#include "explain.h"

/* If jobs are under way when storing is due, it is tried again after this time, in ns. */
#define AGAIN_NS 100000000

/* The lessons that have not been stored yet. */
struct taught {
    struct yk_lesson *lessons;
    struct yk_store_entry *entries;
    int room, count;
};

static int is_new(const struct yk_memory *memory)
{
    return memory->jobs > memory->kept;
}

/* If two kernels are compared, a device's known speed is that of the faster one or, until that is
 * settled, of the better one so far. An unsettled speed is stored only if it is that of the job's
 * own kernel, because other processes will begin with that kernel, too. */
static void put_form(const struct yk_choice *choice, struct yk_lesson_device *device)
{
    const int found = yk_choice_found(choice);
    const struct yk_lesson_device was = *device;
    if (found >= 0) {
        device->form = found + 1;
    } else if (choice->best > 0) {
        *device = (struct yk_lesson_device){ .share = -1 };
        memcpy(device->name, was.name, sizeof was.name);
    }
}

static void put_forms(const yoke_runtime *runtime, const struct yk_memory *memory,
                      struct yk_lesson *lesson)
{
    int d;
    yk_lock(&memory->pair->lock);
    for (d = 0; d < lesson->device_count; d++)
        put_form(yk_pair_choice(memory->pair, memory->key, runtime->devices[d].number),
                 &lesson->devices[d]);
    yk_unlock(&memory->pair->lock);
}

/* Returns 1 if lines are not stored, because this process has stored lines of devices alone. Later
 * processes begin with those, and lines that were measured beside other devices must not replace
 * them. */
static int leaves_lines(const yoke_runtime *runtime, const struct yk_memory *memory)
{
    return runtime->knowledge->has_lines && yk_partitioner_takes_lines(memory->partitioner);
}

static int knows_any(const struct yk_lesson *lesson)
{
    int d, known = 0;
    for (d = 0; d < lesson->device_count; d++)
        known |= lesson->devices[d].rate > 0;
    return known;
}

/* Makes a lesson of a memory. Returns 1 if it is worth storing. */
static int teach(const yoke_runtime *runtime, struct yk_memory *memory, struct yk_lesson *out)
{
    const char *names[YK_PLACES];
    const struct yk_remembered from =
        yk_knowledge_remembered(runtime, runtime->knowledge->devices, memory, names);
    int d;
    *out = (struct yk_lesson){ .sizes = memory->sizes,
                               .origin = memory->adjust.changes > 0 ? YK_ORIGIN_ADJUSTED
                                                                    : YK_ORIGIN_TRAINED,
                               .confirmed = memory->jobs - memory->kept };
    if (!yk_recall_teach(&from, out))
        return 0;
    if (memory->pair)
        put_forms(runtime, memory, out);
    for (d = 0; leaves_lines(runtime, memory) && d < out->device_count; d++)
        out->devices[d].line = (struct yk_line){ 0, 0 };
    return knows_any(out);
}

static void collect_kernel(const yoke_runtime *runtime, struct yk_kernel *kernel,
                           struct taught *taught)
{
    const struct yk_knowledge *knowledge = runtime->knowledge;
    int i;
    for (i = 0; i < YK_MEMORIES && kernel->memories[i] && taught->count < taught->room; i++) {
        struct yk_memory *memory = kernel->memories[i];
        struct yk_lesson *lesson = &taught->lessons[taught->count];
        if (!is_new(memory) || !teach(runtime, memory, lesson))
            continue;
        memory->kept = memory->jobs;
        taught->entries[taught->count++] =
            (struct yk_store_entry){ .key = { .machine = knowledge->machine,
                                              .machine_text = knowledge->machine_text,
                                              .subject = memory->subject,
                                              .name = kernel->kernel.name,
                                              .subject_text =
                                                  kernel->kernel.file ? kernel->kernel.file : "",
                                              .partitioner = memory->partitioner },
                                     .lesson = lesson };
    }
}

static int count_new(const yoke_runtime *runtime)
{
    const struct yk_kernel *kernel;
    int i, count = 0;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        for (i = 0; i < YK_MEMORIES && kernel->memories[i]; i++)
            count += is_new(kernel->memories[i]);
    return count;
}

/* Collects the lessons that have not been stored yet. Collects none if the machine's fingerprint is
 * unknown, because no job has looked for a lesson, or devices were added after the last one that
 * did. With knowledge.lock held, and runtime.lock unless the runtime is closing. */
static void collect(const yoke_runtime *runtime, struct taught *taught)
{
    const struct yk_knowledge *knowledge = runtime->knowledge;
    struct yk_kernel *kernel;
    *taught = (struct taught){ 0 };
    if (!knowledge->machine_text || knowledge->devices != atomic_load(&runtime->device_count))
        return;
    taught->room = count_new(runtime);
    if (taught->room == 0)
        return;
    taught->lessons = yk_calloc((size_t)taught->room, sizeof *taught->lessons);
    taught->entries = yk_calloc((size_t)taught->room, sizeof *taught->entries);
    if (!taught->lessons || !taught->entries)
        return;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        collect_kernel(runtime, kernel, taught);
}

static void put(struct yk_knowledge *knowledge, struct taught *taught)
{
    if (taught->count > 0)
        yk_store_put_all(yk_knowledge_store(knowledge), taught->entries, taught->count);
    yk_free(taught->entries);
    yk_free(taught->lessons);
}

static void keep_story(struct yk_knowledge *knowledge, const yoke_runtime *runtime)
{
    char *text = knowledge->store ? yk_story_text(runtime, yk_story_print_run) : NULL;
    if (text && *text)
        yk_store_put_run(knowledge->store, text);
    yk_free(text);
}

void yk_knowledge_keep(const yoke_runtime *runtime)
{
    struct yk_knowledge *knowledge = runtime->knowledge;
    struct taught taught;
    if (!knowledge)
        return;
    collect(runtime, &taught);
    put(knowledge, &taught);
    keep_story(knowledge, runtime);
}

/* A thread that finds storing due sets keep_ns to INT64_MAX, so that no other thread stores. */
void yk_knowledge_keep_by_and_by(yoke_runtime *runtime, int64_t now)
{
    struct yk_knowledge *knowledge = runtime->knowledge;
    int64_t due;
    struct taught taught = { 0 };
    int idle;
    if (!knowledge || runtime->virtual_clock)
        return;
    due = atomic_load_explicit(&knowledge->keep_ns, memory_order_relaxed);
    if (now < due || !atomic_compare_exchange_strong(&knowledge->keep_ns, &due, INT64_MAX))
        return;
    yk_lock(&knowledge->lock);
    yk_lock(&runtime->lock);
    idle = runtime->running_count == 0 && !runtime->first_ready;
    if (idle)
        collect(runtime, &taught);
    yk_unlock(&runtime->lock);
    put(knowledge, &taught);
    yk_unlock(&knowledge->lock);
    atomic_store(&knowledge->keep_ns, now + (idle ? knowledge->interval_ns : AGAIN_NS));
}
