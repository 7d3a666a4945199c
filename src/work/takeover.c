/* takeover.c - a thread of the program that waits for a job steps its GPU in place of the host
 * thread.
 *
 * If two threads work on a job, its memory moves between their caches, and they wait for each other
 * in the driver. A program that submitted jobs and waited for the sum of the last one had its GPU
 * idle for 25 us at each sum: the host thread noticed the end and ended the job, the program's
 * thread woke and submitted the next one, and the host thread launched it. Now the program's thread
 * does all that.
 *
 * One thread at a time steps a device: the host thread, or one of the program. A thread that wants
 * a device says so, and the host thread gives it back after its step. A thread of the program that
 * gives a device back may soon come again: to submit the next job, or to wait for it. So the host
 * thread takes it only when it has been free for as long as passing it on costs (ski rental). The
 * program wakes the host thread before it sleeps or returns, if jobs run.
 *
 * Only jobs of one GPU are taken over: several get their kernels sooner from threads of their own.
 * A job that builds a kernel, or for which a thread must copy many rows, stays with the host
 * thread, because such a step takes long, and the program may wait for another job.
 */
#include "takeover.h"

#include "../job/call.h"
#include "../job/wake.h"
#include "../life/borrow.h"
#include "../platform/clock.h"
#include "worker.h"

/* Time in ns that passing a device to another thread costs: some hundred cache lines. */
static const int64_t passing_ns = 5000;

static int take(struct yk_runtime_device *device, int taker)
{
    int none = YK_STEPPED_BY_NONE;
    return atomic_compare_exchange_strong(&device->stepped_by, &none, taker);
}

/* --- the host thread --- */

static struct yk_runtime_device *device_of(const struct yk_worker *worker)
{
    return &worker->runtime->devices[worker->device];
}

int yk_host_may_take(const struct yk_worker *worker)
{
    const struct yk_runtime_device *device = device_of(worker);
    const int64_t left_ns = atomic_load(&device->left_ns);
    return !yk_host_is_off(worker) && (!left_ns || yk_clock_ns() - left_ns > passing_ns);
}

int yk_host_is_off(const struct yk_worker *worker)
{
    const struct yk_runtime_device *device = device_of(worker);
    return atomic_load(&device->stepped_by) != YK_STEPPED_BY_NONE || atomic_load(&device->wanted);
}

int yk_host_takes(const struct yk_worker *worker)
{
    struct yk_runtime_device *device = device_of(worker);
    if (!yk_host_may_take(worker) || !take(device, YK_STEPPED_BY_HOST_THREAD))
        return 0;
    atomic_store(&device->left_ns, 0);
    return 1;
}

void yk_host_gives(const struct yk_worker *worker)
{
    atomic_store(&device_of(worker)->stepped_by, YK_STEPPED_BY_NONE);
}

/* --- a thread that waits --- */

void yk_takeover_open(struct yk_takeover *takeover, yoke_runtime *runtime)
{
    *takeover = (struct yk_takeover){ .runtime = runtime,
                                      .device = -1,
                                      .over = !runtime || runtime->virtual_clock ||
                                              runtime->waiting != YOKE_WAIT_AUTO };
}

/* From now on the host thread does not take the device. If it has it, it may be watching a flight,
 * which it stops when the device's `change` has changed. */
static void want(struct yk_takeover *takeover, int device)
{
    struct yk_runtime_device *wanted = &takeover->runtime->devices[device];
    takeover->device = device;
    atomic_fetch_add(&wanted->wanted, 1);
    if (atomic_load(&wanted->stepped_by) == YK_STEPPED_BY_HOST_THREAD)
        atomic_fetch_add(&wanted->change, 1);
}

/* The host thread may have fallen asleep since. It counts itself asleep before it looks whether it
 * is off, and a job counts as running before its threads are woken. So either it sees that the
 * device is free, or this thread sees it asleep. */
void yk_takeover_close(struct yk_takeover *takeover)
{
    struct yk_runtime_device *device;
    if (takeover->device < 0)
        return;
    device = &takeover->runtime->devices[takeover->device];
    if (takeover->held) {
        atomic_store(&device->left_ns, yk_clock_ns());
        atomic_store(&device->stepped_by, YK_STEPPED_BY_NONE);
    }
    atomic_fetch_sub(&device->wanted, 1);
    takeover->held = 0;
    takeover->device = -1;
    if (device->workers && atomic_load(&takeover->runtime->running_count) > 0)
        yk_wake_sleeper(device->workers);
}

/* Returns 1 if the awaited job may need the device. */
static int may_help(const struct yk_takeover *takeover, int device)
{
    return !takeover->awaited || atomic_load(&takeover->awaited->phase) != YK_RUNNING ||
           takeover->awaited->split.team == yk_team_bit(device);
}

/* Returns 1 if this thread should step the job. Wants the device of the first such job. If a job
 * needs that device's host thread, the takeover is over. */
static int suits(struct yk_takeover *takeover, const struct yk_job *job)
{
    const int alone = yk_team_only(job->split.team);
    const int is_light = alone >= 0 && !yk_job_asks_cores(job) && yk_device_is_drivable(job, alone);
    if (alone >= 0 && yk_job_is_driven(job, alone))
        return 0; /* by the thread that runs it (drive.c) */
    if (!is_light)
        takeover->over |= takeover->device >= 0 && yk_job_in_team(job, takeover->device);
    else if (takeover->device < 0 && !takeover->over && may_help(takeover, alone))
        want(takeover, alone);
    return is_light && !takeover->over && takeover->device == alone;
}

/* Returns 1 if this thread has the device that it wants. */
static int has(struct yk_takeover *takeover)
{
    if (!takeover->held)
        takeover->held = take(&takeover->runtime->devices[takeover->device], YK_STEPPED_BY_PROGRAM);
    return takeover->held;
}

static enum yk_lane_state step_jobs(struct yk_takeover *takeover)
{
    enum yk_lane_state state, best = YK_LANE_IDLE;
    struct yk_job *job = NULL;
    int64_t wake_ns = 0;
    if (takeover->device >= 0 && !may_help(takeover, takeover->device))
        yk_takeover_close(takeover);
    while ((job = yk_job_next(takeover->runtime, job))) {
        if (!suits(takeover, job) || !has(takeover))
            continue;
        job->caller.drove |= yk_team_bit(takeover->device);
        state = yk_device_step(job, takeover->device, &wake_ns);
        if (state < best)
            best = state;
    }
    if (takeover->over)
        yk_takeover_close(takeover);
    return best;
}

int yk_takeover_look(struct yk_takeover *takeover)
{
    const int device = takeover->device; /* -1: it watches from the next look on */
    enum yk_lane_state state;
    unsigned change = 0;
    if (takeover->over)
        return 0;
    if (device >= 0)
        change = atomic_load(&takeover->runtime->devices[device].change);
    state = step_jobs(takeover);
    if (takeover->held && state != YK_LANE_WORKED && !yk_jobs_begin_due(takeover->runtime) &&
        state == YK_LANE_BUSY && takeover->device == device)
        yk_device_watch_jobs(takeover->runtime, device, &change);
    return takeover->held;
}

/* --- a thread that submits --- */

void yk_takeover_stay(struct yk_takeover *takeover)
{
    int d, count;
    if (takeover->over)
        return;
    count = atomic_load_explicit(&takeover->runtime->device_count, memory_order_acquire);
    for (d = 0; takeover->device < 0 && d < count; d++)
        if (atomic_load(&takeover->runtime->devices[d].left_ns))
            want(takeover, d);
}

int yk_takeover_suits(const struct yk_takeover *takeover, const struct yk_job *job)
{
    return takeover->device >= 0 && atomic_load(&job->phase) == YK_RUNNING &&
           job->split.team == yk_team_bit(takeover->device);
}

/* If the job has not begun, there is enough to do for two threads: this one goes on submitting, and
 * the host thread launches. */
int yk_takeover_launch(struct yk_takeover *takeover, const struct yk_job *job)
{
    const int launches = yk_takeover_suits(takeover, job);
    if (launches)
        step_jobs(takeover);
    else if (takeover->device >= 0)
        atomic_store(&takeover->runtime->devices[takeover->device].left_ns, 0);
    yk_takeover_close(takeover);
    return launches && !takeover->over;
}
