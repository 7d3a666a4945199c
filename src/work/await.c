/* await.c - waits for flights as the configuration says or, in automatic mode, as is best for their
 * predicted ends. For the thread that drives the device.
 *
 * In automatic mode a waiting thread sleeps until a predicted end. Being woken when a GPU is done
 * costs 30 to 60 us on a machine with cores in a sleep state, which is much compared with a chunk
 * of half a millisecond. Watching all the time costs a core. Earlier chunks show how long a chunk
 * will take. So the thread that drives a device sleeps until shortly before the end, then watches
 * for a moment, and relies on being woken only if the chunk is far off the prediction. The moment
 * is a small part of the chunk's time, so a core is hardly used. If the speed differed in the job
 * before, as in a kernel's first jobs, predictions are unreliable, and the end also wakes the
 * thread. A chunk that is not much longer than a wake is watched all the time.
 *
 * While long work is queued behind a flight, no thread watches for its end: the device stays busy
 * if the end is noticed late, and a core that watches does no other work. Behind short work the
 * thread does watch, because it might sleep past the end of all flights if the prediction is too
 * long.
 */

#include "await.h"

#include "../flight/forecast.h"
#include "../flight/landing.h"
#include "../flight/steps.h"
#include "../flight/watchdog.h"
#include "../platform/clock.h"

/* The shortest and the longest sleep, in ns, between two looks at a device that the watchdog
 * watches. */
static const int64_t nap_short_ns = 20000, nap_long_ns = 500000;

/* Time after which a polling thread looks at other jobs and at lanes that got nothing. */
static const int64_t poll_ns = 100000;

/* Returns the busy flight that should end first, and sets *lane to its lane; NULL if none is
 * busy. */
static struct yk_flight *first_to_end(struct yk_job_device *jd, int *lane)
{
    struct yk_flight *first = NULL;
    int l;
    for (l = 0; l < jd->device->lanes; l++) {
        struct yk_flight *flight = &jd->flights[l];
        if (!flight->busy || (first && flight->expected_ns >= first->expected_ns))
            continue;
        first = flight;
        *lane = l;
    }
    return first;
}

/* Returns the time of the work that the device still has when its first flight ends. */
static int64_t behind_ns(const struct yk_job_device *jd, const struct yk_flight *first)
{
    int64_t last_ns = first->expected_ns;
    int l;
    for (l = 0; l < jd->device->lanes; l++) {
        const struct yk_flight *flight = &jd->flights[l];
        if (flight->busy && flight->expected_ns > last_ns)
            last_ns = flight->expected_ns;
    }
    return last_ns - first->expected_ns;
}

/* If more work is queued behind the first flight: looks once after its end, but before the device
 * could become idle. */
int64_t yk_device_look_at(struct yk_job_device *jd, int64_t now)
{
    int lane;
    const struct yk_flight *first = first_to_end(jd, &lane);
    int64_t look_at = first ? yk_flight_look_at(jd, first, now) : 0, behind, after;
    behind = look_at ? behind_ns(jd, first) : 0;
    if (behind < yk_brief_ns(jd))
        return look_at;
    after = (now < first->expected_ns ? first->expected_ns : now) + YK_WATCH_LEAST_NS;
    return after < now + behind ? after : now + behind;
}

int yk_flight_is_due(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    int first;
    if (job->runtime->waiting != YOKE_WAIT_AUTO || !flight->busy || !flight->expected_ns ||
        yk_steps_go_on(flight) || yk_now(job->runtime) > flight->expected_ns - YK_WATCH_LEAST_NS)
        return 1;
    return first_to_end(jd, &first) == flight;
}

/* Polls until a flight is over, the device's `change` has changed, or poll_ns have passed. */
static void poll(struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    yoke_runtime *runtime = job->runtime;
    const unsigned change = atomic_load(&jd->device->change);
    int64_t until = yk_clock_ns() + poll_ns;
    yoke_status outcome;
    int lane;
    do {
        for (lane = 0; lane < jd->device->lanes; lane++)
            if (jd->flights[lane].busy && yk_flight_complete(job, device, lane, &outcome))
                return;
        runtime->waiting == YOKE_WAIT_YIELD ? yk_yield() : yk_pause();
    } while (yk_clock_ns() < until && atomic_load(&jd->device->change) == change);
}

/* Returns until when to watch the flight that ends first; up to `now`: do not watch it. */
static int64_t watched_until(struct yk_job_device *jd, const struct yk_flight *flight, int64_t now)
{
    if (!flight->expected_ns)
        return jd->driven ? flight->issued_ns + YK_SLICE_NS : 0;
    if (yk_device_look_at(jd, now) != now)
        return 0;
    return yk_flight_watched_until(jd, flight);
}

int yk_device_is_due(struct yk_job *job, int device, int64_t now)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    const struct yk_flight *flight = first_to_end(jd, &lane);
    return flight && job->runtime->waiting == YOKE_WAIT_AUTO &&
           now < watched_until(jd, flight, now);
}

/* Watches the flight that should end first, for a moment. Returns 1 if it ended. Stops when
 * the device's `change` is not *change any more (NULL: goes on): the kernel of a job that has begun
 * since then should be queued before this one ends. */
static int linger(struct yk_job *job, int device, const unsigned *change)
{
    int lane = 0;
    struct yk_flight *flight = first_to_end(&job->devices[device], &lane);
    int64_t now = yk_clock_ns(), until;
    yoke_status outcome;
    if (!flight)
        return 0;
    for (until = watched_until(&job->devices[device], flight, now);
         now < until && (!change || atomic_load(&job->devices[device].device->change) == *change);
         now = yk_clock_ns()) {
        if (yk_flight_complete(job, device, lane, &outcome))
            return 1;
        yk_pause();
    }
    return 0;
}

int yk_device_watch(struct yk_job *job, int device, const unsigned *change)
{
    if (job->runtime->waiting == YOKE_WAIT_AUTO)
        return linger(job, device, change);
    if (!yk_runtime_polls(job->runtime))
        return 0;
    poll(job, device);
    return 1;
}

/* Returns how long to sleep before the next look: 1/64 of the time so far. Such a delay does not
 * matter, and looking that often uses hardly any core time. */
static int64_t nap_of(int64_t since_ns)
{
    const int64_t nap = since_ns / 64;
    return nap < nap_short_ns ? nap_short_ns : nap < nap_long_ns ? nap : nap_long_ns;
}

int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    if (!first_to_end(jd, &lane))
        return 0;
    *look_at = job->runtime->waiting == YOKE_WAIT_AUTO ? yk_device_look_at(jd, now) : 0;
    return 1;
}

void yk_device_await(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_backend *backend = jd->device->device->backend;
    int lane = 0;
    struct yk_flight *flight = first_to_end(jd, &lane);
    int64_t now = yk_clock_ns(), look_at;
    if (!flight)
        return;
    look_at =
        yk_flight_is_called(job->runtime->waiting, jd, flight) ? 0 : yk_device_look_at(jd, now);
    if (look_at > now) {
        yk_clock_sleep_until(look_at);
        return;
    }
    if (yk_device_watch(job, device, NULL))
        return;
    if (yk_watchdog_looks(jd)) { /* a driver that waits does not return in time for the watchdog */
        yk_clock_sleep_until(now + nap_of(now - flight->issued_ns));
        return;
    }
    backend->wait(yk_flight_last(flight));
}
