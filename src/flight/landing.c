/* landing.c - how a flight ends: well, after an issue that failed halfway, or with a kernel that
 * failed. See flight.c.
 *
 * All functions are for the thread that steps the lane.
 */

#include "landing.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/rows.h"
#include "alternative.h"
#include "flight.h"
#include "forecast.h"
#include "homeward.h"
#include "host_results.h"
#include "pipeline.h"
#include "steps.h"
#include "sums.h"
#include "watchdog.h"

/* Query the driver for the end time only if completion was noticed more than DUE_NS after the
 * latest look and after the predicted end, because a query costs 1 to 6 us. Predictions are made
 * from these times, so without the query a sleeping thread would count its sleep as the chunk's
 * time. */
enum { DUE_NS = 20000 };

static void close_events(struct yk_job_device *jd, struct yk_flight *flight)
{
    const struct yk_backend *backend = jd->device->device->backend;
    if (flight->kernel)
        backend->event_close(flight->kernel);
    if (flight->folded)
        backend->event_close(flight->folded);
    if (flight->home)
        backend->event_close(flight->home);
    flight->kernel = flight->folded = flight->home = NULL;
}

static void settle(struct yk_job *job, struct yk_job_device *jd, struct yk_flight *flight,
                   yoke_status outcome)
{
    int p;
    for (p = 0; p < job->arg_count; p++) {
        if (jd->replicas[p])
            yk_transfer_settle(jd->replicas[p], &flight->loads[p], outcome);
    }
}

/* The flight failed: rows that coherence counts as written already are not. */
static void take_back(struct yk_job *job, int device, int lane, enum yk_told told)
{
    const struct yk_job_device *jd = &job->devices[device];
    int64_t lost;
    int p;
    for (p = 0; p < job->arg_count && told != YK_TOLD_NOTHING; p++)
        if (yk_writes_rows(job->args[p].mode))
            yk_transfer_spoilt(job->args[p].array, jd->device->place->number,
                               yk_job_rows(job, p, yk_flight_items(&jd->flights[lane])), &lost);
}

static void drop_hauls(struct yk_job *job, struct yk_flight *flight)
{
    int p;
    for (p = 0; flight->hauls && p < job->arg_count; p++)
        yk_haul_drop(&flight->hauls[p]);
}

/* Brings home what is in staging buffers, or could not leave the device because all staging buffers
 * were in use. */
static yoke_status finish_hauls(struct yk_job *job, struct yk_flight *flight)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; flight->hauls && p < job->arg_count && status == YOKE_OK; p++) {
        if (!yk_haul_is_open(&flight->hauls[p]))
            continue;
        flight->homing = 1;
        status = yk_haul_finish(&flight->hauls[p]);
    }
    return status;
}

int yk_flight_is_half_home(const struct yk_job *job, int device, int lane)
{
    const struct yk_job_device *jd = &job->devices[device];
    const struct yk_flight *flight = &jd->flights[lane];
    yoke_status kernel = YOKE_OK;
    int p;
    /* Copies home come after the kernel, so none has begun if the kernel failed. */
    if (!flight->homing ||
        (jd->device->device->desc.exact_outcomes && flight->kernel &&
         yk_place_poll(jd->device->place, flight->kernel, &kernel) && kernel != YOKE_OK))
        return 0;
    for (p = 0; p < job->arg_count; p++)
        if (job->args[p].mode == YOKE_PARAM_INOUT && yk_leaves_at_once(job, jd, p))
            return 1;
    return 0;
}

void yk_flight_abandon(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_place *place = jd->device->place;
    const enum yk_told told = yk_pipeline_withdraw(job, device, lane);
    yk_place_drain(place);
    yk_place_wait(place, flight->home);
    flight->home = NULL;
    flight->homing = yk_flight_is_half_home(job, device, lane);
    yk_place_wait(place, flight->folded);
    yk_place_wait(place, flight->kernel);
    flight->kernel = flight->folded = NULL;
    yk_sums_land(job, device, lane, YOKE_EDEVICE);
    yk_steps_await(jd, flight);
    drop_hauls(job, flight);
    settle(job, jd, flight, YOKE_EDEVICE);
    take_back(job, device, lane, told);
    yk_watchdog_end(job, device, lane);
    flight->busy = 0;
}

/* Returns the places where the flight's kernel and its copies home may have changed rows of
 * argument `p`, as bits. */
static uint32_t changed_places(const struct yk_job *job, const struct yk_job_device *jd,
                               const struct yk_flight *flight, int p)
{
    uint32_t places = 0;
    if (jd->holding[p] == YK_HELD_WHOLE)
        places |= yk_place_bit(jd->device->place->number);
    if (flight->homing && yk_leaves_at_once(job, jd, p))
        places |= yk_place_bit(YK_HOST);
    return places;
}

/* Discards the rows in these places, the host last. *lost: number of rows that no other place has.
 */
static yoke_status spoil(yoke_array *array, uint32_t places, struct yk_interval rows, int64_t *lost)
{
    yoke_status status = YOKE_OK;
    *lost = 0;
    while (places && status == YOKE_OK) {
        const int place = 31 - __builtin_clz(places);
        int64_t here = 0;
        status = yk_transfer_spoilt(array, place, rows, &here);
        *lost += here;
        places &= ~yk_place_bit(place);
    }
    return status;
}

yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_interval rows;
    char *why = yk_strdup(yoke_error_text());
    yoke_status status = YOKE_OK, worst = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count; p++) {
        int64_t lost;
        if (job->args[p].mode != YOKE_PARAM_INOUT)
            continue;
        rows = yk_job_rows(job, p, yk_flight_items(flight));
        status = spoil(job->args[p].array, changed_places(job, jd, flight, p), rows, &lost);
        if (status == YOKE_OK && lost)
            status = yk_fail(
                YOKE_ELOST,
                "array %s: %lld of rows %lld to %lld are lost, because %s changed them in place "
                "and did not end (%s: %s); write them again and repeat the job",
                job->args[p].array->name, (long long)lost, (long long)rows.first,
                (long long)rows.last - 1, job->name, jd->device->device->desc.name, why ? why : "");
        if (worst == YOKE_OK)
            worst = status;
    }
    yk_free(why);
    return worst;
}

struct yk_event *yk_flight_last(const struct yk_flight *flight)
{
    return flight->home ? flight->home : flight->folded ? flight->folded : yk_steps_last(flight);
}

/* Queries the last operation first, and the others only when it is over, because a driver takes
 * about half a microsecond to answer. */
static int is_over(struct yk_place *place, const struct yk_flight *flight, yoke_status *outcome)
{
    yoke_status home, folded;
    if (!yk_place_poll(place, flight->home, &home) ||
        !yk_place_poll(place, flight->folded, &folded) ||
        !yk_place_poll(place, flight->kernel, outcome))
        return 0;
    if (*outcome == YOKE_OK)
        *outcome = folded;
    if (*outcome == YOKE_OK)
        *outcome = home;
    return 1;
}

int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const int on_host = jd->device->device->desc.host_memory;
    int over = on_host || yk_steps_are_over(job, device, lane, outcome);
    if (over && (on_host || *outcome == YOKE_OK))
        over = is_over(jd->device->place, flight, outcome);
    if (over && on_host && *outcome == YOKE_OK && yk_form_is_steps(job, yk_flight_form(jd, flight)))
        *outcome = yk_steps_outcome(job, jd, flight);
    if (!over)
        flight->seen_busy_ns = yk_now(job->runtime);
    return over;
}

static yoke_status tell_written(struct yk_job *job, struct yk_job_device *jd, int p,
                                const struct yk_flight *flight)
{
    const struct yk_interval items = yk_flight_items(flight);
    const yoke_arg *arg = &job->args[p];
    yoke_array *array = arg->array;
    int number = jd->device->place->number;
    struct yk_interval rows;
    if (yk_flight_is_ready(jd, flight) || (number == YK_HOST && yk_array_is_host_only(array)))
        return YOKE_OK;
    rows = yk_job_rows(job, p, items);
    if (number == YK_HOST || jd->holding[p] == YK_HELD_WINDOW || jd->holding[p] == YK_HELD_HOST)
        return yk_transfer_written(array, YK_HOST, rows);
    return arg->home == YOKE_HOME_NOW ? yk_transfer_written_home(array, number, rows)
                                      : yk_transfer_written(array, number, rows);
}

static yoke_status tell_all_written(struct yk_job *job, struct yk_job_device *jd,
                                    const struct yk_flight *flight)
{
    yoke_status status = YOKE_OK;
    int p;
    for (p = 0; p < job->arg_count && status == YOKE_OK; p++)
        if (yk_writes_rows(job->args[p].mode))
            status = tell_written(job, jd, p, flight);
    return status;
}

static void trace(struct yk_job *job, struct yk_job_device *jd, int lane)
{
    struct yk_flight *flight = &jd->flights[lane];
    const struct yk_backend *backend = jd->device->device->backend;
    struct yk_trace *t = job->runtime->trace;
    const char *name =
        job->pair ? yk_job_kernel(job, yk_flight_form(jd, flight))->kernel.name : job->name;
    struct yk_event_times kernel = { 0, 0 }, home = { 0, 0 };
    struct yk_trace_event event = { .first = flight->chunk.first,
                                    .last = flight->chunk.last,
                                    .name = yk_trace_name(t, name),
                                    .job = (uint32_t)job->number,
                                    .reason = flight->chunk.reason,
                                    .kind = YK_TRACE_CHUNK };
    if (flight->kernel)
        backend->event_times(flight->kernel, &kernel);
    if (flight->kernel && yk_steps_last_launch(flight) != flight->kernel) {
        struct yk_event_times last = { 0, 0 };
        backend->event_times(yk_steps_last_launch(flight), &last);
        kernel.ended = last.ended;
    }
    if (flight->home)
        backend->event_times(flight->home, &home);
    event.start_ns = kernel.started ? kernel.started : flight->issued_ns;
    event.end_ns = kernel.ended ? kernel.ended : yk_now(job->runtime);
    yk_trace_add(t, jd->device->tracks[lane], &event);
    if (flight->bytes_in && event.start_ns > flight->issued_ns) {
        struct yk_trace_event in = event;
        in.kind = YK_TRACE_COPY_IN;
        in.end_ns = event.start_ns;
        in.start_ns = flight->issued_ns;
        in.bytes = flight->bytes_in;
        yk_trace_add(t, jd->device->tracks[lane], &in);
    }
    if (flight->bytes_between) {
        struct yk_event_times ran = yk_exchange_ran(jd->device->place);
        struct yk_trace_event across = event;
        across.kind = YK_TRACE_COPY_ACROSS;
        across.start_ns = ran.started ? ran.started : flight->issued_ns;
        across.end_ns = ran.ended ? ran.ended : event.start_ns;
        across.bytes = flight->bytes_between;
        yk_trace_add(t, jd->device->tracks[lane], &across);
    }
    if (flight->bytes_out && home.ended) {
        event.kind = YK_TRACE_COPY_OUT;
        event.start_ns = home.started;
        event.end_ns = home.ended;
        event.bytes = flight->bytes_out;
        yk_trace_add(t, jd->device->tracks[lane], &event);
    }
}

/* Returns 1 if the end was noticed at most DUE_NS late: the flight was seen under way a moment ago,
 * or is brief and ended when it was predicted. (Predictions leave out waits for other GPUs' rows.
 * With these alone, jobs with halos asked the driver each time: 6 us for each GPU.) */
static int is_noticed_in_time(const struct yk_job *job, const struct yk_job_device *jd,
                              const struct yk_flight *flight)
{
    const int64_t now = yk_now(job->runtime);
    return now < flight->seen_busy_ns + DUE_NS ||
           (flight->expected_ns && now <= flight->expected_ns + DUE_NS &&
            yk_flight_is_brief(jd, flight));
}

static int has_open_hauls(const struct yk_job *job, const struct yk_flight *flight)
{
    int p;
    for (p = 0; flight->hauls && p < job->arg_count; p++)
        if (yk_haul_is_open(&flight->hauls[p]))
            return 1;
    return 0;
}

static int64_t take_known_wait(struct yk_job_device *jd)
{
    const int64_t ns = jd->wait.ns;
    jd->wait.ns = 0;
    return ns;
}

/* Sets when a completed flight ended on the device, and the time from the issue of the chunk to the
 * start of its kernel, which waits for the chunk's copies. Asks for the times of an event only
 * once: CUDA's driver takes 6 us to tell them.
 *
 * The thread that notices the end may have waited long for a core. If several ends that it notices
 * at once got the same time, the device would look far too fast. ended_ns stays 0 if the end was
 * noticed when it was due, or if results still have to be brought to their places: then the flight
 * ends when that is done. */
static void note_times(const struct yk_job *job, struct yk_job_device *jd, struct yk_flight *flight)
{
    const struct yk_backend *backend = jd->device->device->backend;
    struct yk_event *last = yk_flight_last(flight);
    const int ends = last && !is_noticed_in_time(job, jd, flight) && !has_open_hauls(job, flight);
    const int fetches = yk_flight_tells_fetch(job, jd, flight) && flight->kernel;
    struct yk_event_times times = { 0 };
    if (ends || (fetches && last == flight->kernel))
        backend->event_times(last, &times);
    flight->ended_ns = ends ? times.ended : 0;
    if (fetches && last != flight->kernel)
        backend->event_times(flight->kernel, &times);
    if (fetches)
        flight->fetch_ns =
            times.started > flight->issued_ns ? times.started - flight->issued_ns : 0;
    else if (yk_flight_needs_fetch(job, flight))
        flight->fetch_ns = take_known_wait(jd);
}

static int64_t once_of(const struct yk_flight *flight)
{
    return flight->bytes_once ? (int64_t)((double)flight->fetch_ns * (double)flight->bytes_once /
                                          (double)flight->bytes_in)
                              : 0;
}

yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const enum yk_told told = yk_pipeline_withdraw(job, device, lane);
    yoke_status status;
    if (outcome == YOKE_OK)
        outcome = yk_exchange_outcome(jd->device->place, &flight->relies);
    outcome = yk_pipeline_outcome(job, flight, outcome);
    status = outcome;
    if (outcome != YOKE_OK) { /* memory of the flight may be reused only when all its operations are
                               * over */
        yk_place_wait(jd->device->place, flight->home);
        flight->home = NULL;
        flight->homing = yk_flight_is_half_home(job, device, lane);
        yk_place_wait(jd->device->place, flight->folded);
        flight->folded = NULL;
        yk_steps_await(jd, flight);
    }
    settle(job, jd, flight, outcome);
    if (outcome != YOKE_OK)
        take_back(job, device, lane, told);
    flight->ended_ns = flight->fetch_ns = 0;
    if (outcome == YOKE_OK)
        note_times(job, jd, flight);
    flight->once_ns = once_of(flight);
    if (flight->expected_ns)
        yk_flight_ended(jd, flight, flight->ended_ns ? flight->ended_ns : yk_now(job->runtime));
    if (outcome == YOKE_OK)
        status = finish_hauls(job, flight);
    drop_hauls(job, flight);
    yk_sums_land(job, device, lane, status);
    if (status == YOKE_OK)
        yk_host_results_land(job, device, lane);
    if (status == YOKE_OK && told != YK_TOLD_ALL)
        status = tell_all_written(job, jd, flight);
    if (outcome == YOKE_OK && job->runtime->trace)
        trace(job, jd, lane);
    close_events(jd, flight);
    yk_steps_await(jd, flight);
    yk_watchdog_end(job, device, lane);
    flight->busy = 0;
    if (!jd->device->device->desc.host_memory) { /* not for cores, which have many pieces */
        jd->bytes_in += flight->bytes_in;
        atomic_fetch_add(&job->outcome.bytes_to, flight->bytes_in + flight->bytes_passed);
        atomic_fetch_add(&job->outcome.bytes_from, flight->bytes_out);
        atomic_fetch_add(&job->outcome.bytes_between, flight->bytes_between);
    }
    return status;
}
