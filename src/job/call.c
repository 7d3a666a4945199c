/* call.c - which threads work on a job, and how they learn of it. A wake costs its caller some
 * microseconds, which is much for a short job. So a brief job wakes none, and a short job of cores
 * is given to as many of them as pay.
 */
#include "call.h"

#include <math.h>

#include "wake.h"
#include "workspace.h"

/* Returns 1 if a CPU (host_memory 1) or another device (0) takes part. */
static int asks(const struct yk_job *job, int host_memory)
{
    int found = 0, d;
    for (d = 0; d < job->device_count; d++)
        found |= yk_job_in_team(job, d) && yk_job_asks_cpu(job, d) == host_memory;
    return found;
}

int yk_job_asks_cores(const struct yk_job *job)
{
    return asks(job, 1);
}

int yk_job_asks_gpus(const struct yk_job *job)
{
    return asks(job, 0);
}

/* A wake of another thread, and one to notice that it is done. (On 32 cores a woken team did the
 * shortest jobs in 68 us, one core in 6.) */
static const double help_ns = 2 * YK_WAKE_NS;
/* Time until a core that is awake begins its part of a job, and its end is noticed. */
static const double calling_ns = 2000;
/* By this time each core that takes part delays the others, because all of them change the same
 * cache lines, one after another. (saxpy of 65,536 to 1,048,576 elements on 32 cores.) */
static const double joining_ns = 300;

/* Returns 1 if only the CPU of the caller's lane takes part. */
static int is_for_cores(const struct yk_job *job)
{
    return job->split.team == yk_team_bit(job->caller.borrowed_device);
}

/* Returns the number of lanes besides the caller's. */
static int others(const struct yk_job *job)
{
    const struct yk_job_device *jd = &job->devices[job->caller.borrowed_device];
    return jd->device->lanes - jd->kept - 1;
}

/* Returns 1 if all of these help the caller. */
static int all_help(const struct yk_job *job)
{
    return atomic_load(&job->lanes.helpers) == others(job);
}

/* Returns the number of cores besides the caller's that pay. With h of them the job takes
 * work_ns / (h + 1) + h joining_ns. */
static int helpers(const struct yk_job *job, double work_ns)
{
    return (int)fmin(sqrt(work_ns / joining_ns), others(job));
}

/* Returns by how much sooner the job ends if cores that are awake help the caller's. */
static double gain_ns(const struct yk_job *job, double work_ns)
{
    const int h = helpers(job, work_ns);
    return work_ns - work_ns / (h + 1) - h * joining_ns - calling_ns;
}

/* Returns 1 if the first core that would help the caller is awake. */
static int has_company(const struct yk_job *job)
{
    const struct yk_runtime_device *device = &job->runtime->devices[job->caller.borrowed_device];
    const int second = job->caller.borrowed_lane == 0;
    return second < device->worker_count && !atomic_load(&device->workers[second].asleep);
}

/* Returns 1 if the caller's core should work alone although others could help it. If they sleep, it
 * pays to wake them for this job, or for the next ones: jobs that follow each other closely find
 * them awake. So they are woken when jobs have lost as much as a wake costs (ski rental). */
static int suits_caller(const struct yk_job *job, double work_ns)
{
    const struct yk_job_device *jd = &job->devices[job->caller.borrowed_device];
    if (!is_for_cores(job))
        return work_ns < (has_company(job) ? YK_WORTH_WAKING_NS : help_ns);
    if (others(job) == 0)
        return 1;
    return gain_ns(job, work_ns) <=
           (has_company(job) ? 0 : help_ns - (double)atomic_load(&jd->device->missed_ns));
}

int yk_job_suits_one(const struct yk_job *job, double work_ns)
{
    if (job->split.planned && yk_job_asks_gpus(job))
        return 0;
    if (job->device_count > 1 && !yk_job_splits_freely(job->split.partitioner))
        return 0;
    return job->caller.borrowed_device < 0 ? work_ns < help_ns : suits_caller(job, work_ns);
}

int yk_job_is_brief(const struct yk_job *job)
{
    return job->split.core_item_ns > 0 && !job->split.builds && yk_job_asks_cores(job) &&
           yk_job_suits_one(job, (double)(job->last - job->first) * job->split.core_item_ns);
}

int yk_job_is_overdue(struct yk_job *job)
{
    return (double)(yk_now(job->runtime) - job->outcome.submitted_ns) > 2 * help_ns;
}

/* Counts what the job loses because its caller works alone while other cores sleep, if they would
 * still be awake from the job before. */
static void note_missed(struct yk_job *job, double work_ns)
{
    struct yk_runtime_device *device = job->devices[job->caller.borrowed_device].device;
    const int64_t pause_ns = job->outcome.submitted_ns - atomic_load(&device->served_ns);
    const double lost_ns = gain_ns(job, work_ns);
    if (lost_ns > 0 && (double)pause_ns < help_ns)
        atomic_fetch_add(&device->missed_ns, (int64_t)lost_ns);
}

void yk_job_invite(struct yk_job *job, double work_ns, int alone)
{
    struct yk_job_device *jd = &job->devices[job->caller.borrowed_device];
    if (alone) {
        note_missed(job, work_ns);
    } else {
        atomic_store(&job->lanes.helpers, is_for_cores(job) ? helpers(job, work_ns) : 0);
        atomic_store(&jd->device->missed_ns, 0);
    }
    job->caller.calls = !alone;
    /* Binding the caller to its core takes 4 us with the way back. */
    job->caller.roams = work_ns / (others(job) + 1) < help_ns;
    if (is_for_cores(job) || alone)
        atomic_store_explicit(&jd->leases.cutters, atomic_load(&job->lanes.helpers) + 1,
                              memory_order_relaxed);
}

/* The job is given to the first cores. So the same cores get the same rows in every job, wherever
 * its caller runs. They need not look for it under runtime.lock, for which dozens of cores would
 * wait longer than for the work. Returns the lane of the nth core that helps the caller's, from
 * 1 on. */
static int lane_of(const struct yk_job *job, int nth)
{
    return nth - 1 < job->caller.borrowed_lane ? nth - 1 : nth;
}

/* Gives the job to the nth core. */
static void give(struct yk_job *job, int n)
{
    const struct yk_runtime_device *device = job->devices[job->caller.borrowed_device].device;
    struct yk_worker *worker = &device->workers[lane_of(job, n)];
    struct yk_job *before;
    atomic_fetch_add(&job->presence.looks, 1);
    before = atomic_exchange(&worker->given, job);
    if (before)
        yk_job_look_away(before);
    yk_wake_sleeper(worker);
}

/* A call takes 0.2 us, of a sleeping core some microseconds. So cores that were called help to call
 * the rest. */
void yk_job_call_on(struct yk_job *job)
{
    const int helpers = atomic_load(&job->lanes.helpers);
    int n;
    while (atomic_load(&job->presence.called) < helpers && atomic_load(&job->phase) == YK_RUNNING &&
           (n = 1 + atomic_fetch_add(&job->presence.called, 1)) <= helpers)
        give(job, n);
}

static void call_cores(struct yk_job *job)
{
    atomic_store(&job->presence.called, 0);
    yk_job_call_on(job);
}

void yk_job_tell(struct yk_job *job)
{
    atomic_store(&job->lanes.woken, YK_WOKEN_ALL);
    yk_wake_team(job->runtime, job->split.team);
}

void yk_job_call(struct yk_job *job)
{
    job->caller.calls = 0;
    if (!is_for_cores(job)) {
        yk_job_tell(job);
        return;
    }
    atomic_store(&job->lanes.woken, all_help(job) ? YK_WOKEN_ALL : YK_WOKEN_SOME);
    call_cores(job);
}

int yk_job_binds_caller(const struct yk_job *job)
{
    return (job->caller.moves || !job->caller.roams) &&
           (atomic_load(&job->lanes.woken) == YK_WOKEN_ALL || (job->caller.calls && all_help(job)));
}

/* Cores that do not take part are not woken, because they would disturb the threads that drive
 * GPUs. */
void yk_job_wake(struct yk_job *job)
{
    if (atomic_load(&job->lanes.woken) == YK_WOKEN_SOME)
        call_cores(job);
    else
        yk_wake_team(job->runtime, job->split.team);
}

void yk_job_note_free(struct yk_job *job)
{
    const int all_out = yk_dispatch_free(job->dispatch) == 0;
    if (atomic_load_explicit(&job->lanes.all_out, memory_order_relaxed) != all_out)
        atomic_store(&job->lanes.all_out, all_out);
}
