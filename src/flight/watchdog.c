/* watchdog.c - time limits for chunks: detects devices that never end a chunk.
 *
 * The thread that drives a device looks at it from time to time while its chunks are under way. If
 * they take longer than the model allows (model/stall.h), the device is taken out like any other
 * that fails (overdue.c), except that its driver is never called again. stuck_calls.c handles
 * calls that do not return. Cores are not watched: a thread cannot be abandoned while it runs in
 * the program's memory.
 */
#include "watchdog.h"

#include "flight.h"

static int is_watched(const struct yk_job *job, const struct yk_job_device *jd)
{
    return job->runtime->watchdog > 0 && !jd->device->device->desc.host_memory;
}

void yk_watchdog_begin(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_stall_chunk chunk = { .items = flight->chunk.last - flight->chunk.first,
                                    .bytes = flight->bytes_in + flight->bytes_out +
                                             flight->bytes_between + flight->bytes_passed,
                                    .expected_ns = (double)flight->lasts_ns,
                                    .factor = job->runtime->watchdog };
    if (!is_watched(job, jd))
        return;
    flight->allowed_ns = yk_stall_allows(&jd->pace[yk_flight_form(jd, flight)], &chunk);
    flight->guarded = 1;
    yk_lock(&jd->device->stall_lock);
    yk_stall_begin(&jd->device->stall, flight->allowed_ns, yk_now(job->runtime));
    yk_unlock(&jd->device->stall_lock);
}

void yk_watchdog_end(struct yk_job *job, int device, int lane)
{
    struct yk_runtime_device *rd = job->devices[device].device;
    struct yk_flight *flight = &job->devices[device].flights[lane];
    if (!flight->guarded)
        return;
    flight->guarded = 0;
    yk_lock(&rd->stall_lock);
    yk_stall_end(&rd->stall, flight->allowed_ns, yk_now(job->runtime));
    yk_unlock(&rd->stall_lock);
}

void yk_watchdog_measured(struct yk_job *job, int device, int lane, int64_t ended_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    if (is_watched(job, jd))
        yk_pace_note(&jd->pace[yk_flight_form(jd, flight)],
                     flight->chunk.last - flight->chunk.first, ended_ns - flight->issued_ns);
}

int yk_watchdog_looks(const struct yk_job_device *jd)
{
    int lane;
    for (lane = 0; lane < jd->device->lanes; lane++)
        if (jd->flights[lane].busy && jd->flights[lane].guarded && jd->flights[lane].allowed_ns > 0)
            return 1;
    return 0;
}
