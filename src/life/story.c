/* story.c - see story.h: keeps what the latest job of each kernel did. */

#include "story.h"

#include <stdio.h>

#include "../base/alloc.h"
#include "../job/kernel.h"
#include "../job/workspace.h"
#include "remembered.h"
#include "result.h"

/* All jobs that take longer than this are kept. */
enum { LONG_NS = 1000000 };

/* Drops the kept job, and returns it if the caller must release it after unlocking runtime.lock. */
static struct yk_job *let_go(struct yk_story *story)
{
    struct yk_job *job = story ? story->from : NULL;
    if (!job)
        return NULL;
    story->from = NULL;
    return yk_job_look_away_locked(job) ? job : NULL;
}

void yk_story_forget(const yoke_runtime *runtime)
{
    struct yk_kernel *kernel;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (kernel->story && kernel->story->from) {
            yk_job_look_away(kernel->story->from);
            kernel->story->from = NULL;
        }
}

static int is_wanted(const struct yk_job *job, uint64_t jobs)
{
    return job->outcome.ended_ns - yk_job_since(job) >= LONG_NS || (jobs & (jobs - 1)) == 0;
}

static struct yk_story *story_of(struct yk_kernel *kernel, int devices)
{
    struct yk_story *story = kernel->story;
    if (story && story->room >= devices)
        return story;
    yk_free(story);
    story = yk_calloc(1, sizeof *story + (size_t)devices * sizeof *story->devices);
    if (story)
        story->room = devices;
    kernel->story = story;
    return story;
}

static void note_device(const struct yk_job *job, int d, const struct yk_account *account,
                        struct yk_story_device *out)
{
    const struct yk_device_desc *desc = &job->devices[d].device->device->desc;
    const struct yk_split_outcome *outcome = &job->devices[d].outcome;
    char text[YK_REASON_TEXT];
    const char *reason = yk_job_reason(job, d, text);
    out->items = outcome->items;
    out->chunks = outcome->chunks;
    out->busy_ns = (double)outcome->busy_ns;
    out->link_bytes_per_ns = desc->link_bytes_per_ns;
    out->account = *account;
    snprintf(out->name, sizeof out->name, "%s", desc->name);
    snprintf(out->reason, sizeof out->reason, "%s", reason ? reason : "");
}

static void work_out(const struct yk_job *job, struct yk_story *story)
{
    struct yk_account accounts[YK_PLACES];
    char text[YK_PARTITIONER_TEXT];
    int d;
    story->device_count = 0;
    if (yk_job_account(job, accounts) != YOKE_OK)
        return;
    story->items = job->last - job->first;
    story->ns = job->outcome.ended_ns - yk_job_since(job);
    story->device_count = job->device_count;
    snprintf(story->job, sizeof story->job, "%s", job->name);
    snprintf(story->partitioner, sizeof story->partitioner, "%s",
             yk_job_partitioner_text(job, text));
    story->of_jobs = 0;
    for (d = 0; d < job->device_count; d++) {
        note_device(job, d, &accounts[d], &story->devices[d]);
        story->of_jobs |= accounts[d].of_jobs;
    }
}

struct yk_job *yk_story_note(struct yk_job *job)
{
    struct yk_kernel *kernel = job->kernel;
    const struct yk_memory *memory;
    struct yk_story *story;
    struct yk_job *before;
    if (!is_wanted(job, ++kernel->jobs))
        return NULL;
    before = let_go(kernel->story);
    story = story_of(kernel, job->device_count);
    if (!story)
        return before;
    memory = yk_kernel_recall(kernel, job->split.key);
    story->jobs = kernel->jobs;
    story->known_jobs = memory ? memory->taught : 0;
    story->derived = memory && memory->derived;
    story->tuned = memory && memory->tuned;
    if (yk_workspace_is_large(job->workspace)) {
        work_out(job, story);
    } else {
        story->from = job;
        yk_job_look(job);
    }
    return before;
}

void yk_story_work_out(const yoke_runtime *runtime)
{
    const struct yk_kernel *kernel;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (kernel->story && kernel->story->from)
            work_out(kernel->story->from, kernel->story);
    yk_story_forget(runtime);
}
