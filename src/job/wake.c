/* wake.c - wakes threads if that pays. A wake costs its caller some microseconds, which is much for
 * a short job. So one thread wakes a few others, which wake the rest; a brief job wakes none; and a
 * short job of cores is given to as many of them as pay.
 */
#include "wake.h"

#include <math.h>

#include "workspace.h"

static void rouse(struct yk_worker *worker)
{
    if (atomic_load(&worker->asleep))
        yk_parker_wake(&worker->parker);
}

/* A wake takes its caller about 5 us, which adds up on many cores. So a woken thread helps:
 * runtime.next_to_wake deals out the sleeping threads. The caller itself goes on to the end of the
 * list, so a helper that does not run at once delays no other thread. */
void yk_wake_help(yoke_runtime *runtime)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w;
    while ((w = atomic_fetch_add(&runtime->next_to_wake, 1)) >= 0) {
        /* Host threads come first, because their devices take time to start. */
        for (d = count - 1; d >= 0 && w >= runtime->devices[d].worker_count; d--)
            w -= runtime->devices[d].worker_count;
        if (d < 0)
            return;
        rouse(&runtime->devices[d].workers[w]);
    }
}

void yk_wake_all(yoke_runtime *runtime)
{
    atomic_fetch_add(&runtime->change, 1);
    atomic_store(&runtime->next_to_wake, 0);
    yk_wake_help(runtime);
}

void yk_wake(yoke_runtime *runtime, struct yk_worker *worker)
{
    atomic_fetch_add(&runtime->change, 1); /* in case the worker is about to sleep */
    rouse(worker);
}

/* A core that is about to sleep first says so, then reads `change` again. So a core that still
 * looks awake after `change` was incremented will look for work: at once if no other job runs. If
 * other jobs run, it may be in a long chunk, so a sleeping core is woken instead. If there are no
 * cores, all threads are woken. */
void yk_wake_few(yoke_runtime *runtime, int running)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w, cores = 0;
    struct yk_worker *sleeper = NULL;
    atomic_fetch_add(&runtime->change, 1);
    for (d = 0; d < count && !(sleeper && running > 1); d++)
        for (w = 0; w < runtime->devices[d].worker_count && !(sleeper && running > 1); w++) {
            struct yk_worker *worker = &runtime->devices[d].workers[w];
            if (worker->lane < 0)
                continue;
            cores++;
            if (atomic_load(&worker->asleep))
                sleeper = worker;
            else if (running == 1)
                return;
        }
    if (sleeper)
        yk_parker_wake(&sleeper->parker);
    else if (!cores)
        yk_wake_all(runtime);
}

static _Thread_local const struct yk_worker *self;

void yk_worker_enter(const struct yk_worker *worker)
{
    self = worker;
}

int yk_is_core(const yoke_runtime *runtime)
{
    return self && self->runtime == runtime && self->lane >= 0;
}

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

/* Returns 1 if the first core that would help the caller is awake. */
static int has_company(const struct yk_job *job)
{
    const int borrowed = job->caller.borrowed_device, second = job->caller.borrowed_lane == 0;
    return borrowed >= 0 && second < job->runtime->devices[borrowed].worker_count &&
           !atomic_load(&job->runtime->devices[borrowed].workers[second].asleep);
}

int yk_job_suits_one(const struct yk_job *job, double items, double item_ns)
{
    return items * item_ns < (has_company(job) ? YK_WORTH_WAKING_NS : help_ns) &&
           !(job->split.planned && yk_job_asks_gpus(job));
}

int yk_job_is_brief(const struct yk_job *job)
{
    return job->split.core_item_ns > 0 && !job->split.builds && yk_job_asks_cores(job) &&
           yk_job_suits_one(job, (double)(job->last - job->first), job->split.core_item_ns);
}

int yk_job_is_overdue(struct yk_job *job)
{
    return (double)(yk_now(job->runtime) - job->outcome.submitted_ns) > 2 * help_ns;
}

void yk_wake_devices(yoke_runtime *runtime, uint32_t devices)
{
    int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire), d, w;
    for (d = count - 1; devices && d >= 0; d--)
        for (w = 0; (devices & yk_team_bit(d)) && w < runtime->devices[d].worker_count; w++)
            yk_wake(runtime, &runtime->devices[d].workers[w]);
}

void yk_wake_team(yoke_runtime *runtime, uint32_t devices)
{
    const uint32_t all =
        yk_team_all(atomic_load_explicit(&runtime->device_count, memory_order_acquire));
    if ((devices & all) == all)
        yk_wake_all(runtime);
    else
        yk_wake_devices(runtime, devices);
}

/* In ns. By this time each core that takes part delays the others, because all of them change the
 * same cache lines, one after another. (saxpy of 65,536 to 1,048,576 elements on 32 cores.) */
#define JOINING_NS 300.0

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

/* Returns the number of cores besides the caller's that pay. With h of them the job takes
 * work_ns / (h + 1) + h JOINING_NS. */
static int helpers(const struct yk_job *job, double work_ns)
{
    return (int)fmin(sqrt(work_ns / JOINING_NS), others(job));
}

void yk_job_invite(struct yk_job *job, double work_ns)
{
    struct yk_job_device *jd = &job->devices[job->caller.borrowed_device];
    job->lanes.helpers = work_ns > 0 ? helpers(job, work_ns) : 0;
    job->caller.calls = work_ns > 0;
    if (is_for_cores(job) || work_ns == 0)
        atomic_store_explicit(&jd->leases.cutters, job->lanes.helpers + 1, memory_order_relaxed);
}

/* The job is given to the first cores. So the same cores get the same rows in every job, wherever
 * its caller runs. They need not look for it under runtime.lock, for which dozens of cores would
 * wait longer than for the work. Returns the lane of the nth core that helps the caller's, from
 * 1 on. */
static int lane_of(const struct yk_job *job, int nth)
{
    return nth - 1 < job->caller.borrowed_lane ? nth - 1 : nth;
}

/* Calls the cores that the nth one calls: those from n fan + 1 to n fan + fan. Number 0 is the
 * caller's. A call takes 0.2 us; with this fan all are called after two rounds. */
static void call_cores(struct yk_job *job, int nth)
{
    const struct yk_runtime_device *device = job->devices[job->caller.borrowed_device].device;
    const int helpers = job->lanes.helpers, fan = (int)ceil(sqrt(helpers));
    const int first = nth * fan + 1, last = (int)fmin(first + fan, helpers + 1);
    int n;
    if (first >= last)
        return;
    atomic_fetch_add(&job->presence.looks, last - first);
    for (n = first; n < last; n++) {
        struct yk_worker *worker = &device->workers[lane_of(job, n)];
        struct yk_job *before = atomic_exchange(&worker->given, job);
        if (before)
            yk_job_look_away(before);
        if (atomic_load(&worker->asleep)) { /* those that it should call need not wait for it */
            yk_parker_wake(&worker->parker);
            call_cores(job, n);
        }
    }
}

void yk_job_pass_on(struct yk_job *job, int lane)
{
    if (atomic_load(&job->phase) == YK_RUNNING)
        call_cores(job, lane < job->caller.borrowed_lane ? lane + 1 : lane);
}

void yk_job_tell(struct yk_job *job)
{
    atomic_store(&job->lanes.woken, YK_WOKEN_ALL);
    yk_wake_team(job->runtime, job->split.team);
}

void yk_job_call(struct yk_job *job)
{
    const int all = job->lanes.helpers == others(job);
    job->caller.calls = 0;
    if (!is_for_cores(job) || (all && !has_company(job))) {
        yk_job_tell(job);
        return;
    }
    atomic_store(&job->lanes.woken, all ? YK_WOKEN_ALL : YK_WOKEN_SOME);
    call_cores(job, 0);
}

int yk_job_wants_all(const struct yk_job *job)
{
    return atomic_load(&job->lanes.woken) == YK_WOKEN_ALL ||
           (job->caller.calls && job->lanes.helpers == others(job));
}

/* Cores that do not take part are not woken, because they would disturb the threads that drive
 * GPUs. */
void yk_job_wake(struct yk_job *job)
{
    if (atomic_load(&job->lanes.woken) == YK_WOKEN_SOME)
        call_cores(job, 0);
    else
        yk_wake_team(job->runtime, job->split.team);
}

void yk_job_note_free(struct yk_job *job)
{
    const int all_out = yk_dispatch_free(job->dispatch) == 0;
    if (atomic_load_explicit(&job->lanes.all_out, memory_order_relaxed) != all_out)
        atomic_store(&job->lanes.all_out, all_out);
}
