/* overdue.c - takes out a device with a flight that is not over when its time limit has passed. */

#include "overdue.h"

#include "../backend/stalled.h"
#include "../base/status.h"
#include "../base/words.h"
#include "../flight/flight.h"
#include "../job/wake.h"
#include "undone.h"

/* Clears `homing` of flights whose kernel has not ended: copies home begin after the kernel. */
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

/* Takes the device out. The thread's error text says what happened. */
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
