/* caller.c - what the thread that called yoke_run does until its job is done.
 *
 * It works as the lane of the core it is on, or drives the GPUs that do all of the job: waking
 * other threads costs microseconds, which is much of a short job, so they are only told where there
 * is enough for them to do. To drive a GPU whose rows are there is a launch of 5 us and a wait, so
 * one thread does it for several GPUs sooner than it could wake their host threads. Where many rows
 * have to be copied each GPU has its own thread.
 */
#include <math.h>

#include "../platform/clock.h"
#include "flight.h"

/* Waking a worker costs it and us some microseconds: less predicted work than this, and copies that
 * take less than this, stay with the caller. */
#define WORTH_WAKING_NS 20000.0
/* How long a caller that has nothing left to do watches for the end before it sleeps. */
#define SPIN_NS 20000

/* Whether the caller can drive the device beside others. Not while its kernel is to be built, as in
 * the first job of a process that knows from others which device is the fastest: its host thread
 * may be at that. Nor a step kernel, whose launches follow each other as its host sees their ends.
 */
static int is_drivable(const struct yk_job *job, int device)
{
    return job->devices[device].copying_ns < WORTH_WAKING_NS &&
           job->kernel->kernel.kind != YOKE_KERNEL_STEP && !job->pair &&
           yk_kernel_is_ready(job->kernel, job->runtime->devices[device].number);
}

/* The devices, as bits, that do all of the job and that the caller drives: the only one, if it has
 * memory of its own, or several that all can be driven beside others. 0: there are none. */
static uint32_t drivable_devices(const struct yk_job *job)
{
    const struct yk_runtime_device *devices = job->runtime->devices;
    uint32_t drivable = 0;
    int d;
    for (d = 0; d < job->device_count; d++) {
        if (!yk_job_in_team(job, d))
            continue;
        if (devices[d].device->desc.host_memory)
            return 0;
        drivable |= yk_team_bit(d);
        if (job->device_count == 1 ||
            (d == job->alone && yk_kernel_is_ready(job->kernel, devices[d].number)))
            return drivable;
        if (!is_drivable(job, d))
            return 0;
    }
    return drivable;
}

/* A CPU device that is asked. */
static int works_here(const struct yk_job *job, int device)
{
    return job->devices[device].device->device->desc.host_memory && yk_job_in_team(job, device);
}

/* Its lane on processor `cpu`; else the first one. */
static int lane_on(const struct yk_runtime_device *device, int cpu)
{
    int w = 0;
    while (w < device->worker_count && device->workers[w].cpu != cpu)
        w++;
    return w < device->worker_count ? w : 0;
}

/* The thread that calls yoke_run drives the devices that do it all, since waking their host threads
 * and being woken by them costs more than a short job takes; else it works as the lane of the core
 * it is on. */
void yk_caller_borrow(struct yk_job *job, int cpu)
{
    const yoke_runtime *runtime = job->runtime;
    const uint32_t driven = drivable_devices(job);
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
        return items > 0 && job->partitioner; /* which may hand out all at once */
    return items / rate > WORTH_WAKING_NS;
}

/* Whether what is left is worth waking others for, as far as can be said: the `done` items so far
 * were begun at start_ns. They may be pieces of a lease that is not over, which for the dispatcher
 * is all still to do. */
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

int yk_job_is_brief(const struct yk_job *job)
{
    int by_cores = 0, d;
    for (d = 0; d < job->device_count; d++)
        by_cores |= works_here(job, d);
    return job->recalled > 0 && by_cores &&
           (double)(job->last - job->first) < WORTH_WAKING_NS * job->recalled;
}

int yk_job_is_overdue(struct yk_job *job)
{
    return yk_now(job->runtime) > job->submitted_ns + 2 * (int64_t)WORTH_WAKING_NS;
}

/* Cores that are not asked sleep on: woken, they would be in the way of the threads that drive
 * GPUs.
 */
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

/* Nobody knows how long this job takes, and its first piece alone may be long. One sleeper is
 * woken, for the price of one; a device's host thread rather than a core's, as its kernel has to be
 * loaded. If the job still runs when it comes, it tells all others (worker.c). */
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

/* Where others work too, each bound to its core, the caller has to keep to the core of its lane, or
 * it ends up sharing one with a worker or a driver's thread while its own is idle. */
static int keep_core(struct yk_job *job, struct yk_affinity *before)
{
    const struct yk_runtime_device *device = &job->runtime->devices[job->borrowed_device];
    return yk_thread_pin(device->workers[job->borrowed_lane].cpu, before);
}

/* Only these devices stay with the calling thread; the others' host threads are told. */
static void keep_devices(struct yk_job *job, uint32_t devices)
{
    job->drove &= devices;
    if (atomic_exchange(&job->driven, devices) & ~devices)
        yk_job_tell(job);
}

/* A step of each driven device. One that could not be prepared has to wait for others' memory,
 * which is its host thread's to do. */
static enum yk_lane_state step_driven(struct yk_job *job)
{
    const uint32_t driven = atomic_load(&job->driven);
    enum yk_lane_state best = YK_LANE_IDLE;
    uint32_t unready = 0;
    int d;
    for (d = 0; d < job->device_count; d++) {
        int64_t wake_ns = 0;
        enum yk_lane_state state;
        if (!(driven & yk_team_bit(d)))
            continue;
        state = yk_device_step(job, d, &wake_ns);
        if (state < best)
            best = state;
        if (!job->devices[d].joined)
            unready |= yk_team_bit(d);
    }
    if (unready && unready != driven)
        keep_devices(job, driven & ~unready);
    return best;
}

/* Until the first flight of a driven device should end. A thread can sleep for one driver only:
 * where that end cannot be foretold, it keeps that device alone. */
static void await_driven(struct yk_job *job)
{
    const uint32_t driven = atomic_load(&job->driven);
    const int64_t now = yk_clock_ns();
    int64_t soonest = INT64_MAX;
    int d, first = yk_team_only(driven);
    if (first >= 0) {
        yk_device_await(job, first);
        return;
    }
    if (yk_runtime_polls(job->runtime)) {
        yk_pause();
        return;
    }
    for (d = 0; d < job->device_count; d++) {
        int64_t look_at;
        if ((driven & yk_team_bit(d)) && yk_device_is_busy(job, d, now, &look_at) &&
            look_at < soonest) {
            soonest = look_at;
            first = d;
        }
    }
    if (first < 0)
        return;
    if (soonest > now) {
        yk_clock_sleep_until(soonest);
    } else if (!yk_device_watch(job, first)) {
        keep_devices(job, yk_team_bit(first));
        yk_device_await(job, first);
    }
}

/* The calling thread drives devices until these find nothing more to do. */
static void drive_along(struct yk_job *job)
{
    enum yk_lane_state state = YK_LANE_WORKED;
    job->drove |= atomic_load(&job->driven);
    while (atomic_load(&job->phase) != YK_DONE && state != YK_LANE_IDLE) {
        state = step_driven(job);
        if (state == YK_LANE_BUSY)
            await_driven(job);
    }
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

/* The calling thread works as the lane of its core until that lane finds nothing more. */
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

void yk_caller_take_part(struct yk_job *job)
{
    if (atomic_load(&job->phase) == YK_RUNNING) {
        if (atomic_load(&job->driven))
            drive_along(job);
        else if (atomic_load(&job->borrowing))
            work_along(job);
    }
    if (atomic_load(&job->phase) != YK_DONE) {
        /* Others do the rest, also what may come back from a device that fails. */
        atomic_store(&job->borrowing, 0);
        atomic_store(&job->driven, 0);
        yk_job_tell(job);
    }
}
