/* submit.c - the only door for jobs: submit, run, wait, cancel. */
#include "../base/alloc.h"
#include "../base/status.h"
#include "../partition/partitioner.h"
#include "../platform/clock.h"
#include "job.h"

#define WATCH_NS 20000

void yk_job_hold(struct yk_job *job)
{
    atomic_fetch_add_explicit(&job->references, 1, memory_order_relaxed);
}

void yk_job_release(struct yk_job *job)
{
    if (atomic_fetch_sub(&job->references, 1) == 1)
        yk_job_close(job);
}

static yoke_status check_held(const struct yk_job *job)
{
    const yoke_array *kin;
    int p;
    for (p = 0; p < job->arg_count; p++)
        for (kin = NULL; job->args[p].array && (kin = yk_array_kin(job->args[p].array, kin));)
            if (kin->held)
                return yk_fail(YOKE_EBUSY, "%s: array %s is acquired for writing; release it first",
                               job->name, kin->name);
    return YOKE_OK;
}

/* Tickets as jobs, held. */
struct after {
    struct yk_job **jobs;
    int count;
};

static void let_after_go(struct after *after)
{
    while (after->count > 0)
        yk_job_release(after->jobs[--after->count]);
    yk_free(after->jobs);
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

/* A mistake in it is told now, even if its turn is later. */
static yoke_status check_partitioner(const struct yk_job *job)
{
    int64_t streams;
    return job->partitioner ? yk_partitioner_streams(job->partitioner, &streams) : YOKE_OK;
}

static yoke_status enlist(struct yk_job *job, const yoke_kernel *kernel, int cpu,
                          const struct after *after)
{
    yoke_runtime *runtime = job->runtime;
    yoke_status status;
    int begins;
    yk_lock(&runtime->lock);
    status = check_held(job);
    if (status == YOKE_OK)
        status = yk_kernel_intern(&runtime->kernels, kernel, &job->kernel);
    if (status == YOKE_OK)
        status = check_partitioner(job);
    if (status == YOKE_OK)
        status = yk_order_link(job, after->jobs, after->count);
    if (status != YOKE_OK)
        goto unlock;
    job->number = ++runtime->jobs_submitted;
    atomic_store(&job->references, 2); /* the ticket, and the submitting call */
    begins = yk_job_may_begin(job) && after->count == 0;
    status = begins ? yk_job_begin(job, cpu) : YOKE_OK;
    job->attended = begins && cpu >= 0 && status == YOKE_OK;
    if (job->attended)
        yk_job_look(job);
    if (status != YOKE_OK) { /* it had to wait for nobody, so nobody knows of it */
        yk_order_unlink(job, 0, NULL);
        goto unlock;
    }
    job->previous = runtime->last_job;
    *(job->previous ? &job->previous->next : &runtime->first_job) = job;
    runtime->last_job = job;
    if (!begins) {
        yk_job_line_up(job, after->jobs, after->count);
        yk_jobs_start_ready(runtime);
    }
unlock:
    yk_unlock(&runtime->lock);
    return status;
}

static yoke_status submit(yoke_runtime *runtime, const yoke_job *spec, enum yk_asks asks,
                          struct yk_job **out)
{
    struct yk_job *job;
    struct after after;
    int cpu;
    yoke_status status = yk_job_open(runtime, spec, &job);
    if (status != YOKE_OK)
        return status;
    status = hold_after(runtime, spec, &after);
    if (status != YOKE_OK)
        goto close;
    if (!yk_job_splits_freely(
            job->partitioner)) /* who asks for a certain split means all devices */
        yk_runtime_join_loader(runtime);
    job->asks = asks;
    cpu = asks != YK_ASKS_PERHAPS && !runtime->virtual_clock ? yk_thread_cpu() : -1;
    status = enlist(job, spec->kernel, cpu, &after);
    let_after_go(&after);
    if (status == YOKE_OK) {
        *out = job;
        return YOKE_OK;
    }
close:
    yk_job_close(job);
    return status;
}

/* Whoever waits for one short job after the other would be woken for each, which costs the worker
 * that does it more than the job: it stays awake for a while, on a core that it leaves to anybody
 * else. What a job that is done says of itself is complete. */
static int is_over_soon(const struct yk_job *job)
{
    int64_t start;
    if (atomic_load(&job->phase) == YK_DONE)
        return 1;
    start = yk_clock_ns();
    while (atomic_load(&job->phase) != YK_DONE) {
        if (yk_clock_ns() - start > WATCH_NS)
            return 0;
        yk_yield();
    }
    return 1;
}

void yk_job_wait(struct yk_job *job)
{
    if (job->runtime->virtual_clock)
        yk_drive_virtual(job->runtime, job);
    else if (!is_over_soon(job))
        yk_gate_pass(&job->done);
}

/* The one to wait for next; NULL: none is left. */
static struct yk_job *in_the_way(const yoke_runtime *runtime, const yoke_array *array, int writing)
{
    const yoke_array *kin = NULL;
    if (!array)
        return runtime->last_job;
    while ((kin = yk_array_kin(array, kin))) {
        const struct yk_use *use = kin->writers ? kin->writers : writing ? kin->readers : NULL;
        if (use)
            return use->job;
    }
    return NULL;
}

/* runtime.lock held, and given up. Sleeps until the job is done; 0: there is none. */
static int sleep_for(yoke_runtime *runtime, struct yk_job *job)
{
    if (job)
        yk_job_hold(job);
    yk_unlock(&runtime->lock);
    if (!job)
        return 0;
    yk_job_wait(job);
    yk_job_release(job);
    return 1;
}

/* Its address tells threads apart. */
static _Thread_local char this_thread;

/* Under runtime.lock. */
static yoke_status check_holder(const yoke_array *array)
{
    const yoke_array *kin = NULL;
    while ((kin = yk_array_kin(array, kin)))
        if (kin->held && kin->holder != &this_thread)
            return yk_fail(YOKE_EBUSY,
                           "array %s is acquired for writing by another thread; wait until that "
                           "one has released it",
                           kin->name);
    return YOKE_OK;
}

yoke_status yk_jobs_make_way(yoke_array *array, int writing)
{
    yoke_runtime *runtime = array->runtime;
    for (;;) {
        yoke_status status;
        struct yk_job *job;
        yk_lock(&runtime->lock);
        status = check_holder(array);
        job = status == YOKE_OK ? in_the_way(runtime, array, writing) : NULL;
        if (status == YOKE_OK && !job && writing) {
            array->held = 1;
            array->holder = &this_thread;
        }
        if (!sleep_for(runtime, job))
            return status;
    }
}

void yk_jobs_wait_for(yoke_runtime *runtime, const yoke_array *array, int writing)
{
    do {
        yk_lock(&runtime->lock);
    } while (sleep_for(runtime, in_the_way(runtime, array, writing)));
}

/* The last of those with a number up to `most`; NULL: they are done. */
static struct yk_job *last_of(const yoke_runtime *runtime, uint64_t most)
{
    struct yk_job *job = runtime->last_job;
    while (job && job->number > most)
        job = job->previous;
    return job;
}

yoke_status yoke_wait_all(yoke_runtime *runtime)
{
    uint64_t last;
    if (!runtime)
        return yk_fail(YOKE_EINVAL, "yoke_wait_all: the runtime is NULL");
    yk_lock(&runtime->lock);
    last = runtime->jobs_submitted;
    while (sleep_for(runtime, last_of(runtime, last)))
        yk_lock(&runtime->lock);
    return YOKE_OK;
}

/* Tells those who are to do it, if it has begun; else they hear of it when it does. */
static void call(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    int running, brief, begun;
    yk_lock(&runtime->lock);
    running = runtime->running_count;
    begun = atomic_load(&job->phase) == YK_RUNNING;
    brief = begun && yk_job_is_brief(job);
    yk_unlock(&runtime->lock);
    if (brief)
        yk_wake_few(runtime, running);
    else if (begun)
        yk_job_tell(job);
}

yoke_status yoke_submit(yoke_runtime *runtime, const yoke_job *spec, yoke_ticket **out)
{
    struct yk_job *job;
    yoke_ticket *ticket;
    yoke_status status;
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_submit: out is NULL; use yoke_run to run and wait");
    status = yk_ticket_open(&ticket);
    if (status != YOKE_OK)
        return status;
    status = submit(runtime, spec, YK_ASKS_PERHAPS, &job);
    if (status != YOKE_OK) {
        yk_ticket_close(ticket);
        return status;
    }
    if (!runtime->virtual_clock)
        call(job);
    yk_ticket_give(ticket, job);
    *out = ticket;
    yk_job_release(job);
    return YOKE_OK;
}

/* Ends the reference of whoever had the ticket, too. */
static yoke_status wait_for(struct yk_job *job, yoke_result **result)
{
    yoke_status status;
    yk_job_wait(job);
    status = job->status;
    if (status != YOKE_OK)
        yk_fail(status, "%s", job->text ? job->text : yoke_status_text(status));
    else if (result)
        status = yk_result_open(job, result);
    yk_job_forsake(job);
    return status;
}

yoke_status yoke_wait(yoke_ticket *ticket, yoke_result **result)
{
    struct yk_job *job = yk_ticket_take(ticket, "yoke_wait");
    return job ? wait_for(job, result) : YOKE_EINVAL;
}

yoke_status yoke_cancel(yoke_ticket *ticket)
{
    struct yk_job *job = yk_ticket_hold(ticket, "yoke_cancel");
    if (!job)
        return YOKE_EINVAL;
    yk_lock(&job->runtime->lock);
    if (atomic_load(&job->phase) != YK_DONE)
        yk_job_fail(job, yk_fail(YOKE_ECANCELED, "%s was canceled", job->name));
    yk_unlock(&job->runtime->lock);
    /* Should nobody else be in it, it ends here; with a virtual clock, when the driver sees it. */
    if (!job->runtime->virtual_clock && yk_job_enter(job))
        yk_job_leave(job);
    yk_job_release(job);
    return YOKE_OK;
}

yoke_status yoke_run(yoke_runtime *runtime, const yoke_job *spec, yoke_result **result)
{
    struct yk_job *job;
    yoke_status status = submit(runtime, spec, result ? YK_ASKS_CALLER : YK_ASKS_NOBODY, &job);
    if (status != YOKE_OK)
        return status;
    if (!runtime->virtual_clock) {
        if (atomic_load(&job->phase) == YK_RUNNING && atomic_load(&job->borrowing)) {
            yk_caller_take_part(job);
        } else {
            atomic_store(&job->borrowing, 0);
            yk_job_tell(job);
        }
    }
    if (job->attended)
        yk_job_look_away(job);
    yk_job_release(job);
    return wait_for(job, result);
}
