/* caller.c - the work of the thread that called yoke_run, until its job is done.
 *
 * It works as the lane of its core, or drives the GPUs that do the whole job (drive.c). Waking
 * other threads costs microseconds, which is much for a short job, so they are woken only if there
 * is enough work for them.
 */

#include "caller.h"

#include <math.h>

#include "../base/typical.h"
#include "../job/wake.h"
#include "../life/borrow.h"
#include "../platform/clock.h"
#include "drive.h"
#include "lane.h"

/* How long, in ns, a caller without work watches for the end before it sleeps. */
#define SPIN_NS 20000

static int takes_long(const struct yk_job *job, double items, double rate)
{
    if (items == 0 || rate <= 0)
        return items > 0 &&
               job->split.partitioner; /* the partitioner may hand out everything at once */
    return items / rate > YK_WORTH_WAKING_NS;
}

/* Returns 1 if the remaining work is worth waking other threads, as far as is known. The `done`
 * items so far were begun at start_ns. They may be pieces of an unfinished lease, which the
 * dispatcher counts as not done. */
static int worth_waking(struct yk_job *job, int64_t done, int64_t start_ns)
{
    double left = (double)(job->last - job->first - done), rate = job->split.items_per_ns;
    int64_t spent = left > 0 && done > 0 ? yk_now(job->runtime) - start_ns : 0;
    if (spent > 0)
        rate = (double)done / (double)spent;
    if (!takes_long(job, left, rate))
        return 0;
    yk_lock(&job->lock);
    left = fmin(left, (double)yk_dispatch_left(job->dispatch));
    yk_unlock(&job->lock);
    return takes_long(job, left, rate);
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

static void watch_end(const struct yk_job *job)
{
    int64_t start_ns;
    if (atomic_load(&job->phase) == YK_DONE)
        return;
    start_ns = yk_clock_ns();
    while (atomic_load(&job->phase) != YK_DONE && yk_clock_ns() - start_ns < SPIN_NS)
        yk_pause();
}

/* Works as the lane of its core until that lane gets nothing more. */
static void work_along(struct yk_job *job)
{
    const struct yk_flight *mine =
        &job->devices[job->caller.borrowed_device].flights[job->caller.borrowed_lane];
    int64_t start_ns = job->outcome.submitted_ns, done = 0, wake_ns;
    struct yk_affinity before;
    int pinned = 0;
    if (job->split.items_per_ns <= 0 && !job->split.partitioner) {
        call_scout(job);
        start_ns = yk_now(job->runtime);
    } else if (worth_waking(job, 0, start_ns)) {
        yk_job_tell(job);
    }
    for (;;) {
        if (!pinned && atomic_load(&job->lanes.woken))
            pinned = keep_core(job, &before);
        if (yk_lane_step(job, job->caller.borrowed_device, job->caller.borrowed_lane, &wake_ns) !=
            YK_LANE_WORKED)
            break;
        done += mine->chunk.last - mine->chunk.first;
        if (!atomic_load(&job->lanes.woken) && worth_waking(job, done, start_ns))
            yk_job_tell(job);
    }
    watch_end(job);
    if (pinned)
        yk_thread_unpin(&before);
}

void yk_caller_note_return(const struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    if (!runtime->virtual_clock && !job->outcome.ended_by_caller && job->outcome.ended_ns)
        yk_typical_note(&runtime->return_ns, yk_now(runtime) - job->outcome.ended_ns);
}

void yk_caller_take_part(struct yk_job *job)
{
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
        yk_job_tell(job);
    }
}
