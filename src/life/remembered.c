/* remembered.c - what a job begins with if its partitioner splits by lessons of earlier jobs.
 *
 * Jobs of such a partitioner have their own memory, because the partitioner uses devices
 * differently from `auto`. The memory begins as a copy of what `auto` learned about the same range
 * and shapes. If that is not enough, `auto` splits the job. It also does so while rows of a GPU are
 * not pinned (pin_ahead.c). Then the job counts as one of `auto`, and the partitioner's own memory
 * is neither changed nor begun, because its speeds would be those without pinned memory.
 */

#include "remembered.h"

#include <stdio.h>
#include <string.h>

#include "../job/kernel.h"
#include "../partition/partitioner.h"
#include "knowledge.h"

static int suffices(const struct yk_memory *memory, int device_count)
{
    return memory && yk_learned_suffices(memory->device, device_count);
}

/* Returns the memory of jobs with that key, which begins with what `from` knows about devices.
 * `from` was used last, so it is not the oldest and is not replaced. */
static struct yk_memory *begin_from(struct yk_job *job, uint64_t key, const struct yk_memory *from)
{
    struct yk_memory *begun = yk_kernel_memorise(job->kernel, key);
    memcpy(begun->device, from->device, sizeof begun->device);
    begun->taught = from->taught;
    begun->derived = from->derived;
    begun->tuned = from->tuned;
    return begun;
}

static void leave_to_auto(struct yk_job *job)
{
    job->split.asked_for = job->split.partitioner;
    job->split.partitioner = NULL;
    job->split.key = job->split.free_key;
}

const struct yk_memory *yk_job_recall(struct yk_job *job, int device_count)
{
    const struct yk_memory *own =
        yk_knowledge_take(job, yk_kernel_recall(job->kernel, job->split.key));
    const struct yk_memory *free;
    if (!yk_partitioner_needs_lessons(job->split.partitioner) || suffices(own, device_count))
        return own;
    free = yk_kernel_recall(job->kernel, job->split.free_key);
    if (suffices(free, device_count))
        return free;
    leave_to_auto(job);
    return !free && own ? begin_from(job, job->split.key, own) : free;
}

const struct yk_memory *yk_job_yield(struct yk_job *job, const struct yk_memory *memory)
{
    const struct yk_memory *free = yk_kernel_recall(job->kernel, job->split.free_key);
    leave_to_auto(job);
    job->split.until_pinned = 1;
    return free ? free : begin_from(job, job->split.key, memory);
}

void yk_job_keep_apart(struct yk_job *job, const struct yk_memory *memory)
{
    if (yk_partitioner_needs_lessons(job->split.partitioner) && memory &&
        memory->key != job->split.key)
        begin_from(job, job->split.key, memory);
}

const char *yk_job_partitioner_text(const struct yk_job *job, char text[YK_PARTITIONER_TEXT])
{
    const char *name = job->split.partitioner ? job->split.partitioner : yk_partitioners[0]->name;
    if (!job->split.asked_for)
        return name;
    snprintf(text, YK_PARTITIONER_TEXT,
             job->split.until_pinned ? "%s (until memory is pinned: %s)" : "%s (teaches %s)", name,
             job->split.asked_for);
    return text;
}
