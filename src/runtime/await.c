/* await.c - waiting for flights, as asked for, or as their forecasts make it pay.
 *
 * Left to choose, who waits sleeps until an end that can be foretold. Being woken when a GPU is
 * done costs 30 to 60 us on a machine whose cores have gone to sleep, which is much beside a chunk
 * of half a millisecond; watching all the time costs a core. How long a chunk will take is known
 * from the ones before, so whoever drives a device sleeps until shortly before the end, watches for
 * a moment, and only if the chunk is far off the forecast relies on being woken. The moment is a
 * small part of the chunk's time, so a core is hardly used. Where the speed was another one in the
 * job before, as in a kernel's first jobs, forecasts are off, and it is woken as well. Of chunks
 * that are not much longer than a wake it is all of their time. While more is queued behind it
 * nothing stands still if an end is noticed late, so nobody watches for it: a core that watches
 * does no work of its own.
 */
#include "../platform/clock.h"
#include "flight.h"

/* Forecasts can be too long, by any factor where a kernel's work depends on its values, and a
 * sleeper would never find out. So on the way it looks each time half of what is left has passed,
 * or as much as has passed since the chunk was issued, so that none takes twice its time; unless
 * that is less than this. */
static const int64_t nap_least_ns = 100000;

/* Of a caller that looks for itself whether its chunk ended, for it watches the device. */
static const int64_t nap_short_ns = 20000, nap_long_ns = 500000;

/* After that nobody expects to hear how long the chunks of a job will take. */
static const int64_t unforetold_ns = 1000000;

/* The watched part is 1 / these of a chunk before and after the time foretold, with bounds that
 * make it longer than a timer is late, and shorter than anybody minds. More before: who looks too
 * late takes his own lateness for the chunk's, and foretells it the next time. What is foretold of
 * a long chunk is off by more, so it is watched for a hundredth of its time longer, as long as that
 * is not much more than what a late look loses (n-body on four H200s: ends of chunks of 37 ms,
 * which begin 0.1 ms earlier or later, were found 0.1 ms late with the bound of short ones). */
enum { BEFORE_PART = 12, AFTER_PART = 40, LONG_PART = 100 };
static const int64_t window_least_ns = 25000, window_most_ns = 150000, window_long_ns = 500000;

/* Somebody told to poll goes back to look after other jobs, and lanes that got nothing, so often.
 */
static const int64_t poll_ns = 100000;

int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *jd,
                        const struct yk_flight *flight)
{
    return waiting != YOKE_WAIT_AUTO || !flight->expected_ns || !jd->steady ||
           yk_steps_go_on(flight);
}

int yk_flight_is_brief(const struct yk_flight *flight)
{
    return flight->lasts_ns < 2 * YK_WAKE_NS;
}

int yk_flight_is_polled(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    const int is_short = flight->lasts_ns > 0 && yk_flight_is_brief(flight) && jd->steady;
    if (jd->device->device->desc.host_memory || /* whose lanes are threads of their own */
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
    jd->waits.brief += yk_flight_is_brief(flight);
    jd->waits.lasts_ns += flight->lasts_ns;
}

/* The others were to end so much after it, and so they will if it is late or early. */
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

int64_t yk_flight_look_at(const struct yk_flight *flight, int64_t now)
{
    int64_t left, nap = now - flight->issued_ns;
    if (!flight->expected_ns || now > flight->expected_ns + window_of(flight->lasts_ns, AFTER_PART))
        return 0;
    left = flight->expected_ns - now;
    left -=
        yk_flight_is_brief(flight) ? flight->lasts_ns : window_of(flight->lasts_ns, BEFORE_PART);
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

/* A wake of 50 us is a tenth of all that three GPUs more cost a job of 37 ms. While there is more
 * to hand out, or where nobody can say how long it takes, all that is known is how long it took so
 * far.
 */
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

/* What the device still has to do when the first of its flights ends. */
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

/* With more behind it, once after its end, but not so late that the device could be idle if all are
 * over by then. */
int64_t yk_device_look_at(struct yk_job_device *jd, int64_t now)
{
    int lane;
    const struct yk_flight *first = first_to_end(jd, &lane);
    int64_t look_at = first ? yk_flight_look_at(first, now) : 0, behind, after;
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

/* Until a flight is over, something else may be worth a look, or for a while. */
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

/* Watches for a moment the flight that is due; 1 if it ended. */
static int linger(struct yk_job *job, int device)
{
    int lane = 0;
    struct yk_flight *flight = first_to_end(&job->devices[device], &lane);
    int64_t now = yk_clock_ns();
    yoke_status outcome;
    if (!flight || yk_device_look_at(&job->devices[device], now) != now)
        return 0;
    for (; now < flight->expected_ns + window_of(flight->lasts_ns, AFTER_PART);
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

/* A sixty-fourth of the time so far is not missed, and costs hardly any of a core. */
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
    if (yk_watchdog_looks(jd)) { /* which a driver that waits does not come back for */
        yk_clock_sleep_until(now + nap_of(now - flight->issued_ns));
        return;
    }
    backend->wait(flight->home ? flight->home : yk_steps_last(flight));
}
