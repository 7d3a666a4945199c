/* workspace.c - the memory that a job needs while it runs. Later jobs reuse it, because allocating
 * it takes longer than a short job.
 *
 * A workspace belongs to its job from the job's start until the workspace's last reference is
 * dropped. References are held by the job until it is over, by threads that step its lanes, by the
 * story of a kernel's latest job (explain.h), and by the ticket if the result may be asked for. At
 * most KEPT_MOST finished jobs keep their workspaces for their tickets. The others keep only the
 * numbers, so any number of finished jobs may wait until their results are asked for. For each
 * workspace that is kept, a later job makes another one, which takes 10 us with a GPU, 30 us with
 * 16 cores.
 */

#include "workspace.h"

#include <string.h>

#include "../base/alloc.h"
#include "../partition/lease.h"

enum {
    IDLE_MOST = 64,       /* most idle workspaces: as many as jobs may run at a time */
    KEPT_MOST = 16,       /* most finished jobs that keep their workspaces */
    DECISIONS_MOST = 4096 /* a workspace with memory for more decisions is freed, not reused */
};

static void close_device(struct yk_job_device *jd)
{
    yk_leases_close(&jd->leases);
    if (jd->flights) {
        yk_free(jd->flights[0].loads);
        yk_free(jd->flights[0].windows);
    }
    yk_free(jd->flights);
    yk_free(jd->private_hosts);
}

/* Only for devices with memory of their own; lanes of a CPU copy nothing. */
static yoke_status open_loads(struct yk_job_device *jd)
{
    const size_t count = (size_t)jd->device->lanes * YOKE_ARGS_MAX;
    struct yk_flight *first = &jd->flights[0];
    int lane;
    first->loads = yk_calloc(count, sizeof *first->loads);
    first->windows = yk_calloc(count, sizeof *first->windows);
    if (!first->loads || !first->windows)
        return YOKE_ENOMEM;
    for (lane = 1; lane < jd->device->lanes; lane++) {
        jd->flights[lane].loads = first->loads + lane * YOKE_ARGS_MAX;
        jd->flights[lane].windows = first->windows + lane * YOKE_ARGS_MAX;
    }
    return YOKE_OK;
}

/* Number of devices for which a workspace has room. */
static int room_for(const yoke_runtime *runtime, int count)
{
    return atomic_load(&runtime->awaits_ns) > 0 ? YK_PLACES - 1 : count;
}

static void close_workspace(struct yk_workspace *workspace)
{
    int d;
    for (d = 0; d < workspace->device_count; d++)
        close_device(&workspace->devices[d]);
    yk_dispatch_close(workspace->dispatch);
    yk_free(workspace);
}

/* Opens the next device's part. After an error it is part of the workspace all the same. */
static yoke_status open_next(yoke_runtime *runtime, struct yk_workspace *workspace)
{
    const int d = workspace->device_count++;
    struct yk_job_device *jd = &workspace->devices[d];
    jd->device = &runtime->devices[d];
    jd->flights = yk_alloc_aligned((size_t)jd->device->lanes * sizeof *jd->flights, 64);
    if (!jd->flights)
        return YOKE_ENOMEM;
    memset(jd->flights, 0, (size_t)jd->device->lanes * sizeof *jd->flights);
    return jd->device->device->desc.host_memory ? yk_leases_open(jd->device->lanes, &jd->leases)
                                                : open_loads(jd);
}

static yoke_status open_workspace(yoke_runtime *runtime, int count, struct yk_workspace **out)
{
    const int room = room_for(runtime, count);
    struct yk_workspace *workspace =
        yk_calloc(1, sizeof *workspace + (size_t)room * sizeof *workspace->devices);
    yoke_status status = workspace ? YOKE_OK : YOKE_ENOMEM;
    if (workspace)
        workspace->room = room;
    while (status == YOKE_OK && workspace->device_count < count)
        status = open_next(runtime, workspace);
    if (status == YOKE_OK)
        *out = workspace;
    else if (workspace)
        close_workspace(workspace);
    return status;
}

/* Resets the device's part for a job with `args` arguments. Leases are not reset: all leases of a
 * job that ended well are done, and their generations go on. Lists and windows of flights were
 * closed when that job released its devices. A lane resets its own flight (lane.c). */
static void clean(struct yk_job_device *jd, int args)
{
    int p;
    memset((char *)jd + offsetof(struct yk_job_device, joined), 0,
           offsetof(struct yk_job_device, holding) - offsetof(struct yk_job_device, joined));
    for (p = 0; p < args; p++) {
        jd->holding[p] = YK_HELD_NOT;
        jd->replicas[p] = NULL;
        jd->claims[p] = (struct yk_claim){ 0 };
        jd->private_memory[p] = (struct yk_spare){ 0 };
        jd->private_buffers[p] = NULL;
        jd->private_copies[p] = 0;
        jd->private_folds[p] = YK_FOLD_NOT;
    }
    if (jd->leases.slots) {
        yk_leases_shut(&jd->leases);
        jd->leases.cutters = jd->device->lanes;
    }
}

/* Returns an idle workspace for `count` devices, or NULL. Frees workspaces that were made before
 * devices were added. */
static struct yk_workspace *idle_workspace(yoke_runtime *runtime, int count, int args)
{
    struct yk_workspace *workspace;
    int d;
    while ((workspace = runtime->idle_workspaces)) {
        runtime->idle_workspaces = workspace->next;
        runtime->idle_workspace_count--;
        if (workspace->device_count == count && workspace->room >= room_for(runtime, count))
            break;
        close_workspace(workspace);
    }
    for (d = 0; workspace && d < count; d++)
        clean(&workspace->devices[d], args);
    return workspace;
}

static yoke_status open_private(const struct yk_job *job, struct yk_job_device *jd)
{
    if (!job->sums.has_add)
        return YOKE_OK;
    jd->private_hosts =
        yk_calloc((size_t)(jd->device->lanes * job->arg_count), sizeof *jd->private_hosts);
    return jd->private_hosts ? YOKE_OK : YOKE_ENOMEM;
}

yoke_status yk_workspace_take(struct yk_job *job, int count)
{
    struct yk_workspace *workspace = idle_workspace(job->runtime, count, job->arg_count);
    yoke_status status = workspace ? YOKE_OK : open_workspace(job->runtime, count, &workspace);
    int d;
    if (status != YOKE_OK)
        return status;
    job->workspace = workspace;
    job->devices = workspace->devices;
    atomic_store_explicit(&job->device_count, count,
                          memory_order_relaxed); /* no other thread sees it yet */
    for (d = 0; d < count && status == YOKE_OK; d++)
        status = open_private(job, &job->devices[d]);
    return status;
}

yoke_status yk_workspace_add(struct yk_job *job)
{
    struct yk_workspace *workspace = job->workspace;
    yoke_status status = open_next(job->runtime, workspace);
    if (status == YOKE_OK)
        status = open_private(job, &job->devices[workspace->device_count - 1]);
    if (status != YOKE_OK)
        yk_workspace_drop(job);
    return status;
}

void yk_workspace_drop(struct yk_job *job)
{
    struct yk_job_device *jd = &job->devices[--job->workspace->device_count];
    close_device(jd);
    *jd = (struct yk_job_device){ 0 };
}

void yk_workspace_close(struct yk_job *job)
{
    if (job->workspace)
        close_workspace(job->workspace);
    job->workspace = NULL;
}

void yk_workspaces_close(yoke_runtime *runtime)
{
    struct yk_workspace *workspace;
    while ((workspace = runtime->idle_workspaces)) {
        runtime->idle_workspaces = workspace->next;
        close_workspace(workspace);
    }
}

int yk_workspace_is_large(const struct yk_workspace *workspace)
{
    size_t decisions;
    yk_dispatch_decisions(workspace->dispatch, &decisions);
    return decisions > DECISIONS_MOST;
}

/* Keeps the workspace for later jobs. With runtime.lock held. The workspace of a failed job is
 * freed, because its state varies too much to be reset. */
static void give_back(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    struct yk_workspace *workspace = job->workspace;
    int d;
    if (atomic_load(&job->lanes.stop) || yk_workspace_is_large(workspace) ||
        runtime->idle_workspace_count == IDLE_MOST) {
        yk_workspace_close(job);
        return;
    }
    for (d = 0; d < workspace->device_count; d++) {
        yk_free(workspace->devices[d].private_hosts);
        workspace->devices[d].private_hosts = NULL;
    }
    workspace->next = runtime->idle_workspaces;
    runtime->idle_workspaces = workspace;
    runtime->idle_workspace_count++;
    job->workspace = NULL;
}

void yk_job_look(struct yk_job *job)
{
    atomic_fetch_add_explicit(&job->presence.looks, 1, memory_order_relaxed);
}

int yk_job_look_away_locked(struct yk_job *job)
{
    if (atomic_fetch_sub(&job->presence.looks, 1) != 1)
        return 0;
    give_back(job);
    return 1;
}

void yk_job_look_away(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    if (atomic_fetch_sub(&job->presence.looks, 1) != 1)
        return;
    yk_lock(&runtime->lock);
    give_back(job);
    yk_unlock(&runtime->lock);
    yk_job_release(job);
}

struct yk_figures yk_job_figures(const struct yk_job *job, int device)
{
    const struct yk_split_outcome *outcome = &job->devices[device].outcome;
    return (struct yk_figures){ outcome->items, outcome->chunks, outcome->busy_ns,
                                job->devices[device].made[1] };
}

static void save_figures(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++)
        job->life.figures[d] = yk_job_figures(job, d);
}

void yk_job_condense(struct yk_job *job)
{
    atomic_int *kept = &job->runtime->kept_jobs;
    if (atomic_load(&job->lanes.stop) || job->life.asks == YK_ASKS_NEVER)
        return;
    job->life.keeps = job->life.asks == YK_ASKS_CALLER ||
                      job->device_count > job->life.figure_room || atomic_load(kept) < KEPT_MOST;
    if (job->life.keeps)
        atomic_fetch_add(kept, 1);
    else
        save_figures(job);
}

void yk_job_forsake(struct yk_job *job)
{
    if (job->life.keeps) {
        atomic_fetch_sub(&job->runtime->kept_jobs, 1);
        yk_job_look_away(job);
    }
    yk_job_release(job);
}
