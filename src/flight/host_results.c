/* host_results.c - small results that a device's kernels write into host memory themselves: partial
 * results of reductions, and sums (sums.c). That takes one launch and one event; a copy home would
 * be two more calls of the driver and a second event.
 *
 * The memory is a staging buffer (stage.h), which the job has from when the device is ready until
 * the job ends. It lies in no array. When a flight has ended well, its partial results are copied
 * from there to the array, some kilobytes that the fold reads next anyway. So for coherence it is
 * the host that writes these rows, as with windows.
 *
 * A kernel that outlives its flight damages nothing. After a failure that the driver reports, the
 * flight waits for its kernel before its chunk goes to another device. A device that was abandoned
 * (stalled.h) may still write at any time, but only into its own buffer, and rows of the buffer are
 * read only after a flight that ended well. Other devices write the missing rows into the array.
 * The buffer of a lost place is never used again and never freed, because the place's function
 * table does not free.
 */

#include "host_results.h"

#include <string.h>

#include "../job/reduction.h"
#include "../job/rows.h"
#include "flight.h"

/* Arguments are aligned like separate buffers. */
enum { ALIGNMENT = 256 };

static int is_partial(const struct yk_job *job, int p)
{
    return job->reduction && job->reduction->total[p].partials;
}

/* Bytes of an argument that may be held on the host; 0: none. */
static int64_t bytes_of(const struct yk_job *job, int p)
{
    if (is_partial(job, p))
        return yk_array_bytes(job->args[p].array);
    return job->sums.folds[p] ? job->sums.apart[p] : 0;
}

/* Places arguments in the buffer, as many as there is room for. Returns the bytes that they need.
 */
static int64_t deal_out(const struct yk_job *job, struct yk_job_device *jd)
{
    int64_t at = 0;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const int64_t bytes = bytes_of(job, p);
        if (bytes == 0 || bytes > yk_stage_slot_bytes - at - ALIGNMENT)
            continue;
        jd->held_at[p] = at;
        jd->holding[p] = YK_HELD_HOST;
        at += (bytes / ALIGNMENT + 1) * ALIGNMENT;
    }
    return at;
}

static void hold_none(const struct yk_job *job, struct yk_job_device *jd)
{
    int p;
    for (p = 0; p < job->arg_count; p++)
        if (jd->holding[p] == YK_HELD_HOST)
            jd->holding[p] = YK_HELD_NOT;
}

void yk_host_results_open(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    if ((!job->reduction && !job->sums.has_add) || !place->device->desc.reaches_host ||
        deal_out(job, jd) == 0)
        return;
    yk_lock(&place->lock);
    if (yk_stage_open(&place->stage, place->device))
        jd->results = yk_stage_take_down(&place->stage, YK_STAGE_FLYING);
    yk_unlock(&place->lock);
    if (!jd->results)
        hold_none(job, jd);
}

void yk_host_results_close(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_place *place = jd->device->place;
    if (!jd->results)
        return;
    hold_none(job, jd);
    yk_lock(&place->lock);
    yk_stage_give_down(&place->stage, jd->results);
    yk_unlock(&place->lock);
    jd->results = NULL;
}

char *yk_host_results_memory(const struct yk_job *job, int device, int p)
{
    const struct yk_job_device *jd = &job->devices[device];
    return jd->results->memory + jd->held_at[p];
}

void yk_host_results_land(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int p;
    for (p = 0; jd->results && p < job->arg_count; p++) {
        yoke_array *array = job->args[p].array;
        struct yk_interval rows;
        int64_t bytes;
        if (jd->holding[p] != YK_HELD_HOST || !is_partial(job, p))
            continue;
        rows = yk_job_rows(job, p, yk_flight_items(flight));
        bytes = yk_array_span(array, rows);
        if (bytes)
            memcpy(yk_array_address(array, rows.first),
                   yk_host_results_memory(job, device, p) + yk_array_offset(array, rows.first),
                   (size_t)bytes);
        flight->bytes_out += bytes;
        yk_array_count_down(array, bytes);
    }
}
