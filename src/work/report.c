/* report.c - tells the dispatcher what a lane did, and when. */
#include "report.h"

#include "../flight/alternative.h"
#include "../flight/watchdog.h"
#include "../job/call.h"
#include "../job/wake.h"
#include "../life/host_lane.h"
#include "../life/progress.h"
#include "../partition/lease.h"

/* What a lane answers to the dispatcher. */
struct answer {
    const struct yk_chunk *chunk;
    const struct yk_lease *lease; /* NULL: the chunk is no lease */
    int64_t completed;
    struct yk_chunk_times times;
};

/* By how much waits for rows have prolonged the lease: by the mean wait of all lanes, or by more if
 * the others had nothing to do meanwhile, but not by more than all waits together. */
static int64_t delay_of(const struct yk_lease *lease, int lanes, int64_t now)
{
    const int64_t waited_ns = yk_lease_fetch_ns(lease);
    const int64_t worked_ns = yk_lease_work_ns(lease) - waited_ns;
    const int64_t idle_ns = now - lease->issued_ns - worked_ns / lanes;
    const int64_t least_ns = waited_ns / lanes;
    return idle_ns < least_ns ? least_ns : idle_ns < waited_ns ? idle_ns : waited_ns;
}

/* Sets *out to what the lane did by `now`. Returns 0 if more pieces of the chunk are to come, so
 * there is nothing to report yet. */
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
        if (yk_lease_is_given_back(out->lease)) {
            out->completed = 0;
            times.given_back = yk_lease_strips_done(out->lease);
        }
        times.issued = out->lease->issued_ns;
        times.work_ns = yk_lease_work_ns(out->lease);
        times.fetch_ns = delay_of(out->lease, jd->device->lanes, now);
    }
    out->times = times;
    return 1;
}

/* Notes that a chunk, of whichever job, has ended on the GPU at the time `now`. Returns when the
 * chunk before it ended, which is not later than `now`. Takes no lock. */
static int64_t serve(struct yk_runtime_device *device, int64_t now)
{
    int64_t before = atomic_load(&device->served_ns);
    while (before < now && !atomic_compare_exchange_weak(&device->served_ns, &before, now))
        ;
    return before < now ? before : now;
}

void yk_lane_report(struct yk_job *job, int device, int lane)
{
    struct yk_job_device *jd = &job->devices[device];
    struct yk_flight *flight = &jd->flights[lane];
    int64_t free, now = flight->ended_ns ? flight->ended_ns : yk_now(job->runtime);
    struct answer answer;
    if (!is_answered(jd, flight, now, &answer)) {
        yk_job_tell_progress(job, 0);
        return;
    }
    if (!jd->device->device->desc.host_memory) {
        yk_watchdog_measured(job, device, lane, now);
        answer.times.free_ns = serve(jd->device, now);
        answer.times.once_ns = flight->once_ns;
        answer.times.staged_ns = flight->staged_ns;
        answer.times.fetch_ns = flight->fetch_ns;
    }
    yk_lock(&job->lock);
    job->outcome.reported_ns = flight->ended_ns ? 0 : now;
    atomic_store_explicit(&flight->out, 0, memory_order_relaxed);
    yk_alternative_ended(job, device,
                         &(struct yk_alternative_chunk){ answer.chunk, answer.completed },
                         &answer.times);
    if (!jd->failed)
        yk_dispatch_done(job->dispatch, answer.chunk, answer.completed, &answer.times);
    flight->beside.chunk.serial = 0;
    if (answer.lease)
        yk_lease_free(&jd->leases, flight->slot);
    yk_job_note_free(job);
    free = yk_dispatch_free(job->dispatch);
    yk_unlock(&job->lock);
    yk_alternative_tidy(job, device);
    /* Speeds are known better now, so lanes that were told to wait may get a chunk. */
    if (free > 0 && atomic_exchange(&job->lanes.hungry, 0))
        yk_job_wake(job);
    if (atomic_load(&job->pipeline.awaited))
        yk_wake_devices(job->runtime, atomic_exchange(&job->pipeline.awaited, 0));
    yk_job_tell_progress(job, 0);
}
