/* caller.c - the work of the thread that called yoke_run, until its job is done.
 *
 * It works as the lane of its core, or drives the GPUs that do the whole job (drive.c). Waking
 * other threads costs microseconds, which is much for a short job, so they are woken only if there
 * is enough work for them.
 */

#include "caller.h"

#include <math.h>

#include "../base/typical.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "../life/borrow.h"
#include "../life/end.h"
#include "../platform/clock.h"
#include "drive.h"
#include "lane.h"
#include "takeover.h"

/* Sets *work_ns to the time that one core needs for the rest of the job, as far as is known.
 * Returns 1 if the caller should do it alone. The `done` items so far were begun at start_ns. They
 * may be pieces of an unfinished lease, which the dispatcher counts as not done. */
static int goes_alone(struct yk_job *job, int64_t done, int64_t start_ns, double *work_ns)
{
    double left = (double)(job->last - job->first - done), item_ns = job->split.core_item_ns;
    int64_t spent = left > 0 && done > 0 ? yk_now(job->runtime) - start_ns : 0;
    if (spent > 0)
        item_ns = (double)spent / (double)done;
    *work_ns = left * item_ns;
    if (yk_job_suits_one(job, *work_ns))
        return 1;
    yk_lock(&job->lock);
    left = fmin(left, (double)yk_dispatch_left(job->dispatch));
    yk_unlock(&job->lock);
    *work_ns = left * item_ns;
    return yk_job_suits_one(job, *work_ns);
}

/* Wakes one sleeping thread for a job of unknown duration, whose first piece alone may be long.
 * Prefers the host thread of a device, because the device must load the kernel first. If the job
 * still runs when that thread comes, that thread wakes all others (worker.c). */
static void call_scout(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    int d, w;
    for (d = job->device_count - 1; d >= 0; d--)
        for (w = 0; w < runtime->devices[d].worker_count; w++)
            if (d != job->caller.borrowed_device || w != job->caller.borrowed_lane) {
                yk_wake(runtime, &runtime->devices[d].workers[w]);
                return;
            }
}

/* Binds the caller to the core of its lane. Other threads work too, each bound to its core: on
 * another core, the caller would share it with one of them while its own core is idle. Returns 1 if
 * the thread was bound; then *before must be restored. */
static int keep_core(struct yk_job *job, struct yk_affinity *before)
{
    const struct yk_runtime_device *device = &job->runtime->devices[job->caller.borrowed_device];
    return yk_thread_pin(device->workers[job->caller.borrowed_lane].cpu, before);
}

/* Waits in the job until the other lanes have left, so that this thread ends the job: what that
 * needs is in its core's cache. Then watches for the end. It sleeps when it has waited for as long
 * as a wake takes. */
static void watch_end(struct yk_job *job)
{
    const int64_t start_ns = yk_clock_ns();
    while (atomic_load(&job->presence.flying) > 1 && yk_clock_ns() - start_ns < YK_WAKE_NS)
        yk_pause();
    yk_job_leave(job);
    while (atomic_load(&job->phase) != YK_DONE && yk_clock_ns() - start_ns < YK_WAKE_NS)
        yk_pause();
}

/* Before the caller's lane has a chunk. Other devices are called at once, other cores when there is
 * a lease that they can cut. */
static void begin_calls(struct yk_job *job, int64_t *start_ns)
{
    double work_ns;
    if (job->split.core_item_ns > 0) {
        const int alone = goes_alone(job, 0, *start_ns, &work_ns);
        yk_job_invite(job, work_ns, alone);
        if (job->caller.calls && yk_job_asks_gpus(job))
            yk_job_call(job);
    } else if (job->split.partitioner) { /* it may hand out everything at once */
        yk_job_tell(job);
    } else {
        call_scout(job);
        *start_ns = yk_now(job->runtime);
    }
}

/* Calls others if the rest of the job takes longer than was known. */
static void call_more(struct yk_job *job, int64_t done, int64_t start_ns)
{
    const int woken = atomic_load(&job->lanes.woken);
    double work_ns;
    if (woken == YK_WOKEN_NONE && !goes_alone(job, done, start_ns, &work_ns)) {
        yk_job_invite(job, work_ns, 0);
        yk_job_call(job);
    } else if (woken == YK_WOKEN_SOME && yk_job_is_overdue(job)) {
        yk_job_tell(job);
    }
}

/* Works as the lane of its core until that lane gets nothing more. */
static void work_along(struct yk_job *job)
{
    const struct yk_flight *mine =
        &job->devices[job->caller.borrowed_device].flights[job->caller.borrowed_lane];
    int64_t start_ns = job->outcome.submitted_ns, done = 0, wake_ns;
    struct yk_affinity before;
    int pinned = 0;
    if (!yk_job_enter(job))
        return;
    begin_calls(job, &start_ns);
    for (;;) {
        if (!pinned && yk_job_binds_caller(job))
            pinned = keep_core(job, &before);
        if (yk_lane_step(job, job->caller.borrowed_device, job->caller.borrowed_lane, &wake_ns) !=
            YK_LANE_WORKED)
            break;
        done += mine->chunk.last - mine->chunk.first;
        call_more(job, done, start_ns);
    }
    if (job->caller.calls)
        yk_job_call(job);
    watch_end(job);
    if (pinned)
        yk_thread_unpin(&before);
}

void yk_caller_note_return(const struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    const int64_t ended_ns = job->outcome.ended_ns, now = yk_now(runtime);
    if (runtime->virtual_clock || !ended_ns)
        return;
    if (!job->outcome.ended_by_caller)
        yk_typical_note(&runtime->return_ns, now - ended_ns);
    if (job->caller.borrowed_device >= 0)
        yk_typical_note(&runtime->core_return_ns, now - ended_ns);
}

void yk_caller_take_part(struct yk_job *job, struct yk_takeover *takeover)
{
    const int steps = !atomic_load(&job->caller.driven) && yk_takeover_suits(takeover, job);
    if (!steps)
        yk_takeover_close(takeover);
    yk_caller_enter(job);
    if (atomic_load(&job->phase) == YK_RUNNING) {
        if (atomic_load(&job->caller.driven))
            yk_drive(job);
        else if (atomic_load(&job->caller.borrowing))
            work_along(job);
    }
    yk_caller_enter(NULL);
    if (atomic_load(&job->phase) != YK_DONE) {
        /* Other threads do the rest, including what a failing device may return. */
        atomic_store(&job->caller.borrowing, 0);
        atomic_store(&job->caller.driven, 0);
        if (!steps) /* otherwise this thread steps its device while it waits */
            yk_job_tell(job);
    }
}
