/* hold.c - getting a device ready for a job, and taking it out again.
 *
 * Ready means: its kernel is built, and its arrays have room. Arrays that fit are allocated whole,
 * so that rows stay for the next job; if not all fit, those that chunks touch in part become
 * windows, which hold one chunk at a time.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "job.h"

void yk_job_drop_device(struct yk_job *job, int device, const char *reason)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    if (jd->failed)
        return;
    jd->failed = 1;
    for (lane = 0; lane < jd->device->lanes; lane++)
        atomic_store_explicit(&jd->flights[lane].out, 0, memory_order_relaxed);
    yk_dispatch_failed(job->dispatch, jd->device->number, reason);
    yk_job_check_stranded(job);
}

void yk_job_retire_device(struct yk_job *job, int device, const char *reason)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->failed || jd->retired)
        return;
    jd->retired = 1;
    yk_dispatch_leave(job->dispatch, jd->device->number, reason);
    yk_job_check_stranded(job);
}

static void release_arrays(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (jd->holding[p] == YK_HELD_WHOLE)
            yk_replica_release(jd->replicas[p]);
        jd->holding[p] = YK_HELD_NOT;
    }
}

static int uses_array(const yoke_arg *arg)
{
    return arg->mode != YOKE_PARAM_VALUE && arg->mode != YOKE_PARAM_ADD;
}

static yoke_status hold_all(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++) {
        if (!uses_array(&job->args[p]))
            continue;
        status = yk_replica_hold(job->args[p].array, jd->device->place, &jd->replicas[p]);
        if (status == YOKE_OK)
            jd->holding[p] = YK_HELD_WHOLE;
    }
    return status;
}

/* Whole only what every chunk reads whole. */
static yoke_status hold_windows(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status status = YOKE_OK;
    int p;
    release_arrays(job, device);
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++) {
        if (!uses_array(&job->args[p]))
            continue;
        if (job->args[p].shape != YOKE_WHOLE) {
            jd->holding[p] = YK_HELD_WINDOW;
            continue;
        }
        status = yk_replica_hold(job->args[p].array, jd->device->place, &jd->replicas[p]);
        if (status == YOKE_OK)
            jd->holding[p] = YK_HELD_WHOLE;
    }
    if (status != YOKE_OK)
        release_arrays(job, device);
    return status;
}

static yoke_status make_room(struct yk_job *job, int device)
{
    yoke_status status;
    if (job->devices[device].device->device->desc.host_memory)
        return YOKE_OK;
    status = hold_all(job, device);
    if (status == YOKE_ENOMEM)
        status = hold_windows(job, device);
    if (status != YOKE_OK)
        release_arrays(job, device);
    return status;
}

/* Windows of all lanes have to fit side by side: a chunk gets a lane's part of the memory there is.
 */
static void limit_windows(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_device *dev = jd->device->device;
    int64_t row_bytes = 0, halo = 0, room;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (jd->holding[p] != YK_HELD_WINDOW)
            continue;
        row_bytes += job->args[p].array->row_bytes;
        halo += (job->args[p].before + job->args[p].after) * job->args[p].array->row_bytes;
    }
    if (!row_bytes)
        return;
    room = dev->backend->memory_free(dev) / jd->device->lanes - halo;
    yk_dispatch_limit(job->dispatch, jd->device->number,
                      room > 2 * row_bytes ? room / row_bytes * 9 / 10 : 1);
}

static void join(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yk_lock(&job->lock);
    jd->joined = 1;
    if (jd->status == YOKE_OK) {
        limit_windows(job, device);
        yk_dispatch_join(job->dispatch, jd->device->number, yk_now(job->runtime));
    } else {
        const char *text = job->kernel->builds[jd->device->number].text;
        yk_job_retire_device(job, device, text ? text : yoke_error_text());
    }
    yk_unlock(&job->lock);
    if (jd->status == YOKE_EDEVICE)
        yk_runtime_device_lost(job->runtime, jd->device);
    if (job->alone < 0 || jd->retired) /* others may get something else to do now */
        yk_wake_all(job->runtime);
}

int yk_job_prepare(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int joins = 1;
    if (!jd->ready) /* outside of the job, which need not wait for a compiler to end */
        jd->status = yk_kernel_build(job->kernel, jd->device->device, jd->device->number);
    /* The others did it all meanwhile; should one of them fail at the end, the job goes on and this
     * device is asked again. */
    if (!yk_job_enter(job))
        return 1;
    if (!jd->ready && jd->status == YOKE_OK)
        jd->status = make_room(job, device);
    jd->ready = 1;
    if (jd->status == YOKE_OK)
        joins = !yk_job_pins_ahead(job, device);
    if (joins)
        join(job, device);
    yk_job_leave(job);
    return joins;
}

void yk_job_let_go(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    const struct yk_backend *backend = place->device->backend;
    int p, lane;
    release_arrays(job, device);
    for (lane = 0; lane < jd->device->lanes; lane++) {
        yk_free(jd->flights[lane].hauls);
        jd->flights[lane].hauls = NULL;
    }
    for (p = 0; p < job->arg_count; p++) {
        for (lane = 0; lane < jd->device->lanes; lane++) {
            struct yk_flight *flight = &jd->flights[lane];
            yk_copy_needs_close(&flight->issued[p]);
            if (!flight->windows[p].buffer)
                continue;
            yk_lock(&place->lock);
            backend->free(place->device, flight->windows[p].buffer);
            yk_unlock(&place->lock);
            flight->windows[p] = (struct yk_window){ 0 };
        }
        if (!jd->private_buffers[p])
            continue;
        yk_lock(&place->lock);
        backend->free(place->device, jd->private_buffers[p]);
        yk_unlock(&place->lock);
        jd->private_buffers[p] = NULL;
    }
    for (p = 0; jd->private_hosts && p < job->arg_count * jd->device->lanes; p++) {
        yk_free(jd->private_hosts[p]);
        jd->private_hosts[p] = NULL;
    }
}
