/* lane.c - one step of a lane: reports what ended, asks for the next chunk, issues it.
 *
 * A worker on its core, a host thread that drives a GPU's queues and the virtual driver run the
 * same code. It never sleeps, except where rows must come through the host.
 */
#include "lane.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../flight/alternative.h"
#include "../flight/flight.h"
#include "../flight/forecast.h"
#include "../flight/landing.h"
#include "../flight/packed.h"
#include "../flight/pipeline.h"
#include "../flight/steps.h"
#include "../flight/strips.h"
#include "../flight/sums.h"
#include "../flight/watchdog.h"
#include "../job/call.h"
#include "../job/rows.h"
#include "../job/wake.h"
#include "../life/borrow.h"
#include "../life/end.h"
#include "../life/host_lane.h"
#include "../life/merge.h"
#include "../partition/kept_cores.h"
#include "../partition/lease.h"
#include "overdue.h"
#include "report.h"
#include "stuck_calls.h"
#include "undone.h"

/* Sets lease->rows to READY if the host has all rows that the lease's pieces read and write. Then
 * coherence is told here, once: if 32 cores told it for their pieces, they would wait for each
 * other longer than for memory. So rows count as written before they are. That is safe: no other
 * job may see these rows before this job is done, and for pieces that are never done the host keeps
 * what it had. A rows function is called for pieces only later. If it gives rows that are read,
 * this takes the rows of the whole job. If it gives rows that are written, arrival.c checks that
 * those of each piece lie among those of the lease. With job.lock held. */
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

/* Gets a chunk for this lane: a piece of the device's lease, or else a chunk from the dispatcher.
 * Returns 0 if there is none, with the dispatcher's *wake_ns. With job.lock held. */
static int ask(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    const int64_t now = yk_now(job->runtime);
    const int called = device == job->caller.borrowed_device ? atomic_load(&job->lanes.helpers) : 0;
    const struct yk_request request = { .device = jd->device->number,
                                        .lane = lane,
                                        .now = now,
                                        .called = called > 0 ? called + 1 : 0 };
    struct yk_choice_turn turn;
    struct yk_lease *lease;
    struct yk_chunk chunk;
    enum yk_verdict verdict;
    for (;;) {
        if (jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
            return 1;
        if (!yk_alternative_next(job, device, &turn))
            return 0; /* the thread that drives the device comes again when a chunk of it has ended
                       */
        chunk = (struct yk_chunk){ .form = turn.form, .tries = turn.tries };
        verdict = yk_dispatch_next(job->dispatch, &request, &chunk, wake_ns);
        if (verdict == YK_WAIT && !yk_host_lane_rests(job, device, lane))
            atomic_store(&job->lanes.hungry, 1);
        if (verdict != YK_TAKE)
            break;
        flight->issued_ns = now;
        job->lanes.handed_out = 1;
        yk_alternative_taken(job, device, &chunk);
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
        lease->in_strips = yk_strips_suit(job, device, &chunk);
        yk_lease_publish(&jd->leases, lease, &chunk, now);
        yk_job_note_free(job); /* after publishing: a lane that sees all_out also sees the lease */
    }
    return 0;
}

/* Returns 1 if the lane need not ask the dispatcher, because nothing is left to hand out. At a
 * job's end all cores come at once, and answering 32 of them one by one under the lock took 0.1 ms.
 * A GPU's other lanes come whenever its thread looks whether its kernel has ended. If items come
 * back later, hungry lanes are woken. So `hungry` is set first and `all_out` read again: either the
 * thread that brings items back sees `hungry`, or this thread sees that items are back. */
static int finds_all_out(struct yk_job *job, int device)
{
    if (!atomic_load(&job->lanes.all_out) || job->lanes.hosting == device ||
        job->devices[device].hosts)
        return 0;
    if (!atomic_load(&job->lanes.hungry))
        atomic_store(&job->lanes.hungry, 1);
    return atomic_load(&job->lanes.all_out);
}

/* Returns 1 if the device may get chunks of the job. With job.lock held. */
static int takes_part(const struct yk_job_device *jd)
{
    return jd->joined && !jd->failed && !jd->retired && !jd->benched;
}

/* Number of tries, each of which takes some 100 ns. */
enum { LOCK_TRIES = 100 };

/* Takes job.lock and returns 0. Returns 1, without it, if the lane got a piece of a lease that
 * another lane asked for meanwhile: at a lease's end all lanes of a CPU come at once. */
static int cuts_meanwhile(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (yk_try_lock(&job->lock))
            return 0;
        if (yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
            return 1;
        yk_pause();
    }
    yk_lock(&job->lock);
    return 0;
}

/* Gets a chunk for this lane as `ask`, unless the device must wait, and predicts its duration. */
static int ask_in_turn(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    /* Cores tell coherence what a lease writes before they write it, so they do not overlap the job
     * before. */
    const int waits = (job->packs && yk_packed_waits(job, device)) || yk_sums_are_leaving(jd) ||
                      (jd->device->device->desc.host_memory && yk_pipeline_await(job, device));
    int got;
    if (waits || !jd->leases.slots)
        yk_lock(&job->lock);
    else if (cuts_meanwhile(job, device, lane))
        return 1;
    got = !waits && takes_part(jd) && ask(job, device, lane, wake_ns);
    if (got && !jd->device->device->desc.host_memory)
        flight->lasts_ns = jd->trying /* little is known about a kernel that is being tried */
                               ? 0
                               : yk_dispatch_forecast(job->dispatch, jd->device->number,
                                                      flight->chunk.last - flight->chunk.first);
    yk_unlock(&job->lock);
    if (jd->hosts)
        yk_host_lane_call(job, device, lane, got);
    return got;
}

/* While drivers are loaded, jobs leave a core to the thread that loads them: on a core that it
 * shares with a worker, the load takes twice as long. It is the core of a GPU's thread, or the one
 * before if a job's caller works there. */
static int is_lent(const struct yk_job *job, int device, int lane)
{
    const struct yk_runtime_device *entry = job->devices[device].device;
    int core;
    if (!yk_runtime_is_loading(job->runtime) || !entry->device->desc.host_memory)
        return 0;
    core = yk_kept_core(entry->lanes, entry->lanes, 0);
    return core >= 0 && lane == core - (job->caller.borrowed_lane == core);
}

/* Takes the lane's next work: the next piece of a chunk beside another one, a piece of the device's
 * lease, or a new chunk. Returns 0 if there is none. */
static int take(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    if (flight->beside.chunk.serial) {
        yk_beside_cut(flight);
        return 1;
    }
    if (lane >= jd->device->lanes - jd->kept || is_lent(job, device, lane))
        return 0;
    if (jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot))
        return 1;
    if (finds_all_out(job, device))
        return jd->leases.slots && yk_lease_cut(&jd->leases, lane, &flight->chunk, &flight->slot);
    return ask_in_turn(job, device, lane, wake_ns);
}

/* Returns 1 if as many threads as should were woken for the job, as far as is known. */
static int was_called(struct yk_job *job)
{
    const int woken = atomic_load(&job->lanes.woken);
    return woken == YK_WOKEN_ALL || (woken == YK_WOKEN_SOME && !yk_job_is_overdue(job));
}

/* Returns 1 if the lane continues with another piece of a lease. Between pieces of the same lease
 * it touches no shared state, because that costs more than a small piece takes. Returns 0 until the
 * other threads were woken, because the caller wakes them between steps; and always for timelines
 * and progress callbacks, which need every piece. */
static int goes_on(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    struct yk_chunk piece;
    int slot;
    if (flight->slot < 0 || job->runtime->trace || job->progress.callback || !was_called(job) ||
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

/* The lane's chunk is over. A core asks for another one at once, and leaves if it gets none. A
 * GPU's thread may have to do something else first, perhaps for long. */
static void chunk_is_over(struct yk_job *job, const struct yk_flight *flight)
{
    if (!flight->inside)
        yk_job_leave(job);
}

/* Finishes the lane's flight, which is over. Returns 1 if the lane has another piece to issue. */
static int ended(struct yk_job *job, int device, int lane, yoke_status outcome)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    yoke_status status = yk_flight_finish(job, device, lane, outcome);
    flight->done += flight->chunk.last - flight->chunk.first;
    if (status == YOKE_ELOST) { /* a device from which it took rows was lost */
        yk_lane_undone(job, device, lane, status);
        yk_wake_all(job->runtime);
    } else if (status != YOKE_OK)
        yk_lane_not_done(job, device, lane, status);
    else if (goes_on(job, device, lane))
        return 1;
    else
        yk_lane_report(job, device, lane);
    chunk_is_over(job, flight);
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
    struct yk_event *last = yk_flight_last(flight);
    const int lent = !yk_is_host_thread(jd->device); /* a thread of the program looks itself */
    flight->watched = jd->device->workers && backend->notify && !lent &&
                      !yk_runtime_polls(job->runtime) && jd->device->place->number != YK_HOST &&
                      backend->notify(last, wake_host_thread, jd->device->workers) == YOKE_OK;
}

/* If memory is short while the job before still has its own, the lane keeps its chunk until that
 * job is over. Returns 0 otherwise. */
static int waits_for_memory(const struct yk_job *job, struct yk_flight *flight, yoke_status status)
{
    if (status != YOKE_ENOMEM || flight->launched || flight->alone || !yk_pipeline_waits(job))
        return 0;
    flight->alone = 1;
    flight->turn = YK_TURN_LATER;
    return 1;
}

/* Gives up a flight that was not issued as a whole. The thread's error text stays: it says why,
 * while copies from a lost device, which are over by then, have texts of their own. */
static void abandon(struct yk_job *job, int device, int lane, yoke_status status)
{
    char *why = yk_strdup(yoke_error_text());
    yk_flight_abandon(job, device, lane);
    if (why)
        yk_fail(status, "%s", why);
    yk_free(why);
}

/* Issues the chunk that the lane took. On a core it also issues the next pieces of its lease, one
 * after another. */
static void issue(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_status status;
    do {
        status =
            jd->stepper ? yk_calls_issue(job, device, lane) : yk_flight_issue(job, device, lane);
        yk_pipeline_issued(job, device, lane);
        if (status != YOKE_OK) {
            abandon(job, device, lane, status);
            if (waits_for_memory(job, flight, status))
                return;
            yk_lane_not_done(job, device, lane, status);
            chunk_is_over(job, flight);
            return;
        }
        if (flight->kernel || flight->home) {
            yk_flight_foretell(jd, flight, yk_pipeline_begins(job, device, lane));
            yk_job_foretell(job, flight);
            if (!flight->crosses) /* otherwise its time begins when other devices have ended */
                yk_watchdog_begin(job, device, lane);
            yk_pipeline_lead(job, device, lane);
            flight->watched = 0;
            if (yk_flight_is_called(job->runtime->waiting, jd, flight))
                yk_flight_call(job, device, lane);
            return;
        }
    } while (ended(job, device, lane, YOKE_OK));
}

/* Issues the chunk that the lane has if its turn has come. */
static enum yk_lane_state issue_in_turn(struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    flight->turn = yk_pipeline_turn(job, device, lane);
    if (flight->turn == YK_TURN_LATER) {
        flight->launched = 0;
        return YK_LANE_IDLE;
    }
    issue(job, device, lane);
    return YK_LANE_WORKED;
}

/* Goes on with the chunk that the lane holds, or gives it back if the job was stopped or the device
 * is lost. */
static enum yk_lane_state go_on_held(struct yk_job *job, int device, int lane)
{
    struct yk_flight *flight = &job->devices[device].flights[lane];
    if (atomic_load(&job->devices[device].device->place->lost)) {
        yk_lane_device_failed(job, device);
        return YK_LANE_WORKED;
    }
    if (!yk_job_is_stopped(job)) {
        flight->issued_ns = yk_now(job->runtime);
        return issue_in_turn(job, device, lane);
    }
    flight->turn = YK_TURN_NOW;
    yk_lane_undone(job, device, lane, YOKE_ECANCELED);
    chunk_is_over(job, flight);
    return YK_LANE_WORKED;
}

/* Leaves the job, in which the lane got nothing. A core's sums are joined now if it will probably
 * get nothing more. If the job seemed too short to wake the threads of other devices, what is left
 * may be for these. So the last lane that leaves wakes them. */
static void leave_idle(struct yk_job *job, int device, int lane)
{
    if (job->sums.has_add && job->devices[device].device->device->desc.host_memory &&
        atomic_load(&job->lanes.all_out))
        yk_job_join_sums(job, device, lane);
    job->devices[device].flights[lane].inside = 0;
    yk_job_leave(job);
    if (atomic_load(&job->lanes.woken) != YK_WOKEN_ALL && atomic_load(&job->presence.flying) == 0 &&
        atomic_load(&job->phase) == YK_RUNNING)
        yk_job_tell(job);
}

/* If the lane is that of the job's caller: calls the cores that should help it. Now there is a
 * lease that they can cut. */
static void share(struct yk_job *job)
{
    if (yk_caller_is_here(job) && job->caller.calls)
        yk_job_call(job);
}

/* Forgets the lane's earlier jobs. Each lane does this for itself: its flight is in its core's
 * cache. */
static void start_anew(struct yk_flight *flight, uint64_t turn)
{
    memset(flight, 0, offsetof(struct yk_flight, loads));
    flight->turn_of_job = turn;
}

/* Enters the job, unless the lane is in it. Returns 0 if it cannot. */
static int enter_once(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    if (flight->inside) /* a job ends only when all lanes have left it */
        return 1;
    if (!yk_job_enter(job))
        return 0;
    if (flight->turn_of_job != job->turn)
        start_anew(flight, job->turn);
    flight->inside = jd->device->device->desc.host_memory;
    return 1;
}

/* Returns 1 if the idle lane of a GPU has nothing to do in the job. If no lane is inside, it enters
 * all the same, because a job may wait for a lane that leaves and so ends it. */
static int stays_outside(struct yk_job *job, int device)
{
    const struct yk_runtime_device *entry = job->devices[device].device;
    return !entry->device->desc.host_memory && atomic_load(&job->presence.flying) > 0 &&
           !atomic_load(&entry->place->lost) && finds_all_out(job, device);
}

enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    yoke_status status;
    *wake_ns = 0;
    if (flight->turn == YK_TURN_LATER)
        return go_on_held(job, device, lane);
    if (flight->busy) {
        if (yk_pipeline_holds_back(job, device, lane) ||
            !yk_flight_complete(job, device, lane, &status))
            return yk_watchdog_look(job, device, lane, wake_ns) ? YK_LANE_WORKED : YK_LANE_BUSY;
        if (ended(job, device, lane, status))
            issue(job, device, lane);
        return YK_LANE_WORKED;
    }
    if (stays_outside(job, device) || !enter_once(job, device, lane))
        return YK_LANE_IDLE;
    if (atomic_load(&jd->device->place->lost) && !jd->failed)
        yk_lane_device_failed(job, device);
    flight->issued_ns = 0;
    if (yk_job_is_stopped(job) || !take(job, device, lane, wake_ns)) {
        leave_idle(job, device, lane);
        return YK_LANE_IDLE;
    }
    share(job);
    if (!flight->issued_ns ||
        flight->slot >= 0) /* a core's work does not include what was before */
        flight->issued_ns = yk_now(job->runtime);
    flight->done = flight->alone = 0;
    return issue_in_turn(job, device, lane);
}
