/* caller.c - the work of the thread that called yoke_run until its job is done.
 *
 * It works as the lane of its core, or drives the GPUs that do the whole job (drive.c). Waking
 * other threads costs microseconds, which is much for a short job, so they are woken only if there
 * is enough work for them.
 */
#include <math.h>

#include "../base/typical.h"
#include "../platform/clock.h"
#include "flight.h"

/* How long a caller without work watches for the end before it sleeps. */
#define SPIN_NS 20000

/* A CPU device that the job asks. Asked also of a job that may be over: its crew may be gone. */
static int works_here(const struct yk_job *job, int device)
{
    const struct yk_runtime_device *rd = &job->runtime->devices[device];
    return rd->device->desc.host_memory && yk_job_in_team(job, device);
}

/* The lane on processor `cpu`, otherwise the first one. */
static int lane_on(const struct yk_runtime_device *device, int cpu)
{
    int w = 0;
    while (w < device->worker_count && device->workers[w].cpu != cpu)
        w++;
    return w < device->worker_count ? w : 0;
}

/* The calling thread drives the devices that do the whole job, because waking their host threads
 * and being woken by them takes longer than a short job; otherwise it works as the lane of its
 * core. */
void yk_caller_borrow(struct yk_job *job, int cpu)
{
    const yoke_runtime *runtime = job->runtime;
    const uint32_t driven = yk_drivable_devices(job);
    int d, lane;
    atomic_store_explicit(&job->driven, driven, memory_order_relaxed);
    for (d = 0; !driven && d < job->device_count; d++) {
        const struct yk_runtime_device *device = &runtime->devices[d];
        if (!works_here(job, d) || device->worker_count == 0)
            continue;
        lane = lane_on(device, cpu);
        if (job->borrowed_device < 0 || device->workers[lane].cpu == cpu) {
            job->borrowed_device = d;
            job->borrowed_lane = lane;
        }
    }
    atomic_store_explicit(&job->borrowing, job->borrowed_device >= 0, memory_order_relaxed);
}

static int takes_long(const struct yk_job *job, double items, double rate)
{
    if (items == 0 || rate <= 0)
        return items > 0 && job->partitioner; /* the partitioner may hand out everything at once */
    return items / rate > YK_WORTH_WAKING_NS;
}

/* Whether the remaining work is worth waking others, as far as is known: the `done` items so far
 * were begun at start_ns. They may be pieces of an unfinished lease, which the dispatcher counts as
 * not done. */
static int worth_waking(struct yk_job *job, int64_t done, int64_t start_ns)
{
    double left = (double)(job->last - job->first - done), rate = job->recalled;
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

int yk_job_asks_cores(const struct yk_job *job)
{
    int asks = 0, d;
    for (d = 0; d < job->device_count; d++)
        asks |= works_here(job, d);
    return asks;
}

int yk_job_is_brief(const struct yk_job *job)
{
    return job->recalled > 0 && yk_job_asks_cores(job) &&
           (double)(job->last - job->first) < YK_WORTH_WAKING_NS * job->recalled;
}

int yk_job_is_overdue(struct yk_job *job)
{
    return yk_now(job->runtime) > job->submitted_ns + 2 * (int64_t)YK_WORTH_WAKING_NS;
}

/* Cores that are not asked keep sleeping: awake, they would disturb the threads that drive GPUs. */
void yk_job_wake(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    int d, w, all = 1;
    for (d = 0; d < job->device_count; d++)
        all &= yk_job_in_team(job, d);
    if (all) {
        yk_wake_all(runtime);
        return;
    }
    for (d = job->device_count - 1; d >= 0; d--)
        for (w = 0; yk_job_in_team(job, d) && w < runtime->devices[d].worker_count; w++)
            yk_wake(runtime, &runtime->devices[d].workers[w]);
}

void yk_job_tell(struct yk_job *job)
{
    atomic_store(&job->woken, 1);
    yk_job_wake(job);
}

/* The duration of this job is unknown, and its first piece alone may be long. So one sleeping
 * thread is woken, for the price of one; preferably a device's host thread, because its kernel has
 * to be loaded. If the job still runs when that thread comes, it wakes all others (worker.c). */
static void call_scout(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    int d, w;
    for (d = job->device_count - 1; d >= 0; d--)
        for (w = 0; w < runtime->devices[d].worker_count; w++)
            if (d != job->borrowed_device || w != job->borrowed_lane) {
                yk_wake(runtime, &runtime->devices[d].workers[w]);
                return;
            }
}

/* If other threads work too, each bound to its core, the caller must stay on the core of its lane.
 * Otherwise it would share a core with a worker or a driver's thread while its own is idle. */
static int keep_core(struct yk_job *job, struct yk_affinity *before)
{
    const struct yk_runtime_device *device = &job->runtime->devices[job->borrowed_device];
    return yk_thread_pin(device->workers[job->borrowed_lane].cpu, before);
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
    const struct yk_flight *mine = &job->devices[job->borrowed_device].flights[job->borrowed_lane];
    int64_t start_ns = job->submitted_ns, done = 0, wake_ns;
    struct yk_affinity before;
    int pinned = 0;
    if (job->recalled <= 0 && !job->partitioner) {
        call_scout(job);
        start_ns = yk_now(job->runtime);
    } else if (worth_waking(job, 0, start_ns)) {
        yk_job_tell(job);
    }
    for (;;) {
        if (!pinned && atomic_load(&job->woken))
            pinned = keep_core(job, &before);
        if (yk_lane_step(job, job->borrowed_device, job->borrowed_lane, &wake_ns) != YK_LANE_WORKED)
            break;
        done += mine->chunk.last - mine->chunk.first;
        if (!atomic_load(&job->woken) && worth_waking(job, done, start_ns))
            yk_job_tell(job);
    }
    watch_end(job);
    if (pinned)
        yk_thread_unpin(&before);
}

static _Thread_local const struct yk_job *taking_part_in;

int yk_caller_is_here(const struct yk_job *job)
{
    return taking_part_in == job;
}

void yk_caller_note_return(const struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    if (!runtime->virtual_clock && !job->ended_by_caller && job->ended_ns)
        yk_typical_note(&runtime->return_ns, yk_now(runtime) - job->ended_ns);
}

void yk_caller_take_part(struct yk_job *job)
{
    taking_part_in = job;
    if (atomic_load(&job->phase) == YK_RUNNING) {
        if (atomic_load(&job->driven))
            yk_drive(job);
        else if (atomic_load(&job->borrowing))
            work_along(job);
    }
    taking_part_in = NULL;
    if (atomic_load(&job->phase) != YK_DONE) {
        /* Others do the rest, including what a failing device may return. */
        atomic_store(&job->borrowing, 0);
        atomic_store(&job->driven, 0);
        yk_job_tell(job);
    }
}
