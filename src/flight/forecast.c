/* forecast.c - predicts when flights end, from how long earlier ones took and what the device has
 * to do before them. A waiting thread sleeps until shortly before that end, and then watches (looks
 * all the time). */
#include "forecast.h"

#include "steps.h"

/* Predictions can be too long, by any factor if a kernel's work depends on its values, and a
 * sleeping thread would not notice. So a thread sleeps at most half of the remaining time, and at
 * most as long as the chunk has run. So a chunk's end is noticed before twice its time. A sleep
 * takes at least this many ns. */
static const int64_t nap_least_ns = 100000;

/* ns. If the first prediction takes longer to come, the end of the job counts as unknown. */
static const int64_t unforetold_ns = 1000000;

/* A chunk is watched from 1 / BEFORE_PART of its time before the predicted end to 1 / AFTER_PART
 * after it, within limits: longer than a timer may be late, and short enough not to matter. (If the
 * driver then has to wake the thread, that takes yk_brief_ns, so it is watched that long after.)
 * The part before is longer: a thread that looks too late takes its own delay for part of the
 * chunk's time and predicts it the next time. The prediction of a long chunk is less exact, so it
 * is watched for 1 / LONG_PART of its time more, but for window_long_ns at most. (n-body on four
 * H200s: with the limit of short chunks, the ends of chunks of 37 ms, which start up to 0.1 ms
 * apart, were found 0.1 ms late.) */
enum { BEFORE_PART = 12, AFTER_PART = 40, LONG_PART = 100 };
static const int64_t window_most_ns = 150000, window_long_ns = 500000;

/* A flight is brief if it takes less time than this many wakes: a host thread leaves its core to
 * others if that costs at most half of a chunk. For a thread of the program: YK_CALLER_BRIEF_NS. */
enum { BRIEF_WAKES = 2 };

int64_t yk_brief_ns(const struct yk_job_device *jd)
{
    return jd->driven ? YK_CALLER_BRIEF_NS : BRIEF_WAKES * (int64_t)YK_WAKE_NS;
}

int yk_flight_is_brief(const struct yk_job_device *jd, const struct yk_flight *flight)
{
    return flight->lasts_ns < yk_brief_ns(jd);
}

int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *jd,
                        const struct yk_flight *flight)
{
    return waiting != YOKE_WAIT_AUTO || !flight->expected_ns || yk_steps_go_on(flight) ||
           !(jd->steady || yk_flight_is_brief(jd, flight));
}

int yk_flight_is_last(const struct yk_job_device *jd, int lane)
{
    for (int l = 0; l < jd->device->lanes; l++)
        if (l != lane && (jd->flights[l].busy || jd->flights[l].turn == YK_TURN_LATER))
            return 0;
    return jd->flights[lane].chunk.closes;
}

int yk_flight_is_polled(struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    const int is_short = flight->lasts_ns > 0 && yk_flight_is_brief(jd, flight);
    if (jd->device->device->desc.host_memory || /* its lanes are separate threads */
        job->runtime->waiting == YOKE_WAIT_BLOCK || !(is_short || yk_runtime_polls(job->runtime)))
        return 0;
    return yk_flight_is_last(jd, lane);
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

/* If a flight is late or early, the predicted ends of the chunks behind it move by as much. */
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
    return window < YK_WATCH_LEAST_NS ? YK_WATCH_LEAST_NS : window;
}

/* Returns how long after its predicted end something is watched: at least as long as `wakes_ns`,
 * what a sleep would cost. */
static int64_t watched_after(int64_t lasts_ns, int64_t wakes_ns)
{
    const int64_t window = window_of(lasts_ns, AFTER_PART);
    return window > wakes_ns ? window : wakes_ns;
}

int64_t yk_flight_watched_until(const struct yk_job_device *jd, const struct yk_flight *flight)
{
    return flight->expected_ns + watched_after(flight->lasts_ns, yk_brief_ns(jd));
}

int64_t yk_flight_look_at(const struct yk_job_device *jd, const struct yk_flight *flight,
                          int64_t now)
{
    int64_t left, nap = now - flight->issued_ns;
    if (!flight->expected_ns || now > yk_flight_watched_until(jd, flight))
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
    int64_t due = atomic_load(&job->lanes.due_ns);
    while (flight->expected_ns > due &&
           !atomic_compare_exchange_weak(&job->lanes.due_ns, &due, flight->expected_ns))
        continue;
}

/* The caller watches the end: a wake takes 50 us, a tenth of what a job of 37 ms loses on four
 * GPUs. While there is more to hand out, the end is unknown: it sleeps for half of the time it has
 * waited. */
int64_t yk_job_look_at(const struct yk_job *job, int64_t since, int64_t now)
{
    const int64_t due = atomic_load(&job->lanes.due_ns);
    const int64_t nap = (now - since) / 2;
    int64_t lasts, watch_at;
    if (!due)
        return now - since < unforetold_ns ? now + nap_least_ns : 0;
    if (!atomic_load_explicit(&job->lanes.all_out, memory_order_relaxed))
        return now + (nap > nap_least_ns ? nap : nap_least_ns);
    lasts = due - job->outcome.submitted_ns;
    if (now > due + watched_after(lasts, BRIEF_WAKES * (int64_t)YK_WAKE_NS))
        return 0;
    watch_at = due - window_of(lasts, BEFORE_PART);
    return watch_at > now ? watch_at : now;
}
