/* begin.c - how a job that waits for nothing begins, and how a job that is over leaves the lists,
 * which lets others begin.
 *
 * Devices, dispatcher and everything that lanes need are made only when a job begins: then most is
 * known about similar jobs and where rows are. Jobs that still wait take little memory. To limit
 * memory, at most RUNNING_MOST jobs run at a time; more would not keep threads busier.
 *
 * A job may also begin behind the job for whose rows it waits, while that one runs
 * (flight/pipeline.h). It does if that is the only one, and if both follow the plan of their
 * arrays: then devices keep to their rows, so parts need only wait for parts. A job that may change
 * the plan waits, so that times of jobs before and after the change are told apart. At most one job
 * at a time runs behind another: with two, a device has always something to do.
 *
 * All with runtime.lock held.
 */

#include "begin.h"

#include <string.h>

#include "../base/status.h"
#include "../flight/alternative.h"
#include "../flight/pipeline.h"
#include "../job/call.h"
#include "../job/lost_rows.h"
#include "../job/order.h"
#include "../job/reduction.h"
#include "borrow.h"
#include "decomposition.h"
#include "decomposition_round.h"
#include "foresee.h"
#include "plan.h"
#include "stranded.h"
#include "weights.h"

enum { RUNNING_MOST = 64 };

static void append_ready(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    job->lists.next_ready = NULL;
    *(runtime->first_ready ? &runtime->last_ready->lists.next_ready : &runtime->first_ready) = job;
    runtime->last_ready = job;
}

/* The last job for which this one waited is over. */
static void release(struct yk_job *job)
{
    if (!job->turn) {
        append_ready(job);
        return;
    }
    job->pipeline.freed_ns = job->pipeline.before->outcome.ended_ns;
    atomic_store_explicit(&job->pipeline.waits, 0, memory_order_release);
}

/* The text names the first cause: a queue's last job would otherwise tell of all jobs before it. */
static void doom(struct yk_job *job, const struct yk_job *because)
{
    static const char needs[] = "was not done, because it needs", failed[] = ", which failed: ";
    const char *text = because->outcome.text ? because->outcome.text : "", *first;
    while (strstr(text, needs) && (first = strstr(text, failed)))
        text = first + strlen(failed);
    yk_job_fail(job, yk_fail(YOKE_ECANCELED, "%s %s %s%s%s", job->name, needs, because->name,
                             failed, text));
    job->order.misses_rows |= yk_job_loses_rows(because);
}

/* CPU devices join at once, the others when their host thread has prepared them. job.lock is not
 * needed: other threads find the job in a list that runtime.lock protects, or see its phase, which
 * is stored last. */
static void start(struct yk_job *job)
{
    int d;
    job->outcome.submitted_ns = job->outcome.reported_ns = yk_now(job->runtime);
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->joined || jd->retired || jd->benched)
            continue;
        yk_dispatch_join(job->dispatch, d, job->outcome.submitted_ns);
    }
    job->split.readied = yk_places_readied(&job->runtime->places);
    atomic_store_explicit(&job->phase, YK_RUNNING, memory_order_release);
}

/* Kernels of CPU devices are function pointers. They are built here, so that the first chunk starts
 * at once. */
static void build_on_hosts(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->device->device->desc.host_memory)
            continue;
        jd->joined = 1;
        jd->retired = yk_alternative_build_on_host(job, d) != YOKE_OK;
        if (jd->retired)
            yk_dispatch_leave(job->dispatch, d, job->kernel->builds[d].text);
    }
    yk_job_check_stranded(job);
}

/* Benches the devices that do not take part. The reason is formatted only when a caller asks for it
 * (result.c), because that takes longer than a short job. */
static void bench_others(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (yk_job_in_team(job, d) || jd->retired)
            continue;
        jd->benched = jd->joined = 1;
        yk_dispatch_leave(job->dispatch, d, "");
    }
}

int yk_job_may_begin(const struct yk_job *job)
{
    const yoke_runtime *runtime = job->runtime;
    return job->order.waits == 0 && !runtime->first_ready && runtime->running_count < RUNNING_MOST;
}

yoke_status yk_job_begin(struct yk_job *job, int cpu)
{
    yoke_runtime *runtime = job->runtime;
    yoke_status status;
    yk_job_weigh_again(job);
    status = yk_job_plan(job);
    if (status != YOKE_OK) {
        yk_job_leave_decomposition(job);
        return status;
    }
    build_on_hosts(job);
    bench_others(job);
    if (cpu >= 0)
        yk_caller_borrow(job, cpu);
    job->turn = ++runtime->turns;
    yk_round_enter(job);
    yk_job_weigh_begun(job);
    job->lists.previous_running = runtime->last_running;
    *(runtime->running ? &runtime->last_running->lists.next_running : &runtime->running) = job;
    runtime->last_running = job;
    runtime->running_count++;
    if (cpu >= 0) /* otherwise the job's caller may be reading this, and must find 0 */
        job->caller.attended = 1;
    atomic_store_explicit(&job->presence.looks, 1 + job->caller.attended, memory_order_relaxed);
    yk_job_hold(job);
    start(job);
    return YOKE_OK;
}

static void leave_running(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    if (!job->turn)
        return;
    yk_job_weigh_ended(job);
    *(job->lists.previous_running ? &job->lists.previous_running->lists.next_running
                                  : &runtime->running) = job->lists.next_running;
    *(job->lists.next_running ? &job->lists.next_running->lists.previous_running
                              : &runtime->last_running) = job->lists.previous_running;
    runtime->running_count--;
}

void yk_job_retire(struct yk_job *job)
{
    static const struct yk_order_next next = { release, doom };
    yoke_runtime *runtime = job->runtime;
    *(job->lists.previous ? &job->lists.previous->lists.next : &runtime->first_job) =
        job->lists.next;
    *(job->lists.next ? &job->lists.next->lists.previous : &runtime->last_job) =
        job->lists.previous;
    leave_running(job);
    yk_job_leave_decomposition(job);
    yk_reduction_release(job);
    atomic_store_explicit(&job->phase, YK_DONE, memory_order_release);
    yk_order_unlink(job, atomic_load(&job->lanes.stop), &next);
}

void yk_job_line_up(struct yk_job *job, struct yk_job *const *after, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (atomic_load(&after[i]->phase) == YK_DONE && after[i]->outcome.status != YOKE_OK)
            doom(job, after[i]);
    if (job->order.waits == 0)
        append_ready(job);
}

/* Ends a job that failed before it began: no lane has seen it, and none will. */
static void end_unbegun(struct yk_job *job)
{
    job->outcome.submitted_ns = job->outcome.ended_ns = yk_now(job->runtime);
    yk_job_hold(job); /* until its gate is open */
    yk_job_lose_rows(job);
    yk_job_retire(job);
    yk_gate_open(&job->life.done);
    yk_job_release(job);
}

/* Returns 1 if `job`, which waits, should begin behind `before`, which runs. */
static int goes_behind(const struct yk_job *job, const struct yk_job *before)
{
    return !job->turn && !atomic_load(&job->lanes.stop) && !atomic_load(&before->lanes.stop) &&
           !yk_pipeline_waits(before) && !before->reduction && !before->sums.has_add &&
           yk_order_waits_only_for(job, before) && yk_job_foresees(job, before);
}

static void begin_behind(struct yk_job *job, struct yk_job *before)
{
    yoke_status status;
    yk_job_hold(before);
    job->pipeline.before = before;
    atomic_store_explicit(&job->pipeline.waits, 1, memory_order_relaxed);
    before->pipeline.followers++;
    status = yk_job_begin(job, -1);
    if (status == YOKE_OK) {
        if (!job->runtime->virtual_clock) /* there a launch takes no time of the thread */
            atomic_store(&before->pipeline.launches_first, job->split.team);
        return;
    }
    yk_job_fail(job, status); /* it ends when its turn comes */
    atomic_store_explicit(&job->pipeline.waits, 0, memory_order_relaxed);
    job->pipeline.before = NULL;
    before->pipeline.followers--;
    yk_job_release(before); /* not the last reference: it runs */
}

uint32_t yk_jobs_start_behind(yoke_runtime *runtime)
{
    struct yk_job *before;
    const struct yk_edge *edge;
    uint32_t team = 0;
    atomic_store(&runtime->behind_due, 0);
    for (before = runtime->running; before; before = before->lists.next_running)
        for (edge = before->order.first_out; edge && runtime->running_count < RUNNING_MOST;
             edge = edge->next)
            if (goes_behind(edge->to, before)) {
                begin_behind(edge->to, before);
                team |= edge->to->turn ? edge->to->split.team : 0;
            }
    return team;
}

enum yk_begun yk_jobs_start_ready(yoke_runtime *runtime, uint32_t *team)
{
    enum yk_begun begun = YK_BEGUN_NONE;
    *team = 0;
    while (runtime->first_ready && runtime->running_count < RUNNING_MOST) {
        struct yk_job *job = runtime->first_ready;
        yoke_status status;
        runtime->first_ready = job->lists.next_ready;
        if (!atomic_load(&job->lanes.stop) && (status = yk_job_begin(job, -1)) != YOKE_OK)
            yk_job_fail(job, status);
        if (!job->turn) {
            end_unbegun(job);
            continue;
        }
        *team |= job->split.team;
        if (!yk_job_is_brief(job))
            begun = YK_BEGUN_LONG;
        else if (begun == YK_BEGUN_NONE)
            begun = YK_BEGUN_BRIEF;
    }
    return begun;
}
