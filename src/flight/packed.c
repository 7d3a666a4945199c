/* packed.c - panels held without their array's other columns, if a device has no room for their
 * whole array (docs/adr/008).
 *
 * A kernel that is told the distance of an array's rows (yoke_row_distance) finds them in any
 * layout, so its windows may be as narrow as the panel. A panel that every chunk reads whole needs
 * no replica, which would take as much room as the array. Instead the job has its own copy, in the
 * same memory as its windows, sent for the first chunk and freed with the job. These rows are not
 * written while the job runs, so coherence need not know about the copy.
 */
#include "packed.h"

/* Panels are aligned like separate buffers. */
enum { ALIGNMENT = 256 };

int64_t yk_packed_distance(const struct yk_job *job, int device, int p)
{
    const int of = job->distance_of[p] - 1;
    return yk_held_pitch(job, device, of) / (int64_t)job->args[of].array->element_size;
}

int yk_packed_is_possible(const struct yk_job *job, int p)
{
    const yoke_array *array = job->args[p].array;
    return job->packs & 1u << p && job->args[p].shape == YOKE_WHOLE &&
           job->args[p].mode == YOKE_PARAM_IN && array->row_bytes < array->pitch;
}

static int64_t bytes_of(const struct yk_job *job, int p)
{
    return (yk_array_bytes(job->args[p].array) / ALIGNMENT + 1) * ALIGNMENT;
}

int64_t yk_packed_bytes(const struct yk_job *job, int device)
{
    int64_t bytes = 0;
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (job->devices[device].holding[p] == YK_HELD_PACKED)
            bytes += bytes_of(job, p);
    return bytes;
}

void yk_packed_deal_out(struct yk_job *job, int device, int64_t at)
{
    struct yk_job_device *jd = &job->devices[device];
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (jd->holding[p] == YK_HELD_PACKED) {
            jd->held_at[p] = at;
            jd->packed_rows[p] = 0;
            at += bytes_of(job, p);
        }
}

/* The copy of the first `rows` rows to the device, except those already sent; 0 bytes: there are
 * none. With upload_lock held. */
static struct yk_copy copy_of(const struct yk_job *job, int device, int p, int64_t rows)
{
    const struct yk_job_device *jd = &job->devices[device];
    yoke_array *array = job->args[p].array;
    const struct yk_interval all = yk_array_rows(array);
    const struct yk_interval part = { all.first + jd->packed_rows[p], all.first + rows };
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = jd->windows };
    if (yk_interval_empty(part))
        return copy;
    yk_array_shape_copy(array, part, &copy);
    copy.pitch = yk_held_pitch(job, device, p);
    copy.offset = jd->held_at[p] + jd->packed_rows[p] * copy.pitch;
    return copy;
}

/* Issues the copy, and counts its rows as sent. With upload_lock held. */
static yoke_status send(struct yk_job *job, int device, int p, const struct yk_copy *copy)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_array *array = job->args[p].array;
    const int64_t bytes = yk_copy_total(copy);
    yoke_status status = bytes ? yk_copy_up(jd->device->place, array, copy) : YOKE_OK;
    if (status != YOKE_OK || !bytes)
        return status;
    jd->packed_rows[p] += bytes / array->row_bytes;
    jd->packed_ahead = 1;
    yk_array_count_up(array, bytes);
    return YOKE_OK;
}

yoke_status yk_packed_stage(struct yk_job *job, int device, int p, int64_t *sent)
{
    struct yk_place *place = job->devices[device].device->place;
    yoke_array *array = job->args[p].array;
    struct yk_copy copy;
    yoke_status status = yk_transfer_home(array, yk_array_rows(array));
    *sent = 0;
    if (status != YOKE_OK)
        return status;
    yk_lock(&place->upload_lock);
    copy = copy_of(job, device, p, array->rows);
    status = send(job, device, p, &copy);
    if (status == YOKE_OK) {
        job->devices[device].packed_ahead = 0;
        *sent = yk_copy_total(&copy);
    }
    yk_unlock(&place->upload_lock);
    return status;
}

/* --- before its turn --- */

static int holds_some(const struct yk_job *job, int device)
{
    int p;
    for (p = 0; job->packs && p < job->arg_count; p++)
        if (job->devices[device].holding[p] == YK_HELD_PACKED)
            return 1;
    return 0;
}

/* Returns the part of an earlier job's items that was handed out; 1 if the job probably does not
 * need the device any more, or holds no packed panels. With runtime.lock held. */
static double part_given(struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    double part = 1;
    int lane, out = 0;
    yk_lock(&job->lock); /* under this lock a running job releases nothing */
    if (device >= job->device_count || atomic_load(&job->phase) != YK_RUNNING ||
        atomic_load(&job->lanes.stop))
        goto unlock;
    for (lane = 0; jd->joined && lane < jd->device->lanes; lane++)
        out |= atomic_load_explicit(&jd->flights[lane].out, memory_order_relaxed) != 0;
    if (out && holds_some(job, device))
        part = 1 - (double)yk_dispatch_free(job->dispatch) / (double)(job->last - job->first);
unlock:
    yk_unlock(&job->lock);
    return part;
}

/* The same for the latest of the earlier jobs that still need the device. */
static double part_before(struct yk_job *job, int device)
{
    yoke_runtime *runtime = job->runtime;
    struct yk_job *earlier;
    double part = 1;
    yk_lock(&runtime->lock);
    for (earlier = runtime->running; earlier && earlier->turn < job->turn;
         earlier = earlier->lists.next_running) {
        const double given = part_given(earlier, device);
        if (given < 1)
            part = given;
    }
    yk_unlock(&runtime->lock);
    return part;
}

/* Rows that cannot be sent now are sent for the first chunk, which then reports errors. */
static void send_part(struct yk_job *job, int device, int p, double part)
{
    struct yk_place *place = job->devices[device].device->place;
    yoke_array *array = job->args[p].array;
    struct yk_copy copy;
    int64_t sent = 0;
    if (!yk_transfer_is_ready(array, yk_array_rows(array), YK_HOST_READS))
        return;
    yk_lock(&place->upload_lock);
    copy = copy_of(job, device, p, (int64_t)(part * (double)array->rows));
    if (send(job, device, p, &copy) == YOKE_OK)
        sent = yk_copy_total(&copy);
    yk_unlock(&place->upload_lock);
    atomic_fetch_add(&job->outcome.bytes_to, sent);
}

/* If two such jobs ran at the same time, the device would wait for both panels, and later again for
 * the panels of the next two. */
int yk_packed_waits(struct yk_job *job, int device)
{
    double part;
    int p;
    if (!job->devices[device].windows || !holds_some(job, device))
        return 0;
    part = part_before(job, device);
    for (p = 0; part < 1 && p < job->arg_count; p++)
        if (job->devices[device].holding[p] == YK_HELD_PACKED)
            send_part(job, device, p, part);
    return part < 1;
}

/* The panels may have been sent for a device that then got no chunk, which would have waited for
 * them. */
void yk_packed_await(struct yk_job *job, int device)
{
    struct yk_place *place = job->devices[device].device->place;
    int ahead;
    yk_lock(&place->upload_lock);
    ahead = job->devices[device].packed_ahead;
    yk_unlock(&place->upload_lock);
    if (ahead)
        yk_place_drain(place);
}
