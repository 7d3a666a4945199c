/* worker.c - the loop that every thread of a runtime runs: look for jobs, step lanes, otherwise
 * sleep.
 *
 * A worker's lane is that of its core. A host thread steps all lanes of its device and also
 * prepares it for a job. No wake-up is lost: a thread reads runtime.change before it looks for
 * work, declares that it is asleep, and reads change again before it sleeps. A thread that changes
 * something first increments change and then looks which threads are asleep.
 */

#include "worker.h"

#include <stdio.h>
#include <string.h>

#include "../backend/cpu/cpu_device.h"
#include "../base/alloc.h"
#include "../flight/pipeline.h"
#include "../flight/steps.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "../job/workspace.h"
#include "../life/begin.h"
#include "../life/join.h"
#include "../partition/kept_cores.h"
#include "../platform/affinity.h"
#include "../platform/clock.h"
#include "await.h"
#include "lane.h"
#include "stuck_calls.h"
#include "takeover.h"

/* If an event cannot wake its host thread, that thread looks again after this time, in ns. */
#define LOOK_AGAIN_NS 1000000
/* Shortest sleep in ns; a shorter one is not worth its wake-up. */
#define DOZE_LEAST_NS 100000

struct yk_job *yk_job_next(yoke_runtime *runtime, struct yk_job *previous)
{
    uint64_t turn = previous ? previous->turn : 0;
    struct yk_job *job;
    int last = 0;
    /* Without the lock, because dozens of cores come here at a job's begin and end. A job that
     * begins at this moment calls threads later. */
    if (previous ? atomic_load(&runtime->turns) == turn
                 : atomic_load(&runtime->running_count) == 0) {
        if (previous)
            yk_job_look_away(previous);
        return NULL;
    }
    yk_lock(&runtime->lock);
    for (job = runtime->running; job; job = job->lists.next_running)
        if (job->turn > turn && atomic_load(&job->phase) == YK_RUNNING)
            break;
    if (job)
        yk_job_look(job);
    if (previous)
        last = yk_job_look_away_locked(previous);
    yk_unlock(&runtime->lock);
    if (last)
        yk_job_release(previous);
    return job;
}

/* Returns until when a host thread sleeps for flights without a prediction. The end of such a
 * flight wakes it. But for that both this thread and the driver's thread need a core, which took 5
 * ms on a busy machine. So the host thread also looks by itself, after half of the time that the
 * oldest flight has taken so far. */
static int64_t doze_until(const struct yk_job_device *jd, int64_t now)
{
    int64_t oldest = now, half;
    int lane;
    for (lane = 0; lane < jd->device->lanes; lane++)
        if (jd->flights[lane].busy && jd->flights[lane].issued_ns < oldest)
            oldest = jd->flights[lane].issued_ns;
    half = (now - oldest) / 2;
    return now + (half > DOZE_LEAST_NS ? half : DOZE_LEAST_NS);
}

/* Returns when to look at the device's flights, all of which are under way; 0: their ends wake the
 * thread. Uses predictions. A flight that is overdue or has no prediction wakes its host thread, if
 * the driver supports that. */
static int64_t wake_for_flights(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int64_t now = yk_now(job->runtime), look_at = 0;
    int lane, all_watched = 1;
    if (job->runtime->waiting == YOKE_WAIT_AUTO)
        look_at = yk_device_look_at(jd, now);
    for (lane = 0; lane < jd->device->lanes; lane++) {
        struct yk_flight *flight = &jd->flights[lane];
        if (flight->busy && !flight->watched && !yk_runtime_polls(job->runtime) &&
            (!look_at || yk_steps_go_on(flight)))
            yk_flight_call(job, device, lane);
        all_watched &= !flight->busy || flight->watched;
    }
    if (look_at)
        return look_at;
    if (job->runtime->waiting == YOKE_WAIT_AUTO)
        return doze_until(jd, now);
    return all_watched ? 0 : now + LOOK_AGAIN_NS;
}

enum yk_lane_state yk_device_step_lane(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    int64_t wake = 0;
    enum yk_lane_state state = YK_LANE_BUSY;
    if (yk_flight_is_due(job, device, lane))
        state = yk_lane_step(job, device, lane, &wake);
    yk_sooner(wake_ns, wake);
    return state;
}

/* Steps all lanes of a GPU. */
static enum yk_lane_state step_lanes(struct yk_job *job, int device, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    enum yk_lane_state best = YK_LANE_IDLE;
    int lane;
    if (!jd->joined && !yk_job_prepare(job, device)) {
        yk_sooner(wake_ns, yk_now(job->runtime) + LOOK_AGAIN_NS);
        return YK_LANE_IDLE;
    }
    for (lane = 0; lane < jd->device->lanes; lane++) {
        enum yk_lane_state state = yk_device_step_lane(job, device, lane, wake_ns);
        if (state < best)
            best = state;
    }
    if (best == YK_LANE_BUSY)
        yk_sooner(wake_ns, wake_for_flights(job, device));
    return best;
}

enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns)
{
    struct yk_stepper stepper;
    enum yk_lane_state state;
    if (yk_job_is_driven(job, device))
        return YK_LANE_IDLE;
    yk_calls_enter(job, device, &stepper);
    state = step_lanes(job, device, wake_ns);
    yk_calls_leave(job, device, &stepper);
    return state;
}

int yk_device_watch_jobs(yoke_runtime *runtime, int device, const unsigned *change)
{
    struct yk_job *job = NULL;
    struct yk_stepper stepper;
    int64_t look_at;
    int over = 0;
    while ((job = yk_job_next(runtime, job))) {
        if (over || device >= job->device_count || yk_pipeline_waits(job) ||
            yk_job_is_driven(job, device))
            continue;
        yk_calls_enter(job, device, &stepper);
        over = yk_device_is_busy(job, device, yk_now(runtime), &look_at) &&
               yk_device_watch(job, device, change);
        yk_calls_leave(job, device, &stepper);
    }
    return over;
}

static int is_borrowed(struct yk_job *job, const struct yk_worker *worker)
{
    return atomic_load(&job->caller.borrowing) && job->caller.borrowed_device == worker->device &&
           job->caller.borrowed_lane == worker->lane;
}

static enum yk_lane_state step_core(struct yk_job *job, struct yk_worker *worker, int64_t *wake_ns)
{
    enum yk_lane_state state, best = YK_LANE_IDLE;
    int64_t wake;
    if (is_borrowed(job, worker))
        return YK_LANE_IDLE;
    while ((state = yk_lane_step(job, worker->device, worker->lane, &wake)) == YK_LANE_WORKED) {
        best = YK_LANE_WORKED;
        if (atomic_load(&job->lanes.woken) != YK_WOKEN_ALL &&
            atomic_load(&job->phase) == YK_RUNNING && yk_job_is_overdue(job))
            yk_job_tell(job);
    }
    yk_sooner(wake_ns, wake);
    return best < state ? best : state;
}

/* Steps the lane of a job that was not given to this core, unless cores are left out of it, or its
 * caller works alone or with a few. Otherwise one core more would keep coming as long as there are
 * such jobs: it would always have found work a moment ago. And cores without a part would ask to be
 * woken when the job before ends: then all of them were awake, and jobs of a GPU took 60 to 100 us
 * instead of 15. */
static enum yk_lane_state join_core(struct yk_job *job, struct yk_worker *worker, int64_t *wake_ns)
{
    const int is_open =
        atomic_load(&job->lanes.woken) == YK_WOKEN_ALL || !atomic_load(&job->caller.borrowing);
    const int is_benched = atomic_load(&job->devices[worker->device].benched);
    return is_open && !is_benched ? step_core(job, worker, wake_ns) : YK_LANE_IDLE;
}

/* Binds the thread to its own core (`stays` 1) while jobs keep that core free, and unbinds it
 * later. If it stayed bound, it would share the core with the thread that submits jobs, because
 * Linux tends to wake threads near those that wake them (then n-body's job of 0.48 ms took 0.53
 * ms). */
static void stay(struct yk_worker *worker, int stays)
{
    if (worker->kept_cpu < 0 || stays == worker->stays)
        return;
    if (!stays)
        yk_thread_unpin(&worker->anywhere);
    else if (!yk_thread_pin(worker->kept_cpu, &worker->anywhere))
        worker->kept_cpu = -1; /* the core was taken from the process */
    worker->stays = stays;
}

int yk_jobs_begin_due(yoke_runtime *runtime)
{
    uint32_t team;
    if (!atomic_load(&runtime->behind_due))
        return 0;
    yk_lock(&runtime->lock);
    team = yk_jobs_start_behind(runtime);
    yk_unlock(&runtime->lock);
    if (team)
        yk_wake_team(runtime, team);
    return 1;
}

static enum yk_lane_state step_jobs(struct yk_worker *worker, int64_t *wake_ns)
{
    enum yk_lane_state state, best = YK_LANE_IDLE;
    struct yk_job *job = NULL;
    int stepped = 0, keeps = 0;
    *wake_ns = 0;
    worker->disturbs = 0;
    while ((job = yk_job_next(worker->runtime, job))) {
        if (job->split.core_item_ns <= 0 && !atomic_load(&job->lanes.woken))
            yk_job_tell(job); /* the job is long enough that a second thread has come, so it is
                                 worth waking the others */
        if (worker->device < job->device_count) {
            stepped = 1;
            keeps |= job->split.keeps_cores;
            worker->disturbs |= !job->split.keeps_cores &&
                                (worker->lane < 0 ? yk_job_asks_cores(job) : yk_job_asks_gpus(job));
            state = worker->lane < 0 ? yk_device_step(job, worker->device, wake_ns)
                                     : join_core(job, worker, wake_ns);
            if (state < best)
                best = state;
        }
    }
    if (stepped)
        stay(worker, keeps);
    if (best != YK_LANE_WORKED) /* if that begins jobs of this device, `change` shows it */
        yk_jobs_begin_due(worker->runtime);
    if (best == YK_LANE_BUSY && worker->lane < 0 &&
        yk_device_watch_jobs(worker->runtime, worker->device, &worker->change))
        best = YK_LANE_WORKED;
    return best;
}

/* Steps the lane of the job that was given to this worker alone. Returns YK_LANE_WORKED if there
 * may be other jobs, too. */
static enum yk_lane_state step_given(struct yk_worker *worker, int64_t *wake_ns)
{
    yoke_runtime *runtime = worker->runtime;
    struct yk_job *job = atomic_exchange(&worker->given, NULL);
    int others;
    *wake_ns = 0;
    worker->disturbs = 0;
    yk_job_call_on(job);
    step_core(job, worker, wake_ns);
    others = atomic_load(&runtime->turns) != job->turn || atomic_load(&runtime->running_count) > 1;
    yk_job_look_away(job);
    return others ? YK_LANE_WORKED : YK_LANE_IDLE;
}

static unsigned change_of(const struct yk_worker *worker)
{
    return atomic_load(&worker->runtime->devices[worker->device].change);
}

/* Returns 1 if there may be work that the thread did not find when it last looked. */
static int has_news(const struct yk_worker *worker)
{
    return change_of(worker) != worker->change || atomic_load(&worker->given);
}

/* Waits until there may be work, for as long as two wakes take (ski rental: one of another thread,
 * one of this). Between two short jobs of a program a thread so stays awake. */
static void stay_awake(const struct yk_worker *worker)
{
    const yoke_runtime *runtime = worker->runtime;
    const int64_t until = yk_clock_ns() + 2 * YK_WAKE_NS;
    while (!has_news(worker) && !atomic_load(&runtime->stop) && yk_clock_ns() < until)
        yk_pause();
}

static void sleep_until(struct yk_worker *worker, int64_t wake_ns)
{
    if (wake_ns && wake_ns <= yk_now(worker->runtime))
        return;
    atomic_store(&worker->asleep, 1);
    if (!has_news(worker) && !atomic_load(&worker->runtime->stop))
        wake_ns ? yk_parker_sleep_until(&worker->parker, wake_ns)
                : yk_parker_sleep(&worker->parker, -1);
    atomic_store(&worker->asleep, 0);
    if (change_of(worker) != worker->change)
        yk_wake_help(worker->runtime);
}

static int processors_of_this_thread(void)
{
    struct yk_processors mine;
    int count;
    if (yk_affinity_read(&mine) != YOKE_OK)
        return 0;
    count = yk_processors_count(&mine);
    yk_processors_close(&mine);
    return count;
}

/* Returns 0 if a thread that stays awake would keep another from its work: one that drives a GPU,
 * if the worker's core is not kept free for it; or, if it is a host thread itself, cores, the other
 * host threads or the program's own thread. */
static int may_stay_awake(const struct yk_worker *worker)
{
    const yoke_runtime *runtime = worker->runtime;
    const int count = atomic_load_explicit(&runtime->device_count, memory_order_acquire);
    int d, threads = 1;
    if (worker->disturbs || runtime->waiting != YOKE_WAIT_AUTO)
        return 0;
    for (d = 0; d < count; d++)
        threads += !runtime->devices[d].device->desc.host_memory;
    return worker->lane >= 0 || threads <= worker->processors;
}

/* About a microsecond between two looks: each takes a cache line from the thread that steps the
 * device. */
enum { PAUSES = 20 };

/* A thread of the program steps the host thread's device. Stays awake for a while, then sleeps
 * until that thread gives the device back, or until drivers' calls must be watched. */
static void stay_off(struct yk_worker *worker)
{
    const int64_t until = yk_clock_ns() + 2 * YK_WAKE_NS;
    const int stays = may_stay_awake(worker);
    int64_t wake_ns;
    int pauses;
    while (!yk_host_may_take(worker) && !atomic_load(&worker->runtime->stop)) {
        if (stays && yk_clock_ns() < until) {
            for (pauses = 0; pauses < PAUSES; pauses++)
                yk_pause();
            continue;
        }
        wake_ns = yk_calls_attend(worker);
        atomic_store(&worker->asleep, 1);
        if (yk_host_is_off(worker) && !atomic_load(&worker->runtime->stop))
            wake_ns ? yk_parker_sleep_until(&worker->parker, wake_ns)
                    : yk_parker_sleep(&worker->parker, -1);
        atomic_store(&worker->asleep, 0);
    }
}

/* Steps the jobs of a core, or of a host thread's device. Returns 0 if that device is not free. */
static int step(struct yk_worker *worker, enum yk_lane_state *state, int64_t *wake_ns)
{
    if (worker->lane < 0 && !yk_host_takes(worker))
        return 0;
    *state = step_jobs(worker, wake_ns);
    if (worker->lane < 0)
        yk_host_gives(worker);
    return 1;
}

static void run(void *context)
{
    struct yk_worker *worker = context;
    yoke_runtime *runtime = worker->runtime;
    int worked = 0, has_given;
    yk_worker_enter(worker);
    if (runtime->roams && worker->cpu < 0)
        yk_affinity_widen();
    if (worker->lane < 0)
        worker->processors = processors_of_this_thread();
    while (!atomic_load(&runtime->stop)) {
        int64_t wake_ns;
        enum yk_lane_state state;
        worker->change = change_of(worker);
        has_given = atomic_load(&worker->given) != NULL;
        if (has_given)
            state = step_given(worker, &wake_ns);
        else if (!step(worker, &state, &wake_ns)) {
            stay_off(worker);
            continue;
        }
        worked |= has_given || state == YK_LANE_WORKED;
        if (state == YK_LANE_WORKED)
            continue;
        if (worked && state == YK_LANE_IDLE && may_stay_awake(worker)) {
            stay_awake(worker);
            worked = 0;
            continue;
        }
        if (worker->lane < 0)
            yk_sooner(&wake_ns, yk_calls_attend(worker));
        sleep_until(worker, wake_ns);
    }
}

/* Returns the processor on which the host thread of a device with memory of its own stays while
 * cores are kept free; -1: none. */
static int host_cpu(const yoke_runtime *runtime, const struct yk_runtime_device *device)
{
    const struct yk_runtime_device *other;
    int nth = 0, core = -1;
    if (yk_runtime_polls(runtime))
        return -1;
    for (other = runtime->devices; other < device; other++)
        nth += !other->device->desc.host_memory;
    for (other = runtime->devices; other < device; other++)
        if (other->device->desc.backend == &yk_backend_cpu)
            break;
    if (other < device)
        core = yk_kept_core(other->lanes, other->device->desc.cores, nth);
    return core < 0 ? -1 : yk_cpu_cores(&other->device->desc)[core];
}

static yoke_status open_worker(struct yk_worker *worker, const struct yk_runtime_device *device)
{
    char name[YOKE_DEVICE_NAME_MAX + 16];
    int naps = worker->lane < 0 && !yk_runtime_polls(worker->runtime);
    struct yk_thread_spec spec = { .name = name,
                                   .cpu = worker->cpu,
                                   .run = run,
                                   .context = worker,
                                   .kind = naps ? YK_THREAD_ATTENDS : YK_THREAD_WORKS };
    if (worker->lane < 0)
        snprintf(name, sizeof name, "yk-%s", device->device->desc.name);
    else
        snprintf(name, sizeof name, "yk-%s/%d", device->device->desc.name, worker->lane);
    return yk_thread_open(&spec, &worker->thread);
}

yoke_status yk_workers_open(yoke_runtime *runtime, struct yk_runtime_device *device)
{
    const struct yk_device_desc *desc = &device->device->desc;
    const int *cores = desc->backend == &yk_backend_cpu ? yk_cpu_cores(desc) : NULL;
    int host = desc->host_memory, count = host ? device->lanes : 1, w;
    yoke_status status;
    device->workers = yk_alloc_aligned((size_t)count * sizeof *device->workers, 64);
    if (!device->workers)
        return YOKE_ENOMEM;
    memset(device->workers, 0, (size_t)count * sizeof *device->workers);
    for (w = 0; w < count; w++) {
        struct yk_worker *worker = &device->workers[w];
        worker->runtime = runtime;
        worker->device = device->number;
        worker->lane = host ? w : -1;
        worker->cpu = cores && w < desc->cores ? cores[w] : -1;
        worker->kept_cpu = host ? -1 : host_cpu(runtime, device);
        if (worker->kept_cpu >= 0 && device->place->pinner)
            yk_pinner_stay(device->place->pinner, worker->kept_cpu);
        status = open_worker(worker, device);
        if (status != YOKE_OK)
            return status; /* the caller closes the threads that were started */
        device->worker_count = w + 1;
    }
    return YOKE_OK;
}

void yk_workers_join(struct yk_runtime_device *device)
{
    int w;
    for (w = 0; w < device->worker_count; w++)
        yk_parker_wake(&device->workers[w].parker);
    for (w = 0; w < device->worker_count; w++)
        yk_thread_join(&device->workers[w].thread);
    for (w = 0; w < device->worker_count; w++) { /* one may have called another that was over */
        struct yk_job *given = atomic_exchange(&device->workers[w].given, NULL);
        if (given)
            yk_job_look_away(given);
    }
}

void yk_workers_close(struct yk_runtime_device *device)
{
    yk_free(device->workers);
    device->workers = NULL;
    device->worker_count = 0;
}
