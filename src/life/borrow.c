/* borrow.c - decides what the thread that calls yoke_run does of its job: it drives the GPUs that
 * do the whole job, or works as the lane of its core. */
#include "borrow.h"

#include "../job/call.h"
#include "../job/kernel.h"
#include "../job/wake.h"

/* A caller on a core that is kept free takes the last lane that works, and moves to its core. Linux
 * wakes it on the only idle core, so it would come there again and again. */
static void leave_kept(struct yk_job *job)
{
    const struct yk_job_device *jd = &job->devices[job->caller.borrowed_device];
    const int last = jd->device->lanes - jd->kept - 1;
    if (job->caller.borrowed_lane <= last)
        return;
    job->caller.borrowed_lane = last;
    job->caller.moves = 1;
}

/* A thread of the program could return late from its step, so it brings rows only if that takes
 * less time than a wake would. (Pinned memory is copied without the thread, however much it is.) It
 * cannot step the device if the kernel must be built: the device's host thread may be building it,
 * as in the first job of a process that knows the fastest device from an earlier process. Nor can
 * it step a step kernel, because each launch waits until the host has seen the end of the one
 * before. */
int yk_device_is_drivable(const struct yk_job *job, int device)
{
    return job->devices[device].bringing_ns < YK_WAKE_NS &&
           job->kernel->kernel.kind != YOKE_KERNEL_STEP && !job->pair &&
           yk_kernel_is_ready(job->kernel, job->runtime->devices[device].number);
}

/* Returns the devices, as bits, that do the whole job and that the caller can drive: either the
 * only device, if it has memory of its own, or several devices that can all be driven together. 0:
 * there are none. */
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
            (d == job->split.alone && yk_kernel_is_ready(job->kernel, devices[d].number)))
            return drivable;
        if (!yk_device_is_drivable(job, d))
            return 0;
    }
    return drivable;
}

/* The calling thread drives the devices that do the whole job, because waking their host threads
 * and being woken by them takes longer than a short job. But while other jobs run, host threads are
 * at work, and those of several devices queue the next kernels at the same time. Otherwise the
 * caller works as the lane of its core. */
void yk_caller_borrow(struct yk_job *job, int cpu)
{
    const yoke_runtime *runtime = job->runtime;
    const uint32_t drivable = drivable_devices(job);
    const int several = __builtin_popcount(drivable) > 1;
    const uint32_t driven = several && runtime->running_count > 0 ? 0 : drivable;
    int d, lane;
    atomic_store_explicit(&job->caller.driven, driven, memory_order_relaxed);
    for (d = 0; !driven && d < job->device_count; d++) {
        const struct yk_runtime_device *device = &runtime->devices[d];
        if (!yk_job_asks_cpu(job, d) || device->worker_count == 0)
            continue;
        lane = yk_lane_on(device, cpu);
        if (job->caller.borrowed_device < 0 || lane >= 0) {
            job->caller.borrowed_device = d;
            job->caller.borrowed_lane = lane < 0 ? 0 : lane;
        }
    }
    if (job->caller.borrowed_device >= 0)
        leave_kept(job);
    atomic_store_explicit(&job->caller.borrowing, job->caller.borrowed_device >= 0,
                          memory_order_relaxed);
}

static _Thread_local const struct yk_job *works_on;

void yk_caller_enter(const struct yk_job *job)
{
    works_on = job;
}

int yk_caller_is_here(const struct yk_job *job)
{
    return works_on == job;
}
