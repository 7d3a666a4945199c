/* await.c - waits for flights, as the configuration says, or as their predicted ends make it pay.
 *
 * In automatic mode a waiting thread sleeps until a predicted end. Being woken when a GPU is done
 * costs 30 to 60 us on a machine whose cores are in a sleep state, which is much compared with a
 * chunk of half a millisecond; watching all the time costs a core. Earlier chunks show how long a
 * chunk will take. So the thread that drives a device sleeps until shortly before the end, watches
 * for a moment, and relies on being woken only if the chunk is far off the prediction. The moment
 * is a small part of the chunk's time, so a core is hardly used. If the speed differed in the job
 * before, as in a kernel's first jobs, predictions are unreliable, and the end also wakes the
 * thread. A chunk that is not much longer than a wake is watched all the time. While more chunks
 * are queued behind a flight, noticing its end late leaves nothing idle, so no thread watches for
 * it: a core that watches does no work of its own.
 */
#include "../platform/clock.h"
#include "flight.h"

/* Predictions can be too long, by any factor if a kernel's work depends on its values, and a
 * sleeping thread would not notice. So it looks each time half of the remaining time has passed, or
 * as much time as since the chunk was issued, so that no chunk takes twice its time; but no more
 * often than this. */
static const int64_t nap_least_ns = 100000;

/* For a caller that polls its device: the shortest and longest sleep between two looks. */
static const int64_t nap_short_ns = 20000, nap_long_ns = 500000;

/* After this time without a prediction the duration of a job's chunks counts as unknown. */
static const int64_t unforetold_ns = 1000000;

/* A chunk is watched from 1 / BEFORE_PART of its time before the predicted end to 1 / AFTER_PART
 * after it, within limits: longer than a timer is late, and short enough not to matter. The part
 * before is longer: a thread that looks too late takes its own lateness for the chunk's, and
 * predicts it the next time. The prediction of a long chunk is less exact, so it is watched for a
 * hundredth of its time more, while that is not much more than a late look costs (n-body on four
 * H200s: the ends of chunks of 37 ms, whose starts vary by 0.1 ms, were found 0.1 ms late with the
 * limit of short ones). */
enum { BEFORE_PART = 12, AFTER_PART = 40, LONG_PART = 100 };
static const int64_t window_least_ns = 25000, window_most_ns = 150000, window_long_ns = 500000;

/* Interval after which a polling thread looks at other jobs and at lanes that got nothing. */
static const int64_t poll_ns = 100000;

int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *jd,
                        const struct yk_flight *flight)
{
    return waiting != YOKE_WAIT_AUTO || !flight->expected_ns || !jd->steady ||
           yk_steps_go_on(flight);
}

/* A host thread leaves its core to others if that costs no more than half of a chunk; a caller that
 * drives GPUs has nothing else to do, so it sleeps only where a late look hardly matters. */
enum { BRIEF_WAKES = 2, BRIEF_WAKES_OF_CALLER = 20 };

int yk_flight_is_brief(const struct yk_job_device *jd, const struct yk_flight *flight)
{
    const int wakes = jd->driven ? BRIEF_WAKES_OF_CALLER : BRIEF_WAKES;
    return flight->lasts_ns < (int64_t)wakes * YK_WAKE_NS;
}

int yk_flight_is_polled(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    const int is_short = flight->lasts_ns > 0 && yk_flight_is_brief(jd, flight) && jd->steady;
    if (jd->device->device->desc.host_memory || /* its lanes are separate threads */
        job->runtime->waiting == YOKE_WAIT_BLOCK || !(is_short || yk_runtime_polls(job->runtime)) ||
        !atomic_load_explicit(&job->all_out, memory_order_relaxed))
        return 0;
    for (int l = 0; l < jd->device->lanes; l++)
        if (l != lane && jd->flights[l].busy)
            return 0;
    return 1;
}

void yk_flight_foretell(struct yk_job_device *jd, struct yk_flight *flight, int64_t now)
{
    int64_t start = jd->expected_ns > now ? jd->expected_ns : now;
    jd->waits.flights++;
    flight->expected_ns = 0;
    if (flight->lasts_ns <= 0)
        return;
    flight->expected_ns = jd->expected_ns = start + flight->lasts_ns;
    jd->waits.foretold++;
    jd->waits.brief += yk_flight_is_brief(jd, flight);
    jd->waits.lasts_ns += flight->lasts_ns;
}

/* Chunks behind a flight that is late or early move by the same time. */
void yk_flight_ended(struct yk_job_device *jd, const struct yk_flight *flight, int64_t ended_ns)
{
    int64_t late = ended_ns - flight->expected_ns;
    int l;
    for (l = 0; l < jd->device->lanes; l++) {
        struct yk_flight *other = &jd->flights[l];
        if (other->busy && other != flight && other->expected_ns > flight->expected_ns)
            other->expected_ns += late;
    }
    if (jd->expected_ns > flight->expected_ns)
        jd->expected_ns += late;
}

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t window_of(int64_t lasts_ns, int part)
{
    const int64_t most = smaller(window_most_ns + lasts_ns / LONG_PART, window_long_ns);
    const int64_t window = smaller(lasts_ns / part, most);
    return window < window_least_ns ? window_least_ns : window;
}

int64_t yk_flight_look_at(const struct yk_job_device *jd, const struct yk_flight *flight,
                          int64_t now)
{
    int64_t left, nap = now - flight->issued_ns;
    if (!flight->expected_ns || now > flight->expected_ns + window_of(flight->lasts_ns, AFTER_PART))
        return 0;
    left = flight->expected_ns - now;
    left -= yk_flight_is_brief(jd, flight) ? flight->lasts_ns
                                           : window_of(flight->lasts_ns, BEFORE_PART);
    if (nap > left / 2)
        nap = left / 2;
    if (nap < nap_least_ns)
        nap = left < nap_least_ns ? left : nap_least_ns;
    return left <= 0 ? now : now + nap;
}

void yk_job_foretell(struct yk_job *job, const struct yk_flight *flight)
{
    int64_t due = atomic_load(&job->due_ns);
    while (flight->expected_ns > due &&
           !atomic_compare_exchange_weak(&job->due_ns, &due, flight->expected_ns))
        continue;
}

/* A wake of 50 us is a tenth of what three additional GPUs cost a job of 37 ms. While there is more
 * to hand out, or without a prediction, only the time so far is known. */
int64_t yk_job_look_at(const struct yk_job *job, int64_t since, int64_t now)
{
    const int64_t due = atomic_load(&job->due_ns);
    const int64_t nap = (now - since) / 2;
    int64_t lasts, watch_at;
    if (!due)
        return now - since < unforetold_ns ? now + nap_least_ns : 0;
    if (!atomic_load_explicit(&job->all_out, memory_order_relaxed))
        return now + (nap > nap_least_ns ? nap : nap_least_ns);
    lasts = due - job->submitted_ns;
    if (now > due + window_of(lasts, AFTER_PART))
        return 0;
    watch_at = due - window_of(lasts, BEFORE_PART);
    return watch_at > now ? watch_at : now;
}

/* The busy flight that should end first; NULL if none is busy. */
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

/* The time of work that the device still has when the first of its flights ends. */
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
    if (behind < 2 * YK_WAKE_NS)
        return look_at;
    after = (now < first->expected_ns ? first->expected_ns : now) + window_least_ns;
    return after < now + behind ? after : now + behind;
}

int yk_flight_is_due(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    int first;
    if (job->runtime->waiting != YOKE_WAIT_AUTO || !flight->busy || !flight->expected_ns ||
        yk_steps_go_on(flight) || yk_now(job->runtime) > flight->expected_ns - window_least_ns)
        return 1;
    return first_to_end(jd, &first) == flight;
}

/* Polls until a flight is over, something else changed, or poll_ns have passed. */
static void poll(struct yk_job *job, int device)
{
    const struct yk_job_device *jd = &job->devices[device];
    yoke_runtime *runtime = job->runtime;
    unsigned change = atomic_load(&runtime->change);
    int64_t until = yk_clock_ns() + poll_ns;
    yoke_status outcome;
    int lane;
    do {
        for (lane = 0; lane < jd->device->lanes; lane++)
            if (jd->flights[lane].busy && yk_flight_complete(job, device, lane, &outcome))
                return;
        runtime->waiting == YOKE_WAIT_YIELD ? yk_yield() : yk_pause();
    } while (yk_clock_ns() < until && atomic_load(&runtime->change) == change);
}

/* Until when the flight that ends first is watched; before `now`: it is not. */
static int64_t watched_until(struct yk_job_device *jd, const struct yk_flight *flight, int64_t now)
{
    if (!flight->expected_ns)
        return jd->driven ? flight->issued_ns + YK_SLICE_NS : 0;
    if (yk_device_look_at(jd, now) != now)
        return 0;
    return flight->expected_ns + window_of(flight->lasts_ns, AFTER_PART);
}

int yk_device_is_due(struct yk_job *job, int device, int64_t now)
{
    struct yk_job_device *jd = &job->devices[device];
    int lane;
    const struct yk_flight *flight = first_to_end(jd, &lane);
    return flight && job->runtime->waiting == YOKE_WAIT_AUTO &&
           now < watched_until(jd, flight, now);
}

/* Watches the flight that is due for a moment; 1 if it ended. */
static int linger(struct yk_job *job, int device)
{
    int lane = 0;
    struct yk_flight *flight = first_to_end(&job->devices[device], &lane);
    int64_t now = yk_clock_ns(), until;
    yoke_status outcome;
    if (!flight)
        return 0;
    for (until = watched_until(&job->devices[device], flight, now); now < until;
         now = yk_clock_ns()) {
        if (yk_flight_complete(job, device, lane, &outcome))
            return 1;
        yk_pause();
    }
    return 0;
}

int yk_device_watch(struct yk_job *job, int device)
{
    if (job->runtime->waiting == YOKE_WAIT_AUTO)
        return linger(job, device);
    if (!yk_runtime_polls(job->runtime))
        return 0;
    poll(job, device);
    return 1;
}

/* A delay of 1/64 of the time so far does not matter, and looking that often uses hardly any core
 * time. */
static int64_t nap_of(int64_t since_ns)
{
    const int64_t nap = since_ns / 64;
    return nap < nap_short_ns ? nap_short_ns : smaller(nap, nap_long_ns);
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
    if (yk_device_watch(job, device))
        return;
    if (yk_watchdog_looks(jd)) { /* a driver that waits does not return for the watchdog */
        yk_clock_sleep_until(now + nap_of(now - flight->issued_ns));
        return;
    }
    backend->wait(flight->home ? flight->home : yk_steps_last(flight));
}
