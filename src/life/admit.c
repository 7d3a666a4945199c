/* admit.c - a GPU that is added to the runtime while a job runs takes part in the rest of it.
 *
 * Drivers are loaded beside the first jobs (docs/adr/020). If only later jobs had the GPUs, a
 * program whose first job is its only long one would never use them. While devices are awaited, a
 * job's workspace has room for them, and what cores have out is little (auto_chunk.c). Here the
 * device gets its part of the workspace and becomes known to the dispatcher. From then on it is a
 * device that has not joined yet, as any GPU at a job's begin: its thread prepares it and joins
 * (join.c).
 *
 * A job that follows a plan, was given to one of several devices, or has jobs before or behind it
 * in a pipeline, keeps its devices.
 */

#include "admit.h"

#include <math.h>

#include "../base/status.h"
#include "../flight/alternative.h"
#include "../job/wake.h"
#include "../job/workspace.h"
#include "plan.h"

/* With runtime.lock and job.lock held. */
static int may_grow(const struct yk_job *job, int device)
{
    return atomic_load(&job->phase) == YK_RUNNING && !atomic_load(&job->lanes.stop) &&
           job->device_count == device && job->workspace->room > device &&
           yk_job_splits_freely(job->split.partitioner) && !job->split.planned &&
           job->split.alone < 0 && !job->pipeline.before && !job->pipeline.followers &&
           yk_dispatch_free(job->dispatch) > 0;
}

/* The device's part of the job becomes visible to other threads with device_count, which is stored
 * last. With runtime.lock and job.lock held. */
static yoke_status grow(struct yk_job *job, int device)
{
    struct yk_split_device known;
    yoke_status status = yk_workspace_add(job);
    if (status != YOKE_OK)
        return status;
    yk_job_describe(job, device, NULL, &known);
    status = yk_dispatch_admit(job->dispatch, &known);
    if (status != YOKE_OK) {
        yk_workspace_drop(job);
        return status;
    }
    job->devices[device].share = -1;
    job->devices[device].admitted_ns = yk_now(job->runtime);
    yk_alternative_admit(job, device);
    job->split.team |= yk_team_bit(device);
    job->device_count = device + 1;
    return YOKE_OK;
}

/* Returns 1 if the device takes part in the job now. With runtime.lock held. */
static int admit(struct yk_job *job, int device)
{
    yoke_status status = YOKE_OK;
    int grows;
    yk_lock(&job->lock);
    grows = may_grow(job, device);
    if (grows)
        status = grow(job, device);
    yk_unlock(&job->lock);
    if (status != YOKE_OK)
        yk_log(YOKE_LOG_WARN, "%s goes on without %s: %s", job->name,
               job->runtime->devices[device].device->desc.name, yoke_error_text());
    return grows && status == YOKE_OK;
}

void yk_jobs_admit(yoke_runtime *runtime)
{
    const int device = atomic_load(&runtime->device_count) - 1;
    struct yk_job *job;
    int grown = 0;
    yk_lock(&runtime->lock);
    for (job = runtime->running; job; job = job->lists.next_running)
        grown |= admit(job, device);
    yk_unlock(&runtime->lock);
    if (grown)
        yk_wake_devices(runtime, yk_team_bit(device));
}

void yk_jobs_admit_no_more(yoke_runtime *runtime)
{
    struct yk_job *job;
    int lent;
    yk_lock(&runtime->lock);
    lent = runtime->running && yk_runtime_is_loading(runtime);
    atomic_store(&runtime->awaits_ns, 0);
    for (job = runtime->running; job; job = job->lists.next_running) {
        yk_lock(&job->lock);
        yk_dispatch_await_none(job->dispatch);
        yk_unlock(&job->lock);
    }
    yk_unlock(&runtime->lock);
    if (lent)
        yk_wake_all(runtime); /* the core that was lent */
}

double yk_jobs_rest_ns(yoke_runtime *runtime, int64_t since_ns)
{
    struct yk_job *job;
    double most = 0;
    yk_lock(&runtime->lock);
    for (job = runtime->running; job; job = job->lists.next_running) {
        double ns;
        if (job->outcome.submitted_ns > since_ns)
            continue;
        yk_lock(&job->lock);
        ns = yk_dispatch_others_ns(job->dispatch, -1);
        yk_unlock(&job->lock);
        most = isfinite(ns) ? fmax(most, ns) : most;
    }
    yk_unlock(&runtime->lock);
    return most;
}
