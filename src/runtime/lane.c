/* lane.c - one step of a lane: report what ended, ask for the next chunk, issue it.
 *
 * The same code for a worker on its core, a host thread driving a GPU's queues and the virtual
 * driver. It never sleeps, except where rows have to come through the host.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "flight.h"

/* Whether all that a lease's pieces read and write is at the host. If so coherence hears of it
 * here, once. What is to be written counts as written before it is: nobody else may see these rows
 * before the job is done, and the host keeps what it had of pieces that are never made. What only a
 * function of the program knows may be other rows for a piece than for the lease, but they are
 * among those of the job. Under job.lock. */
static enum yk_lease_rows lease_rows(struct yk_job *job, const struct yk_chunk *chunk)
{
    const struct yk_interval items = { chunk->first, chunk->last };
    const struct yk_interval all = { job->first, job->last };
    int p;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        const int custom = arg->shape == YOKE_CUSTOM, writes = yk_writes_rows(arg->mode);
        if (arg->mode == YOKE_PARAM_VALUE || arg->mode == YOKE_PARAM_ADD ||
            yk_array_is_host_only(arg->array))
            continue;
        if ((custom && writes) ||
            !yk_transfer_is_ready(arg->array, yk_job_rows(job, p, custom ? all : items),
                                  writes ? YK_HOST_WRITES : YK_HOST_READS))
            return YK_LEASE_ASKS;
    }
    return YK_LEASE_READY;
}

/* A chunk for this lane: cut from the device's lease, else asked of the dispatcher. */
static int ask(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int64_t now = yk_now(job->runtime);
    struct yk_choice_turn turn;
    struct yk_chunk chunk;
    enum yk_verdict verdict;
    for (;;) {
        if (jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
            return 1;
        if (!yk_turn_next(job, device, &turn))
            return 0; /* the thread that drives the device comes again when a chunk of it ended */
        chunk = (struct yk_chunk){ .form = turn.form, .tries = turn.tries };
        verdict = yk_dispatch_next(job->dispatch, jd->device->number, lane, now, &chunk, wake_ns);
        if (verdict == YK_WAIT && !yk_host_lane_rests(job, device, lane))
            atomic_store(&job->hungry, 1);
        if (verdict != YK_TAKE)
            break;
        flight->issued_ns = now;
        yk_turn_taken(job, device, &chunk);
        if (yk_dispatch_free(job->dispatch) == 0)
            atomic_store_explicit(&job->all_out, 1, memory_order_relaxed);
        if (!jd->device->device->desc.host_memory) {
            flight->chunk = chunk;
            flight->slot = -1;
            atomic_store_explicit(&flight->out, chunk.serial, memory_order_relaxed);
            return 1;
        }
        if (chunk.beside) {
            yk_beside_open(job, flight, &chunk, now);
            return 1;
        }
        yk_lease_publish(&jd->leases, &chunk, lease_rows(job, &chunk), now);
    }
    return 0;
}

static int take(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int got, waits;
    if (lane >= jd->device->lanes - jd->kept)
        return 0;
    if (flight->beside.chunk.serial) {
        yk_beside_cut(flight);
        return 1;
    }
    if (jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
        return 1;
    waits = job->packs && yk_packed_waits(job, device);
    yk_lock(&job->lock);
    got = !waits && jd->joined && !jd->failed && !jd->retired && !jd->benched &&
          ask(job, device, lane, wake_ns);
    if (got &&
        !jd->device->device->desc.host_memory) /* of a kernel that is tried little is known */
        flight->lasts_ns = jd->trying
                               ? 0
                               : yk_dispatch_forecast(job->dispatch, jd->device->number,
                                                      flight->chunk.last - flight->chunk.first);
    yk_unlock(&job->lock);
    if (jd->hosts)
        yk_host_lane_call(job, device, lane, got);
    return got;
}

/* What a lane answers to the dispatcher. */
struct answer {
    const struct yk_chunk *chunk;
    const struct yk_lease *lease; /* NULL: it is none */
    int64_t completed;
    struct yk_chunk_times times;
};

/* What it did by `now`. 0: there are more pieces of the chunk to come, so nothing is to be said
 * yet. */
static int is_answered(struct yk_job_device *jd, struct yk_flight *flight, int64_t now,
                       struct answer *out)
{
    int64_t done = flight->done;
    struct yk_chunk_times times = { .issued = flight->issued_ns,
                                    .ended = now,
                                    .copied_bytes = flight->bytes_in + flight->bytes_out };
    *out = (struct answer){ .chunk = &flight->chunk,
                            .completed = flight->chunk.last - flight->chunk.first };
    if (flight->beside.chunk.serial) {
        if (!yk_beside_ended(flight, now))
            return 0;
        out->chunk = &flight->beside.chunk;
        out->completed = flight->beside.next - out->chunk->first;
        times.issued = flight->beside.issued_ns;
        times.work_ns = flight->beside.work_ns;
    } else if (flight->slot >= 0) {
        yk_lease_worked(&jd->leases, flight->slot, now - flight->issued_ns);
        flight->done = 0;
        out->lease = yk_lease_done(&jd->leases, flight->slot, done);
        if (!out->lease)
            return 0;
        out->chunk = &out->lease->chunk;
        out->completed = out->chunk->last - out->chunk->first;
        times.issued = out->lease->issued_ns;
        times.work_ns = atomic_load_explicit(&out->lease->work_ns, memory_order_relaxed);
    }
    out->times = times;
    return 1;
}

static void report(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int64_t left, now = flight->ended_ns ? flight->ended_ns : yk_now(job->runtime);
    struct answer answer;
    if (!is_answered(jd, flight, now, &answer)) {
        yk_job_tell_progress(job, 0);
        return;
    }
    if (!jd->device->device->desc.host_memory) {
        answer.times.free_ns = yk_device_serve(jd->device, now);
        answer.times.once_ns = flight->once_ns;
    }
    yk_lock(&job->lock);
    job->reported_ns = flight->ended_ns ? 0 : now;
    atomic_store_explicit(&flight->out, 0, memory_order_relaxed);
    yk_turn_ended(job, device, &(struct yk_turn_chunk){ answer.chunk, answer.completed },
                  &answer.times);
    if (!jd->failed)
        yk_dispatch_done(job->dispatch, jd->device->number, answer.chunk, answer.completed,
                         &answer.times);
    flight->beside.chunk.serial = 0;
    if (answer.lease)
        yk_lease_free(&jd->leases, flight->slot);
    left = yk_dispatch_left(job->dispatch);
    yk_unlock(&job->lock);
    yk_turn_tidy(job, device);
    /* Speeds are known better now: lanes that were told to wait may get something. */
    if (left > 0 && atomic_exchange(&job->hungry, 0))
        yk_job_wake(job);
    yk_job_tell_progress(job, 0);
}

/* What the lane's chunk changed in place and did not end is gone there. */
static void spoil(struct yk_job *job, int device, int lane)
{
    yoke_status status = yk_flight_spoil(job, device, lane);
    if (status != YOKE_OK)
        yk_job_fail(job, status);
}

/* The device is gone. Chunks that came through count; the others go back to the range. */
static void device_failed(struct yk_job *job, int device)
{
    struct yk_job_device *jd = &job->devices[device];
    yoke_status outcome;
    int lane, came_through;
    char *text;
    if (atomic_load(&jd->device->place->lost)) /* this thread's text is of the job that found out */
        yk_fail(YOKE_EDEVICE, "%s was lost before", jd->device->device->desc.name);
    text = yk_strdup(yoke_error_text());
    /* A CPU's lanes are other threads'; the job ends anyway. */
    for (lane = 0; !jd->device->device->desc.host_memory && lane < jd->device->lanes; lane++) {
        struct yk_flight *flight = &jd->flights[lane];
        if (!flight->busy)
            continue;
        came_through = yk_flight_complete(job, device, lane, &outcome) && outcome == YOKE_OK;
        if (!came_through) /* nothing of it may land in what others do again */
            yk_flight_abandon(job, device, lane);
        else if (yk_flight_finish(job, device, lane, YOKE_OK) == YOKE_OK)
            report(job, device, lane);
        else
            came_through = 0;
        if (!came_through && yk_flight_is_half_home(job, device, lane))
            spoil(job, device, lane);
        yk_job_leave(job);
    }
    if (jd->device->device->desc.host_memory)
        /* Pieces of a lease may be done or half done; they cannot be told apart any more. */
        yk_job_fail(job, YOKE_EDEVICE);
    yk_lock(&job->lock);
    yk_job_drop_device(job, device, text ? text : "it failed");
    yk_unlock(&job->lock);
    yk_runtime_device_lost(job->runtime, jd->device);
    yk_free(text);
}

/* Too large for the device's memory: half of it next time; a single unit that does not fit ends the
 * device's part, but for what its other lanes are working on. Otherwise the size is not to blame.
 */
static void chunk_returned(struct yk_job *job, int device, int lane, yoke_status why)
{
    struct yk_job_device *jd = &job->devices[device];
    const struct yk_chunk *chunk = &jd->flights[lane].chunk;
    int64_t items = chunk->last - chunk->first;
    int64_t unit = yk_job_unit(job);
    yk_lock(&job->lock);
    atomic_store_explicit(&jd->flights[lane].out, 0, memory_order_relaxed);
    yk_turn_returned(job, device, chunk);
    yk_dispatch_returned(job->dispatch, jd->device->number, chunk,
                         items > unit && why == YOKE_ENOMEM ? (items + 1) / 2 : 0);
    if (items <= unit && why == YOKE_ENOMEM) {
        jd->status = YOKE_ENOMEM;
        yk_job_retire_device(job, device, yoke_error_text());
    }
    yk_unlock(&job->lock);
}

/* No memory, or rows that the kernel read were none: the chunk goes back. If its kernel may have
 * run, so must everything go that it wrote in place, and in mode add the device's whole private
 * copy with all that went into it. */
static void undone(struct yk_job *job, int device, int lane, yoke_status why)
{
    struct yk_job_device *jd = &job->devices[device];
    if (jd->flights[lane].launched)
        spoil(job, device, lane);
    if (jd->flights[lane].launched && job->has_add) {
        yk_lock(&job->lock);
        yk_job_drop_device(job, device, yoke_error_text());
        yk_unlock(&job->lock);
    } else {
        chunk_returned(job, device, lane, why);
    }
}

static void not_done(struct yk_job *job, int device, int lane, yoke_status status)
{
    struct yk_job_device *jd = &job->devices[device];
    if (status == YOKE_EDEVICE && yk_flight_is_half_home(job, device, lane))
        spoil(job, device, lane);
    if (status == YOKE_EDEVICE)
        device_failed(job, device);
    else if (status == YOKE_ENOMEM && !jd->device->device->desc.host_memory)
        undone(job, device, lane, status);
    else
        yk_job_fail(job, status);
    yk_wake_all(job->runtime);
}

/* A core goes on with another piece of a lease, without a word to anybody between pieces of the
 * same one: what is shared with other cores costs more than a small piece takes. Not before others
 * were told of the job, which the caller sees to between steps; and timelines want every piece, as
 * does who is told how far it is. */
static int goes_on(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_chunk piece;
    int slot;
    if (flight->slot < 0 || job->runtime->trace || job->progress || !atomic_load(&job->woken) ||
        yk_job_is_stopped(job) || !yk_lease_cut(&jd->leases, lane, &piece, &slot))
        return 0;
    if (slot != flight->slot) {
        report(job, device, lane);
        flight->issued_ns = yk_now(job->runtime);
    }
    flight->chunk = piece;
    flight->slot = slot;
    return 1;
}

/* 1: the lane has another piece to issue. */
static int ended(struct yk_job *job, int device, int lane, yoke_status outcome)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    yoke_status status = yk_flight_finish(job, device, lane, outcome);
    flight->done += flight->chunk.last - flight->chunk.first;
    if (status == YOKE_ELOST) { /* a device that it took rows from */
        undone(job, device, lane, status);
        yk_wake_all(job->runtime);
    } else if (status != YOKE_OK)
        not_done(job, device, lane, status);
    else if (goes_on(job, device, lane))
        return 1;
    else
        report(job, device, lane);
    yk_job_leave(job);
    return 0;
}

static void wake_host_thread(void *context)
{
    struct yk_worker *worker = context;
    yk_parker_wake(&worker->parker);
}

void yk_flight_call(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const struct yk_backend *backend = jd->device->device->backend;
    struct yk_event *last = flight->home ? flight->home : yk_steps_last(flight);
    int lent = atomic_load(&job->borrowing) && job->borrowed_device == device;
    flight->watched = jd->device->workers && backend->notify && !lent &&
                      !yk_runtime_polls(job->runtime) && jd->device->place->number != YK_HOST &&
                      backend->notify(last, wake_host_thread, jd->device->workers) == YOKE_OK;
}

/* What the lane took, and on a core what it goes on with. */
static void issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_status status;
    do {
        status = yk_flight_issue(job, device, lane);
        if (status != YOKE_OK) {
            yk_flight_abandon(job, device, lane);
            not_done(job, device, lane, status);
            yk_job_leave(job);
            return;
        }
        if (flight->kernel || flight->home) {
            yk_flight_foretell(jd, flight, flight->issued_ns);
            yk_job_foretell(job, flight);
            flight->watched = 0;
            if (yk_flight_is_called(job->runtime->waiting, jd, flight))
                yk_flight_call(job, device, lane);
            return;
        }
    } while (ended(job, device, lane, YOKE_OK));
}

/* It got nothing. What is left may be for devices that were not told of a job as short as this one
 * seemed: the last one out tells them. */
static void leave_idle(struct yk_job *job)
{
    yk_job_leave(job);
    if (!atomic_load(&job->woken) && atomic_load(&job->flying) == 0 &&
        atomic_load(&job->phase) == YK_RUNNING)
        yk_job_tell(job);
}

enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_status status;
    *wake_ns = 0;
    if (flight->busy) {
        if (!yk_flight_complete(job, device, lane, &status))
            return YK_LANE_BUSY;
        if (ended(job, device, lane, status))
            issue(job, device, lane);
        return YK_LANE_WORKED;
    }
    if (!yk_job_enter(job))
        return YK_LANE_IDLE;
    if (!jd->stepped[lane]) /* a line that lanes share */
        jd->stepped[lane] = 1;
    if (atomic_load(&jd->device->place->lost) && !jd->failed)
        device_failed(job, device);
    flight->issued_ns = 0;
    if (yk_job_is_stopped(job) || !take(job, device, lane, wake_ns)) {
        leave_idle(job);
        return YK_LANE_IDLE;
    }
    if (!flight->issued_ns) /* it asked nobody */
        flight->issued_ns = yk_now(job->runtime);
    flight->done = 0;
    issue(job, device, lane);
    return YK_LANE_WORKED;
}
