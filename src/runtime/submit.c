/* submit.c - the public functions of jobs: submit and run, wait, cancel. */
#include "../base/alloc.h"
#include "../base/status.h"
#include "../flight/sum_copies.h"
#include "../job/call.h"
#include "../job/entry.h"
#include "../job/kernel.h"
#include "../job/order.h"
#include "../job/overlap.h"
#include "../job/ticket.h"
#include "../job/touches.h"
#include "../job/wake.h"
#include "../job/workspace.h"
#include "../life/begin.h"
#include "../life/end.h"
#include "../life/knowledge.h"
#include "../life/result.h"
#include "../life/weights.h"
#include "../partition/partitioner.h"
#include "../work/caller.h"
#include "../work/takeover.h"
#include "../work/ticketless.h"
#include "../work/wait.h"
#include "default.h"
#include "loading.h"

/* Number of jobs that a thread cancels at a time: one or two cache lines of pointers on its
 * stack. */
enum { STOPPED_AT_ONCE = 16 };

static yoke_status check_held(const struct yk_job *job)
{
    const yoke_array *kin;
    int p;
    for (p = 0; p < job->order.count; p++)
        for (kin = NULL;
             job->order.uses[p].job && (kin = yk_array_kin(job->order.uses[p].array, kin));)
            if (kin->held)
                return yk_fail(YOKE_EBUSY, "%s: array %s is acquired for writing; release it first",
                               job->name, kin->name);
    return YOKE_OK;
}

/* The jobs of the tickets in job.after, each with a reference. */
struct after {
    struct yk_job **jobs;
    int count;
};

static void let_after_go(struct after *after)
{
    while (after->count > 0)
        yk_job_release(after->jobs[--after->count]);
    yk_free(after->jobs);
    after->jobs = NULL;
}

static yoke_status hold_after(const yoke_runtime *runtime, const yoke_job *spec,
                              struct after *after)
{
    yoke_status status = YOKE_OK;
    int i;
    *after = (struct after){ 0 };
    if (spec->after_count == 0)
        return YOKE_OK;
    if (spec->after_count < 0 || !spec->after)
        return yk_fail(YOKE_EINVAL, "job.after: %d tickets are announced and %s", spec->after_count,
                       spec->after ? "that is no count" : "there are none");
    after->jobs = yk_calloc((size_t)spec->after_count, sizeof *after->jobs);
    if (!after->jobs)
        return YOKE_ENOMEM;
    for (i = 0; i < spec->after_count && status == YOKE_OK; i++) {
        struct yk_job *job = yk_ticket_hold(spec->after[i], "job.after");
        if (!job)
            status = YOKE_EINVAL;
        else
            after->jobs[after->count++] = job;
        if (job && job->runtime != runtime)
            status = yk_fail(YOKE_EINVAL, "job.after: %s is a job of another runtime", job->name);
    }
    if (status != YOKE_OK)
        let_after_go(after);
    return status;
}

/* Reports an error in the partitioner's text now, even if the job begins later. */
static yoke_status check_partitioner(const struct yk_job *job)
{
    int64_t streams;
    return job->split.partitioner ? yk_partitioner_streams(job->split.partitioner, &streams)
                                  : YOKE_OK;
}

/* A job that is being submitted. */
struct entry {
    struct yk_job *job;
    const yoke_kernel *kernel, *alternative; /* alternative NULL: there is none */
    struct after after;
    int ticketless; /* 1: nothing but the runtime will ask for its outcome */
    int cpu;        /* processor of the calling thread if it should take part; -1: it does not */
    enum yk_begun begun; /* whether the job has begun, and how long it is expected to be */
    int running;         /* number of jobs that are running */
    struct yk_takeover takeover;
};

/* Links the job. A job that waits for nothing begins at once. With runtime.lock held. */
static yoke_status link_in(struct entry *entry)
{
    struct yk_job *job = entry->job;
    yoke_status status;
    uint32_t team;
    int begins;
    status = yk_order_link(job, entry->after.jobs, entry->after.count);
    if (status != YOKE_OK)
        return status;
    job->number = ++job->runtime->jobs_submitted;
    /* The ticket's reference, or this call's; only the submitting call knows the ticket yet. */
    atomic_store_explicit(&job->life.references, 1, memory_order_relaxed);
    begins = yk_job_may_begin(job) && entry->after.count == 0;
    job->split.queued = !begins;
    status = begins ? yk_job_begin(job, entry->cpu) : YOKE_OK;
    if (status != YOKE_OK) { /* the job waited for nothing, so no other job knows it */
        yk_order_unlink(job, 0, NULL);
        return status;
    }
    if (entry->ticketless)
        yk_ticketless_add(job);
    job->lists.previous = job->runtime->last_job;
    *(job->lists.previous ? &job->lists.previous->lists.next : &job->runtime->first_job) = job;
    job->runtime->last_job = job;
    if (!begins) {
        yk_job_line_up(job, entry->after.jobs, entry->after.count);
        yk_jobs_start_ready(job->runtime, &team);
        yk_jobs_start_behind(job->runtime);
    }
    return YOKE_OK;
}

/* Adds the alternative to the job's keys: speeds of a job with an alternative differ from those of
 * one without. */
static yoke_status find_pair(struct entry *entry)
{
    struct yk_job *job = entry->job;
    struct yk_kernel *alternative;
    yoke_status status = yk_kernel_intern(&job->runtime->kernels, entry->alternative, &alternative);
    if (status == YOKE_OK)
        status = yk_pair_intern(job->kernel, alternative, &job->pair);
    if (status == YOKE_OK) {
        job->split.key ^= (uint64_t)(uintptr_t)alternative;
        job->split.free_key ^= (uint64_t)(uintptr_t)alternative;
    }
    return status;
}

static yoke_status enlist(struct entry *entry)
{
    struct yk_job *job = entry->job;
    yoke_runtime *runtime = job->runtime;
    double foreseen_ns;
    yoke_status status;
    yk_lock(&runtime->lock);
    status = check_held(job);
    if (status == YOKE_OK)
        status = yk_kernel_intern(&runtime->kernels, entry->kernel, &job->kernel);
    if (status == YOKE_OK)
        status = yk_job_check_touches(job);
    if (status == YOKE_OK)
        status = yk_job_check_overlaps(job);
    if (status == YOKE_OK && entry->alternative)
        status = find_pair(entry);
    if (status == YOKE_OK)
        status = yk_folds_intern(job);
    if (status == YOKE_OK) {
        yk_job_weigh(job);
        status = check_partitioner(job);
    }
    if (status == YOKE_OK)
        status = link_in(entry);
    if (status == YOKE_OK && atomic_load(&job->phase) == YK_RUNNING)
        entry->begun = yk_job_is_brief(job) ? YK_BEGUN_BRIEF : YK_BEGUN_LONG;
    entry->running = runtime->running_count;
    foreseen_ns = entry->begun != YK_BEGUN_NONE ? yk_loading_forecast(job) : 0;
    yk_unlock(&runtime->lock);
    if (foreseen_ns > 0)
        yk_loading_foreseen(runtime, foreseen_ns);
    return status;
}

/* Returns 1 if the job needs all devices: a certain split was asked for, or the cores have no
 * kernel to run. */
static int needs_all_devices(const struct yk_job *job, const yoke_job *spec)
{
    return !yk_job_splits_freely(job->split.partitioner) ||
           yk_job_may_be_weighed(job->runtime, spec) ||
           !(yk_kernel_runs_on_host(spec->kernel) ||
             (spec->alternative && yk_kernel_runs_on_host(spec->alternative)));
}

static yoke_status open_entry(yoke_runtime *runtime, const yoke_job *spec, struct entry *out)
{
    yoke_status status = yk_job_open(runtime, spec, &out->job);
    if (status != YOKE_OK)
        return status;
    status = hold_after(runtime, spec, &out->after);
    if (status != YOKE_OK) {
        yk_job_close(out->job);
        return status;
    }
    if (needs_all_devices(out->job, spec))
        yk_loading_finish(runtime); /* after an error the job uses the available devices */
    yk_knowledge_ask(out->job, out->kernel, out->alternative);
    return YOKE_OK;
}

static yoke_status prepare(yoke_runtime *runtime, const yoke_job *spec, struct entry *out)
{
    yoke_status status;
    if (yk_runtime_check(runtime, "yoke_submit, yoke_run") != YOKE_OK)
        return YOKE_EINVAL;
    *out = (struct entry){ .kernel = spec ? spec->kernel : NULL,
                           .alternative = spec ? spec->alternative : NULL,
                           .cpu = -1 };
    yk_takeover_open(&out->takeover, runtime);
    yk_takeover_stay(&out->takeover);
    status = open_entry(runtime, spec, out);
    if (status != YOKE_OK)
        yk_takeover_close(&out->takeover);
    return status;
}

static void abandon(struct entry *entry)
{
    yk_takeover_close(&entry->takeover);
    let_after_go(&entry->after);
    yk_job_close(entry->job);
}

static yoke_status enter(struct entry *entry)
{
    yoke_status status = enlist(entry);
    let_after_go(&entry->after);
    return status;
}

/* Wakes threads for the job, if it has begun. Otherwise they are woken when it begins. */
static void call(const struct entry *entry)
{
    if (entry->begun == YK_BEGUN_BRIEF)
        yk_wake_few(entry->job->runtime, entry->job->split.team, entry->running);
    else if (entry->begun == YK_BEGUN_LONG)
        yk_job_tell(entry->job);
}

/* Submits a prepared job and lets its devices begin. */
static yoke_status submit(struct entry *entry)
{
    yoke_status status = enter(entry);
    if (status != YOKE_OK)
        return status;
    if (!yk_takeover_launch(&entry->takeover, entry->job) && !entry->job->runtime->virtual_clock)
        call(entry);
    return YOKE_OK;
}

static yoke_status submit_ticketless(yoke_runtime *runtime, const yoke_job *spec)
{
    struct entry entry;
    yoke_status status = yk_runtime_check(runtime, "yoke_submit");
    if (status != YOKE_OK)
        return status;
    yk_ticketless_make_room(runtime);
    status = prepare(runtime, spec, &entry);
    if (status != YOKE_OK)
        return status;
    entry.ticketless = 1;
    entry.job->life.asks = YK_ASKS_NEVER;
    status = submit(&entry);
    if (status == YOKE_OK)
        yk_job_release(entry.job);
    else
        abandon(&entry);
    return status;
}

yoke_status yoke_submit(yoke_runtime *runtime, const yoke_job *spec, yoke_ticket **out)
{
    struct entry entry;
    yoke_ticket *ticket;
    yoke_status status;
    if (!out)
        return submit_ticketless(runtime, spec);
    status = prepare(runtime, spec, &entry);
    if (status != YOKE_OK)
        return status;
    status = yk_ticket_open(entry.job, &ticket);
    if (status != YOKE_OK)
        goto close_job;
    status = submit(&entry);
    if (status != YOKE_OK)
        goto close_ticket;
    *out = ticket;
    return YOKE_OK;
close_ticket:
    yk_ticket_close(ticket);
close_job:
    abandon(&entry);
    return status;
}

/* Waits for the job. Sets *result, unless it is NULL or the job failed. */
static yoke_status wait_for(struct yk_job *job, yoke_result **result)
{
    yoke_status status;
    yk_job_wait(job);
    status = job->outcome.status;
    if (status != YOKE_OK)
        yk_fail(status, "%s", job->outcome.text ? job->outcome.text : yoke_status_text(status));
    else if (result)
        status = yk_result_open(job, result);
    yk_knowledge_keep_by_and_by(job->runtime, job->outcome.ended_ns);
    return status;
}

yoke_status yoke_wait(yoke_ticket *ticket, yoke_result **result)
{
    struct yk_job *job = yk_ticket_hold(ticket, "yoke_wait");
    yoke_status status;
    if (!job)
        return YOKE_EINVAL;
    status = yk_runtime_refuses(job->runtime, "yoke_wait") ? YOKE_EINVAL
                                                           : yk_ticket_claim(job, "yoke_wait");
    if (status == YOKE_OK) {
        status = wait_for(job, result);
        yk_ticket_end(ticket);
    }
    yk_job_release(job);
    return status;
}

yoke_status yoke_wait_all(yoke_runtime *runtime)
{
    yoke_status status = runtime ? YOKE_OK : yk_default_get(&runtime);
    if (status == YOKE_OK)
        status = yk_runtime_check(runtime, "yoke_wait_all");
    if (status != YOKE_OK)
        return status;
    yk_jobs_wait_for_submitted(runtime);
    return yk_ticketless_outcome(runtime);
}

/* Ends the job here if no lane is inside. With a virtual clock the thread that steps all lanes
 * does. */
static void end_if_idle(struct yk_job *job)
{
    if (!job->runtime->virtual_clock && yk_job_enter(job))
        yk_job_leave(job);
}

yoke_status yoke_cancel(yoke_ticket *ticket)
{
    struct yk_job *job = yk_ticket_hold(ticket, "yoke_cancel");
    int refused;
    if (!job)
        return YOKE_EINVAL;
    refused = yk_runtime_refuses_child(job->runtime, "yoke_cancel");
    if (!refused) {
        yk_lock(&job->runtime->lock);
        yk_job_cancel(job);
        yk_unlock(&job->runtime->lock);
        end_if_idle(job);
    }
    yk_job_release(job);
    return refused ? YOKE_EINVAL : YOKE_OK;
}

/* Stops up to STOPPED_AT_ONCE jobs with numbers above `*after` and up to `last`, and holds a
 * reference to each. Returns their number; *after becomes the number of the last one. */
static int stop_some(yoke_runtime *runtime, uint64_t *after, uint64_t last, struct yk_job **held)
{
    int count = 0;
    struct yk_job *job;
    yk_lock(&runtime->lock);
    for (job = runtime->first_job; job && job->number <= last && count < STOPPED_AT_ONCE;
         job = job->lists.next) {
        if (job->number <= *after)
            continue;
        yk_job_cancel(job);
        yk_job_hold(job);
        *after = job->number;
        held[count++] = job;
    }
    yk_unlock(&runtime->lock);
    return count;
}

yoke_status yoke_cancel_all(yoke_runtime *runtime)
{
    struct yk_job *held[STOPPED_AT_ONCE];
    uint64_t after = 0, last;
    int count, i;
    if (yk_runtime_check(runtime, "yoke_cancel_all") != YOKE_OK)
        return YOKE_EINVAL;
    yk_lock(&runtime->lock);
    last = runtime->jobs_submitted;
    yk_unlock(&runtime->lock);
    while ((count = stop_some(runtime, &after, last, held)))
        for (i = 0; i < count; i++) {
            end_if_idle(held[i]);
            yk_job_release(held[i]);
        }
    return YOKE_OK;
}

yoke_status yoke_run(yoke_runtime *runtime, const yoke_job *spec, yoke_result **result)
{
    struct entry entry;
    struct yk_job *job;
    yoke_status status = prepare(runtime, spec, &entry);
    if (status != YOKE_OK)
        return status;
    job = entry.job;
    job->life.asks = result ? YK_ASKS_CALLER : YK_ASKS_NEVER;
    if (!runtime->virtual_clock)
        entry.cpu = yk_thread_cpu();
    status = enter(&entry);
    if (status != YOKE_OK) {
        abandon(&entry);
        return status;
    }
    if (!runtime->virtual_clock)
        yk_caller_take_part(job, &entry.takeover);
    if (job->caller.attended)
        yk_job_look_away(job);
    yk_job_wait_on(job, &entry.takeover);
    yk_caller_note_return(job);
    status = wait_for(job, result);
    yk_job_forsake(job);
    return status;
}
