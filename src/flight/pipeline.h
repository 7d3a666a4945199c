/* pipeline.h - jobs that overlap although one waits for the other's rows.
 *
 * A chunk of a job needs only the rows that it uses, not the end of the whole job before. Between
 * two jobs a device is idle while its thread notices the end of a chunk, the job ends, the next one
 * begins, and its chunk is launched: 10 to 25 us, as long as the kernels of a short job. So a job
 * may begin behind the job before it, while that one still runs (life/begin.c says when). Then each
 * of its chunks has one of three turns. NOW: no unfinished item of the job before uses its rows.
 * BEHIND: only chunks under way do; its copies from other devices and its kernel come after their
 * kernels, which this calls its leaders, so the device is never idle. LATER: the lane holds the
 * chunk until a chunk of the job before is launched or ends.
 *
 * Coherence is told what a leader writes when the first chunk is launched behind it: the rows count
 * as written before they are. So halos come from where they will be new. That is safe: copies wait
 * for the leaders' kernels, other jobs wait for the job's end, and if the leader fails, its rows
 * count as spoilt.
 *
 * The job still ends after the one before, and fails if it needs that one's results and that one
 * fails. If a leader's chunk does not count, the chunk behind it does not count either; and the
 * leader's cannot be repeated, because the other one may have overwritten what it reads.
 */
#ifndef YK_FLIGHT_PIPELINE_H
#define YK_FLIGHT_PIPELINE_H

#include "../job/job.h"

/* Returns 1 if the job before is not over. */
static inline int yk_pipeline_waits(const struct yk_job *job)
{
    return atomic_load_explicit(&job->pipeline.waits, memory_order_acquire);
}
/* The turn of the chunk that the lane has. LATER: the device's thread is woken when a chunk of the
 * job before is launched or ends. BEHIND: flight->behind has kernels to wait for; call
 * yk_pipeline_issued when the chunk is issued, well or not. Takes the lock of the job before. */
enum yk_turn yk_pipeline_turn(struct yk_job *job, int device, int lane);
void yk_pipeline_issued(struct yk_job *job, int device, int lane);
/* The lane's flight is under way: others may be launched behind it. Takes the job's lock. */
void yk_pipeline_lead(struct yk_job *job, int device, int lane);
/* Returns 1 if all chunks of the job were launched and others may be launched behind them. Takes
 * the job's lock. */
int yk_pipeline_is_launched(struct yk_job *job);
/* Call it before the flight's kernel is closed: no others may follow. Returns what coherence was
 * told of the rows that the flight writes. Takes the job's lock. */
enum yk_told yk_pipeline_withdraw(struct yk_job *job, int device, int lane);
/* A chunk of the job was launched and does not count. Returns YOKE_OK if it can be done again, or
 * YOKE_ELOST if a chunk launched behind it may have changed rows that it reads. The second is for a
 * chunk that was lost with its device: those behind it on that device are lost, too. */
yoke_status yk_pipeline_undone(struct yk_job *job, int device);
yoke_status yk_pipeline_lost(struct yk_job *job, int device);
/* Has the thread of `device` woken when a chunk of the job before is launched or ends, or when that
 * job is over.
 * Returns 0 if it is over. */
int yk_pipeline_await(struct yk_job *job, int device);
/* Returns 1 if the lane's flight must not be looked at now: those behind which it was launched are
 * not reported, so their results would seem newer than its own; or the device has a chunk of the
 * next job to launch, which comes before a look. */
int yk_pipeline_holds_back(struct yk_job *job, int device, int lane);
/* Returns YOKE_ELOST if a chunk of the job before did not count after the flight was launched
 * behind it; else `outcome`. */
yoke_status yk_pipeline_outcome(const struct yk_job *job, const struct yk_flight *flight,
                                yoke_status outcome);
/* Returns when the lane's flight, which was just issued, should begin: now, or at the predicted end
 * of those behind which it was launched. */
int64_t yk_pipeline_begins(const struct yk_job *job, int device, int lane);

#endif
