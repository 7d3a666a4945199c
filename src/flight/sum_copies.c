/* sum_copies.c - mode add on a device: its private memory may hold several copies. Each group of
 * work-items adds to one of them, so that sums with many additions are not serialised. A kernel of
 * the library folds the copies into a total (sums.c). It leaves them zeroed, so a later job need
 * not clear them.
 *
 * Atomics on one address are serialised (on an H200 about one per cycle). If thousands of groups
 * count into a few slots, they dominate a kernel's time (docs/results/irregular-h200.md). Copies
 * cost memory, clearing and a fold. So their number is what the device says (copies=), but only
 * while all of them together are small compared with a cache.
 */

#include "sum_copies.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/kernel.h"
#include "../job/sum.h"

/* Limits for all copies of one argument: bytes, and a part of the device's memory, which a job's
 * rows need too. */
enum { COPIES_BYTES = 16 << 20, ROOM_PART = 32, COPY_ALIGNMENT = 256 };

static int64_t apart_of(const yoke_array *array)
{
    return (yk_private_bytes(array) + COPY_ALIGNMENT - 1) / COPY_ALIGNMENT * COPY_ALIGNMENT;
}

yoke_status yk_folds_intern(struct yk_job *job)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; job->sums.has_add && p < job->arg_count && status == YOKE_OK; p++) {
        if (job->args[p].mode != YOKE_PARAM_ADD)
            continue;
        job->sums.apart[p] = apart_of(job->args[p].array);
        if (!job->args[p].merge)
            status = yk_kernel_intern(&job->runtime->kernels,
                                      yk_sum_of(job->kernel->kernel.params[p].type)->fold,
                                      &job->sums.folds[p]);
    }
    return status;
}

/* The number of copies of the argument that the device should have. */
static int wanted(const struct yk_job *job, int device, int arg)
{
    struct yk_place *place = job->devices[device].device->place;
    int64_t most = yk_place_room(place) / ROOM_PART;
    int copies = place->device->desc.copies;
    if (most > COPIES_BYTES)
        most = COPIES_BYTES;
    if (!job->sums.folds[arg] ||
        job->sums.apart[arg] == 0) /* an array without rows has nothing to fold */
        return 1;
    while (copies > 1 && copies * job->sums.apart[arg] > most)
        copies /= 2;
    return copies > 1 ? copies : 1;
}

/* One copy needs no fold, unless the fold writes it into host memory. */
static int is_folded(const struct yk_job *job, int device, int arg)
{
    return job->devices[device].device->device->desc.reaches_host || wanted(job, device, arg) > 1;
}

struct yk_program *yk_fold_program(const struct yk_job *job, int device, int arg)
{
    struct yk_build *build =
        job->sums.folds[arg] ? &job->sums.folds[arg]->builds[job->devices[device].device->number]
                             : NULL;
    return build && atomic_load(&build->state) == YK_BUILD_READY ? build->program : NULL;
}

void yk_folds_build(struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; job->sums.has_add && jd->status == YOKE_OK && p < job->arg_count; p++)
        if (job->sums.folds[p] && !jd->device->device->desc.host_memory &&
            is_folded(job, device, p) &&
            yk_kernel_build(job->sums.folds[p], jd->device->device, jd->device->number) != YOKE_OK)
            yk_log(YOKE_LOG_WARN, "%s: sums have one copy: %s", jd->device->device->desc.name,
                   yoke_error_text());
}

/* Bytes of an argument's copies, and of their total behind them if it is not on the host. At least
 * 1: devices have no buffers of 0 bytes. */
static int64_t bytes_of(const struct yk_job *job, int device, int arg)
{
    const struct yk_job_device *jd = &job->devices[device];
    const int copies = jd->private_copies[arg];
    const int total = copies > 1 && jd->holding[arg] != YK_HELD_HOST;
    return job->sums.apart[arg] > 0 ? (copies + total) * job->sums.apart[arg] : 1;
}

static yoke_status clear(struct yk_job *job, int device, int arg, int64_t bytes)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    struct yk_event *event = NULL;
    yoke_status status;
    yk_lock(&place->lock);
    status = place->device->backend->zero(
        place->upload, &(struct yk_buffer_range){ jd->private_memory[arg].buffer, 0, bytes },
        &event);
    if (status == YOKE_OK)
        yk_place_uploading(place, event, NULL);
    yk_unlock(&place->lock);
    return status;
}

static yoke_status take(struct yk_job *job, int device, int arg, int copies)
{
    struct yk_job_device *jd = &job->devices[device];
    jd->private_copies[arg] = copies;
    return yk_place_borrow(job->args[arg].array->places, jd->device->place,
                           bytes_of(job, device, arg), &jd->private_memory[arg]);
}

static yoke_status take_copies(struct yk_job *job, int device, int arg)
{
    const int copies = yk_fold_program(job, device, arg) ? wanted(job, device, arg) : 1;
    const yoke_status status = take(job, device, arg, copies);
    return status == YOKE_ENOMEM && copies > 1 ? take(job, device, arg, 1) : status;
}

yoke_status yk_private_take(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; job->sums.has_add && p < job->arg_count && status == YOKE_OK; p++)
        if (job->args[p].mode == YOKE_PARAM_ADD && !jd->private_memory[p].buffer)
            status = take_copies(job, device, p);
    return status;
}

static yoke_status begin(struct yk_job *job, int device, int arg)
{
    struct yk_job_device *jd = &job->devices[device];
    const int64_t apart = job->sums.apart[arg], copies = jd->private_copies[arg];
    const int64_t bytes = apart > 0 ? copies * apart : 1;
    const int folds =
        yk_fold_program(job, device, arg) && (copies > 1 || jd->holding[arg] == YK_HELD_HOST);
    yoke_status status = YOKE_OK;
    if (jd->private_memory[arg].zeros < bytes)
        status = clear(job, device, arg, bytes);
    if (status != YOKE_OK)
        return status;
    jd->private_folds[arg] = folds ? YK_FOLD_NEW : YK_FOLD_NOT;
    jd->private_buffers[arg] = jd->private_memory[arg].buffer;
    return YOKE_OK;
}

yoke_status yk_private_buffer(struct yk_job *job, int device, int arg, struct yk_launch_arg *out)
{
    struct yk_job_device *jd = &job->devices[device];
    if (!jd->private_buffers[arg]) {
        yoke_status status = begin(job, device, arg);
        if (status != YOKE_OK)
            return status;
    }
    jd->sums = YK_SUMS_THERE;
    out->buffer = jd->private_buffers[arg];
    out->copies = jd->private_copies[arg];
    out->apart = job->sums.apart[arg];
    return YOKE_OK;
}

/* Bytes that are known to be 0: all copies, if they were folded after the last flight that added to
 * them. */
static int64_t zeros_of(const struct yk_job *job, const struct yk_job_device *jd, int arg)
{
    if (!jd->private_buffers[arg]) /* no chunk has used it */
        return jd->private_memory[arg].zeros;
    return jd->sums == YK_SUMS_HOME && jd->private_folds[arg] == YK_FOLD_MORE
               ? jd->private_copies[arg] * job->sums.apart[arg]
               : 0;
}

void yk_private_forget(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int i;
    for (i = 0; jd->private_hosts && i < job->arg_count * jd->device->lanes; i++) {
        yk_free(jd->private_hosts[i]);
        jd->private_hosts[i] = NULL;
    }
    jd->sums = YK_SUMS_THERE;
}

void yk_private_close(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; p < job->arg_count; p++) {
        struct yk_spare memory = jd->private_memory[p];
        memory.zeros = zeros_of(job, jd, p);
        if (memory.buffer)
            yk_place_give(jd->device->place, &memory);
        jd->private_memory[p] = (struct yk_spare){ 0 };
        jd->private_buffers[p] = NULL;
    }
    yk_private_forget(job, device);
}

char *yk_private_host(struct yk_job *job, int device, int lane, int arg)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_array *array = job->args[arg].array;
    char **slot = &jd->private_hosts[lane * job->arg_count + arg];
    if (!*slot)
        *slot = yk_calloc((size_t)yk_private_bytes(array), 1);
    return *slot;
}
