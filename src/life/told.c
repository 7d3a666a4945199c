/* told.c - see told.h: keeps what the latest job of each kernel did. */

#include "told.h"

#include <stdio.h>

#include "../base/alloc.h"
#include "../job/crew.h"
#include "../job/kernel.h"
#include "lessons.h"
#include "result.h"

/* Jobs that take longer are all kept. */
enum { LONG_NS = 1000000 };

/* Returns the kept job if the caller must release it, without the lock. With runtime.lock held. */
static struct yk_job *let_go(struct yk_told *told)
{
    struct yk_job *job = told ? told->from : NULL;
    if (!job)
        return NULL;
    told->from = NULL;
    return yk_job_look_away_locked(job) ? job : NULL;
}

void yk_told_forget(const yoke_runtime *runtime)
{
    struct yk_kernel *kernel;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (kernel->told && kernel->told->from) {
            yk_job_look_away(kernel->told->from);
            kernel->told->from = NULL;
        }
}

static int is_wanted(const struct yk_job *job, uint64_t jobs)
{
    return job->outcome.ended_ns - job->outcome.submitted_ns >= LONG_NS || (jobs & (jobs - 1)) == 0;
}

static struct yk_told *told_of(struct yk_kernel *kernel, int devices)
{
    struct yk_told *told = kernel->told;
    if (told && told->room >= devices)
        return told;
    yk_free(told);
    told = yk_calloc(1, sizeof *told + (size_t)devices * sizeof *told->devices);
    if (told)
        told->room = devices;
    kernel->told = told;
    return told;
}

static void note_device(const struct yk_job *job, int d, const struct yk_account *account,
                        struct yk_told_device *out)
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

static void work_out(const struct yk_job *job, struct yk_told *told)
{
    struct yk_account accounts[YK_PLACES];
    char text[YK_PARTITIONER_TEXT];
    int d;
    told->device_count = 0;
    if (yk_job_account(job, accounts) != YOKE_OK)
        return;
    told->items = job->last - job->first;
    told->ns = job->outcome.ended_ns - job->outcome.submitted_ns;
    told->device_count = job->device_count;
    snprintf(told->job, sizeof told->job, "%s", job->name);
    snprintf(told->partitioner, sizeof told->partitioner, "%s", yk_job_partitioner_text(job, text));
    told->of_jobs = 0;
    for (d = 0; d < job->device_count; d++) {
        note_device(job, d, &accounts[d], &told->devices[d]);
        told->of_jobs |= accounts[d].of_jobs;
    }
}

struct yk_job *yk_told_note(struct yk_job *job)
{
    struct yk_kernel *kernel = job->kernel;
    const struct yk_memory *memory;
    struct yk_told *told;
    struct yk_job *before;
    if (!is_wanted(job, ++kernel->jobs))
        return NULL;
    before = let_go(kernel->told);
    told = told_of(kernel, job->device_count);
    if (!told)
        return before;
    memory = yk_kernel_recall(kernel, job->split.key);
    told->jobs = kernel->jobs;
    told->known_jobs = memory ? memory->taught : 0;
    told->derived = memory && memory->derived;
    told->tuned = memory && memory->tuned;
    if (yk_crew_is_large(job->crew)) {
        work_out(job, told);
    } else {
        told->from = job;
        yk_job_look(job);
    }
    return before;
}

void yk_told_work_out(const yoke_runtime *runtime)
{
    const struct yk_kernel *kernel;
    for (kernel = runtime->kernels.first; kernel; kernel = kernel->next)
        if (kernel->told && kernel->told->from)
            work_out(kernel->told->from, kernel->told);
    yk_told_forget(runtime);
}
