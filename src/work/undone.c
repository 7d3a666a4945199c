/* undone.c - chunks of a lane that were not done, and lost devices: decides which items return to
 * the range, and what is lost with them. See lane.c. */

#include "undone.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "../flight/alternative.h"
#include "../flight/landing.h"
#include "../flight/pipeline.h"
#include "../job/call.h"
#include "../job/unit.h"
#include "../job/wake.h"
#include "../life/end.h"
#include "../life/retire.h"
#include "report.h"

/* Discards the rows that the lane's unfinished chunk changed in place. If no other place has them,
 * the job fails. */
static void spoil(struct yk_job *job, int device, int lane)
{
    yoke_status status = yk_flight_spoil(job, device, lane);
    if (status != YOKE_OK)
        yk_job_fail(job, status);
}

/* Ends or abandons the flights of a device with memory of its own: none of their writes may arrive
 * after other devices repeat the work. Returns 1 if some do not count. */
static int end_flights(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status outcome;
    int lane, came_through, lost = 0;
    /* The lanes of a CPU belong to other threads, and the job ends anyway. */
    for (lane = 0; !jd->device->device->desc.host_memory && lane < jd->device->lanes; lane++) {
        struct yk_flight *flight = &jd->flights[lane];
        if (flight->turn == YK_TURN_LATER) {
            flight->turn = YK_TURN_NOW;
            yk_job_leave(job);
        }
        if (!flight->busy)
            continue;
        came_through = yk_flight_complete(job, device, lane, &outcome) && outcome == YOKE_OK;
        if (!came_through)
            yk_flight_abandon(job, device, lane);
        else if (yk_flight_finish(job, device, lane, YOKE_OK) == YOKE_OK)
            yk_lane_report(job, device, lane);
        else
            came_through = 0;
        if (!came_through && yk_flight_is_half_home(job, device, lane))
            spoil(job, device, lane);
        lost |= !came_through;
        yk_job_leave(job);
    }
    return lost;
}

void yk_lane_device_failed(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    char *text;
    atomic_fetch_add(&job->pipeline.undone, 1);
    yk_place_check(jd->device->place); /* this thread's error text may be about another job */
    text = yk_strdup(yoke_error_text());
    if (end_flights(job, device) && yk_pipeline_lost(job, device) != YOKE_OK)
        yk_job_fail(job, YOKE_ELOST);
    if (jd->device->device->desc.host_memory)
        /* Pieces of a lease may be done or half done, and cannot be told apart any more. */
        yk_job_fail(job, YOKE_EDEVICE);
    if (text) /* ending the flights may have changed the error text */
        yk_fail(YOKE_EDEVICE, "%s", text);
    yk_lock(&job->lock);
    yk_job_drop_device(job, device, text ? text : "it failed");
    yk_unlock(&job->lock);
    yk_runtime_device_lost(job->runtime, jd->device);
    yk_free(text);
}

/* Returns the chunk to the range. After YOKE_ENOMEM it was too large for the device's memory, so
 * the next one has half its size. If a single unit does not fit, the device gets no more chunks;
 * its other lanes finish theirs. */
static void chunk_returned(struct yk_job *job, int device, int lane, yoke_status why)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_chunk *chunk = &jd->flights[lane].chunk;
    int64_t items = chunk->last - chunk->first;
    int64_t unit = yk_job_unit(job);
    yk_lock(&job->lock);
    atomic_store_explicit(&jd->flights[lane].out, 0, memory_order_relaxed);
    yk_alternative_returned(job, device, chunk);
    yk_dispatch_returned(job->dispatch, chunk,
                         items > unit && why == YOKE_ENOMEM ? (items + 1) / 2 : 0);
    yk_job_note_free(job);
    if (items <= unit && why == YOKE_ENOMEM) {
        jd->status = YOKE_ENOMEM;
        yk_job_retire_device(job, device, yoke_error_text());
    }
    yk_unlock(&job->lock);
}

void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->flights[lane].launched) {
        const yoke_status status = yk_pipeline_undone(job, device);
        if (status != YOKE_OK)
            yk_job_fail(job, status);
        spoil(job, device, lane);
    }
    if (jd->flights[lane].launched && job->sums.has_add) {
        char *text = yk_strdup(yoke_error_text());
        end_flights(job, device);
        yk_lock(&job->lock);
        yk_job_drop_device(job, device, text ? text : "it failed");
        yk_unlock(&job->lock);
        yk_free(text);
    } else {
        chunk_returned(job, device, lane, why);
    }
}

void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status)
{
    struct yk_job_device *jd = &job->devices[device];
    if (status == YOKE_EDEVICE && yk_flight_is_half_home(job, device, lane))
        spoil(job, device, lane);
    if (status == YOKE_EDEVICE)
        yk_lane_device_failed(job, device);
    else if (status == YOKE_ENOMEM && !jd->device->device->desc.host_memory)
        yk_lane_undone(job, device, lane, status);
    else
        yk_job_fail(job, status);
    yk_wake_all(job->runtime);
}
