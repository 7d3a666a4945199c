/* lane.c - one step of a lane: report what ended, ask for the next chunk, issue it.
 *
 * The same code for a worker on its core, a host thread driving a GPU's queues and the virtual
 * driver. It never sleeps, except where rows have to come through the host.
 */
#include "lane.h"

#include "../flight/flight.h"
#include "../flight/forecast.h"
#include "../flight/landing.h"
#include "../flight/packed.h"
#include "../flight/steps.h"
#include "../flight/turn.h"
#include "../flight/watchdog.h"
#include "../job/lease.h"
#include "../job/rows.h"
#include "../job/wake.h"
#include "../life/end.h"
#include "../life/host_lane.h"
#include "../life/progress.h"
#include "calls.h"
#include "loss.h"
#include "overdue.h"
#include "report.h"

/* Whether all that a lease's pieces read and write is at the host. If so coherence hears of it
 * here, once: 32 cores that each ask for their pieces' rows wait for each other longer than for
 * memory. What is to be written counts as written before it is: nobody else may see these rows
 * before the job is done, and the host keeps what it had of pieces that are never made. What a
 * function of the program says of pieces is known only later: of rows that are read, those of the
 * whole job are asked for; what is written has to be among what it says of the lease, which is
 * looked at piece by piece (arrival.c). Under job.lock. */
static void note_rows(struct yk_job *job, const struct yk_chunk *chunk, struct yk_lease *lease)
{
    const struct yk_interval items = { chunk->first, chunk->last };
    int p;
    lease->rows = YK_LEASE_READY;
    for (p = 0; p < job->arg_count; p++) {
        const yoke_arg *arg = &job->args[p];
        const int custom = arg->shape == YOKE_CUSTOM, writes = yk_writes_rows(arg->mode);
        struct yk_interval rows;
        if (arg->mode == YOKE_PARAM_VALUE || arg->mode == YOKE_PARAM_ADD)
            continue;
        rows = custom && !writes ? yk_job_all_rows(job, p) : yk_job_rows(job, p, items);
        if (custom && writes)
            lease->written[p] = rows;
        if (!yk_array_is_host_only(arg->array) &&
            !yk_transfer_is_ready(arg->array, rows, writes ? YK_HOST_WRITES : YK_HOST_READS))
            lease->rows = YK_LEASE_ASKS;
    }
}

/* A chunk for this lane: cut from the device's lease, else asked of the dispatcher. */
static int ask(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int64_t now = yk_now(job->runtime);
    struct yk_choice_turn turn;
    struct yk_lease *lease;
    struct yk_chunk chunk;
    enum yk_verdict verdict;
    for (;;) {
        if (jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
            return 1;
        if (!yk_turn_next(job, device, &turn))
            return 0; /* the thread that drives the device comes again when a chunk of it ended */
        chunk = (struct yk_chunk){ .form = turn.form, .tries = turn.tries };
        verdict = yk_dispatch_next(
            job->dispatch, &(struct yk_request){ jd->device->number, lane, now }, &chunk, wake_ns);
        if (verdict == YK_WAIT && !yk_host_lane_rests(job, device, lane))
            atomic_store(&job->hungry, 1);
        if (verdict != YK_TAKE)
            break;
        flight->issued_ns = now;
        job->handed_out = 1;
        yk_turn_taken(job, device, &chunk);
        if (!jd->device->device->desc.host_memory) {
            flight->chunk = chunk;
            flight->slot = -1;
            atomic_store_explicit(&flight->out, chunk.serial, memory_order_relaxed);
            yk_job_note_free(job);
            return 1;
        }
        if (chunk.beside) {
            yk_beside_open(job, flight, &chunk, now);
            yk_job_note_free(job);
            return 1;
        }
        lease = yk_lease_next(&jd->leases);
        note_rows(job, &chunk, lease);
        yk_lease_publish(&jd->leases, lease, &chunk, now);
        yk_job_note_free(job); /* who sees that all is out sees the lease */
    }
    return 0;
}

/* Whether a core need not ask, for all is out; at a job's end all of them come at once, and to be
 * told so one by one under the lock took 32 of them 0.1 ms. What comes back later wakes who was
 * hungry: either that is seen there, or here that something came back. */
static int finds_all_out(struct yk_job *job, int device)
{
    if (!job->devices[device].device->device->desc.host_memory || job->hosting == device ||
        !atomic_load(&job->all_out))
        return 0;
    if (!atomic_load(&job->hungry))
        atomic_store(&job->hungry, 1);
    return atomic_load(&job->all_out);
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
    if (finds_all_out(job, device))
        return jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot);
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
        yk_lane_report(job, device, lane);
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
        yk_lane_undone(job, device, lane, status);
        yk_wake_all(job->runtime);
    } else if (status != YOKE_OK)
        yk_lane_not_done(job, device, lane, status);
    else if (goes_on(job, device, lane))
        return 1;
    else
        yk_lane_report(job, device, lane);
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
    const int lent = yk_job_is_driven(job, device);
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
        status =
            jd->stepper ? yk_calls_issue(job, device, lane) : yk_flight_issue(job, device, lane);
        if (status != YOKE_OK) {
            yk_flight_abandon(job, device, lane);
            yk_lane_not_done(job, device, lane, status);
            yk_job_leave(job);
            return;
        }
        if (flight->kernel || flight->home) {
            yk_flight_foretell(jd, flight, flight->issued_ns);
            yk_job_foretell(job, flight);
            yk_watchdog_begin(job, device, lane);
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
            return yk_watchdog_look(job, device, lane, wake_ns) ? YK_LANE_WORKED : YK_LANE_BUSY;
        if (ended(job, device, lane, status))
            issue(job, device, lane);
        return YK_LANE_WORKED;
    }
    if (!yk_job_enter(job))
        return YK_LANE_IDLE;
    if (!jd->stepped[lane]) /* a line that lanes share */
        jd->stepped[lane] = 1;
    if (atomic_load(&jd->device->place->lost) && !jd->failed)
        yk_lane_device_failed(job, device);
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
