/* watchdog.c - devices that never end a chunk: detected by the threads that wait for them, and
 * taken out.
 *
 * The thread that drives a device looks at it from time to time while its chunks are under way.
 * Once they have taken longer than the model allows (model/stall.h) the device is lost like any
 * other that fails, except that its driver is never called again. calls.c handles calls that do not
 * return. Cores are not watched: a thread cannot be abandoned while it runs in the program's
 * memory.
 */
#include "../backend/stalled.h"
#include "../base/status.h"
#include "../base/words.h"
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

/* Copies home come after their kernel: if that has not ended, none has begun. */
static void keep_home(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status outcome;
    int lane;
    for (lane = 0; lane < jd->device->lanes; lane++)
        if (jd->flights[lane].busy && jd->flights[lane].kernel &&
            !yk_place_poll(jd->device->place, jd->flights[lane].kernel, &outcome))
            jd->flights[lane].homing = 0;
}

/* The thread's error text says what happened. */
static void take_out(struct yk_job *job, int device, int lane, double waited_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    keep_home(job, device);
    yk_device_break_off(jd->device->device);
    yk_fail(YOKE_EDEVICE,
            "no chunk of kernel %s ended for %s, and the longest so far took %s; the kernel seems "
            "to be endless. If it is not, set YOKE_WATCHDOG to more than %g, or to 0 for no limit",
            yk_job_kernel(job, yk_flight_form(jd, flight))->kernel.name,
            yk_time_words(waited_ns).text,
            yk_time_words(jd->pace[yk_flight_form(jd, flight)].longest_ns).text,
            job->runtime->watchdog);
    yk_lane_device_failed(job, device);
    yk_wake_all(job->runtime);
}

int yk_watchdog_look(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_runtime_device *rd = job->devices[device].device;
    int64_t again_ns;
    double waited_ns;
    int stalled;
    if (!job->devices[device].flights[lane].guarded)
        return 0;
    yk_lock(&rd->stall_lock);
    stalled = yk_stall_look(&rd->stall, yk_now(job->runtime), &again_ns);
    waited_ns = rd->stall.waited_ns;
    yk_unlock(&rd->stall_lock);
    yk_sooner(wake_ns, again_ns);
    if (stalled)
        take_out(job, device, lane, waited_ns);
    return stalled;
}
