/* wait.c - sleeps until jobs are done: one, all, or those that conflict with the host. */

#include "wait.h"

#include "../base/status.h"
#include "../flight/forecast.h"
#include "../job/call.h"
#include "../job/order.h"
#include "../platform/clock.h"
#include "stuck_calls.h"
#include "takeover.h"
#include "virtual.h"

/* Before it sleeps, a thread watches a job for 1 / WATCH_PART of the time that the job has taken so
 * far, but at least for as long as being woken takes (ski rental), and at most WATCH_MOST_NS. This
 * is for jobs with cores or a known end. */
#define WATCH_MOST_NS 200000
#define WATCH_PART    8

/* Returns 1 if all of the job's devices have memory of their own, and there is no prediction of its
 * end. */
static int is_unknown(const struct yk_job *job)
{
    return !yk_job_asks_cores(job) && atomic_load(&job->lanes.due_ns) == 0;
}

static int64_t watch_ns(const struct yk_job *job, int64_t now)
{
    int64_t part =
        atomic_load(&job->phase) == YK_WAITING ? 0 : (now - job->outcome.submitted_ns) / WATCH_PART;
    if (part && is_unknown(job))
        return YK_SLICE_NS;
    return part < YK_WAKE_NS ? YK_WAKE_NS : part < WATCH_MOST_NS ? part : WATCH_MOST_NS;
}

/* Steps the device that this thread could take; if there is none, leaves its core to others. */
static void look_on(struct yk_takeover *takeover)
{
    yk_takeover_look(takeover) ? yk_pause() : yk_yield();
}

/* Watches the job for a while. Returns 1 if it is done by then. A thread that waits for many short
 * jobs, one after the other, would otherwise be woken for each, which costs the worker that wakes
 * it more than the job. Meanwhile it yields its core to other threads. Most threads that come here
 * have just found nothing more to do for the job, so the other threads are about to finish, too.
 * Being woken by the last of 32 cores takes as long as 0.1 ms of work (saxpy of 4 million
 * elements). When the phase is DONE, the job's data are complete. */
static int is_over_soon(const struct yk_job *job, struct yk_takeover *takeover)
{
    const int64_t start = yk_clock_ns(), most = watch_ns(job, start);
    while (atomic_load(&job->phase) != YK_DONE) {
        if (yk_clock_ns() - start > (takeover->held ? YK_CALLER_BRIEF_NS : most))
            return 0;
        look_on(takeover);
    }
    return 1;
}

/* Sleeps until shortly before the predicted end, if there is one, because being woken takes 50 us
 * on a machine with cores in a sleep state. */
static void sleep_by_forecast(struct yk_job *job, struct yk_takeover *takeover)
{
    const int64_t since = yk_clock_ns();
    int64_t now = since, look_at, calls_at = yk_calls_next_look(job->runtime);
    while (atomic_load(&job->phase) != YK_DONE && (look_at = yk_job_look_at(job, since, now))) {
        yk_sooner(&look_at, calls_at);
        if (look_at > now) {
            yk_takeover_close(takeover);
            yk_gate_pass_until(&job->life.done, look_at);
        } else {
            look_on(takeover);
        }
        now = yk_clock_ns();
        if (calls_at && now >= calls_at) {
            yk_calls_look(job->runtime);
            calls_at = yk_calls_next_look(job->runtime);
        }
    }
}

/* Sleeps until the job is done. Watches driver calls in the meantime. */
static void sleep_and_look(struct yk_job *job)
{
    int64_t look_at;
    while (atomic_load(&job->phase) != YK_DONE && (look_at = yk_calls_next_look(job->runtime))) {
        yk_gate_pass_until(&job->life.done, look_at);
        if (atomic_load(&job->phase) != YK_DONE)
            yk_calls_look(job->runtime);
    }
    if (atomic_load(&job->phase) != YK_DONE)
        yk_gate_pass(&job->life.done);
}

void yk_job_wait_on(struct yk_job *job, struct yk_takeover *takeover)
{
    takeover->awaited = job;
    if (job->runtime->virtual_clock)
        yk_drive_virtual(job->runtime, job);
    else if (!is_over_soon(job, takeover) && job->runtime->waiting == YOKE_WAIT_AUTO)
        sleep_by_forecast(job, takeover);
    yk_takeover_close(takeover);
    sleep_and_look(job);
}

void yk_job_wait(struct yk_job *job)
{
    struct yk_takeover takeover;
    yk_takeover_open(&takeover, job->runtime);
    yk_job_wait_on(job, &takeover);
}

/* Returns the next job to wait for; NULL: there is none. */
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

/* Releases runtime.lock, which must be held, and sleeps until the job is done. Returns 0 if there
 * is no job (NULL). */
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

/* The address of this variable identifies the thread. */
static _Thread_local char this_thread;

/* Fails if another thread has acquired the array for writing. With runtime.lock held. */
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

/* With runtime.lock held. */
static void note_acquire(yoke_array *array, int writing)
{
    if (writing) {
        array->held = 1;
        array->holder = &this_thread;
    } else if (!array->held) {
        array->reads++;
    }
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
        if (status == YOKE_OK && !job)
            note_acquire(array, writing);
        if (!sleep_for(runtime, job))
            return status;
    }
}

/* Of threads that read only the number is known. While another thread writes, a release that one of
 * them may owe is right; it ends nothing. */
yoke_status yk_jobs_take_way(yoke_array *array)
{
    yoke_status status = YOKE_OK;
    yk_lock(&array->runtime->lock);
    if (array->held && array->holder == &this_thread)
        array->held = 0;
    else if (array->reads > 0)
        array->reads--;
    else if (array->held)
        status = yk_fail(YOKE_EINVAL,
                         "yoke_array_release: array %s is acquired for writing by another thread, "
                         "which has to release it itself",
                         array->name);
    yk_unlock(&array->runtime->lock);
    return status;
}

void yk_jobs_wait_for(yoke_runtime *runtime, const yoke_array *array, int writing)
{
    do {
        yk_lock(&runtime->lock);
    } while (sleep_for(runtime, in_the_way(runtime, array, writing)));
}

/* Returns the latest job with a number up to `most` that is not done; NULL: all are done. */
static struct yk_job *last_of(const yoke_runtime *runtime, uint64_t most)
{
    struct yk_job *job = runtime->last_job;
    while (job && job->number > most)
        job = job->lists.previous;
    return job;
}

void yk_jobs_wait_for_submitted(yoke_runtime *runtime)
{
    uint64_t last;
    yk_lock(&runtime->lock);
    last = runtime->jobs_submitted;
    while (sleep_for(runtime, last_of(runtime, last)))
        yk_lock(&runtime->lock);
}
