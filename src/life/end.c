/* end.c - how a job ends: the last lane that leaves a job with nothing left to do ends it,
 * whichever thread that is.
 *
 * `flying` counts lanes inside the job. A lane enters before it asks for a chunk and leaves after
 * it has reported that chunk. So when the count is zero no thread touches the job's devices, and
 * what the job holds can be released. A lane first counts itself, then checks whether the job still
 * runs. The thread that ends the job first changes the phase, then checks whether a lane is inside.
 * So at least one of the two sees the other.
 *
 * A job that began behind another one ends after it (flight/pipeline.h).
 *
 * Whether a job is canceled is decided under job.lock, before its results are stored: once it is
 * ENDING, a cancel only counts if the job has to continue.
 */
#include "end.h"

#include "../base/status.h"
#include "../flight/held_memory.h"
#include "../flight/pipeline.h"
#include "../job/call.h"
#include "../job/lost_rows.h"
#include "../job/reduction.h"
#include "../job/wake.h"
#include "../job/workspace.h"
#include "begin.h"
#include "borrow.h"
#include "learn.h"
#include "merge.h"
#include "progress.h"
#include "story.h"

int yk_job_enter(struct yk_job *job)
{
    /* Most lanes that come too late return here without a write. A lane that only wants to end the
     * job has nothing to do if the job is ending or ended. */
    if (atomic_load(&job->phase) != YK_RUNNING)
        return 0;
    atomic_fetch_add(&job->presence.flying, 1);
    if (atomic_load(&job->phase) == YK_RUNNING && !atomic_load(&job->lanes.stop))
        return 1;
    yk_job_leave(job);
    return 0;
}

static void cancel(struct yk_job *job)
{
    yk_job_fail(job, yk_fail(YOKE_ECANCELED, "%s was canceled", job->name));
}

void yk_job_cancel(struct yk_job *job)
{
    yk_lock(&job->lock);
    if (atomic_load(&job->phase) == YK_ENDING)
        job->outcome.canceled_late = 1;
    else if (atomic_load(&job->phase) != YK_DONE)
        cancel(job);
    yk_unlock(&job->lock);
}

static void take_stock(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++)
        yk_dispatch_outcome(job->dispatch, d, &job->devices[d].outcome);
}

/* With runtime.lock held, which protects track 0. */
static void trace(struct yk_job *job)
{
    struct yk_trace_event event = { .start_ns = job->outcome.submitted_ns,
                                    .end_ns = job->outcome.ended_ns,
                                    .first = job->first,
                                    .last = job->last,
                                    .job = (uint32_t)job->number,
                                    .kind = YK_TRACE_JOB };
    event.name = yk_trace_name(job->runtime->trace, job->name);
    yk_trace_add(job->runtime->trace, 0, &event);
}

/* Merges private copies and writes totals, unless the job has failed. Returns 1 if the job
 * continues, because a device failed meanwhile. */
static int merge(struct yk_job *job)
{
    yoke_status status;
    int again = 0;
    if (atomic_load(&job->lanes.stop))
        return 0;
    status = yk_job_merge(job, &again);
    if (status == YOKE_OK && !again)
        status = yk_reduction_fold(job);
    if (status != YOKE_OK)
        yk_job_fail(job, status);
    return status == YOKE_OK && again && !atomic_load(&job->lanes.stop);
}

/* A device failed while the job was ending. Returns 1 if the job runs again; 0: it was canceled
 * meanwhile. */
static int runs_again(struct yk_job *job)
{
    int canceled;
    yk_lock(&job->lock);
    canceled = job->outcome.canceled_late;
    if (canceled)
        cancel(job);
    else
        atomic_store(&job->phase, YK_RUNNING);
    yk_unlock(&job->lock);
    return !canceled;
}

static void release_devices(struct yk_job *job)
{
    int d;
    for (d = 0; d < job->device_count; d++)
        yk_job_let_go(job, d);
    yk_job_close_sums(job);
    if (atomic_load(&job->lanes.stop))
        yk_job_lose_rows(job);
}

/* The job ended when its last chunk was reported, unless the thread that ends it had more to do. */
static void note_end(struct yk_job *job)
{
    job->outcome.ended_ns = job->outcome.reported_ns;
    if (job->sums.has_add || job->reduction || atomic_load(&job->lanes.stop) ||
        !job->outcome.ended_ns)
        job->outcome.ended_ns = yk_now(job->runtime);
    job->outcome.ended_by_caller = yk_caller_is_here(job);
    take_stock(job);
}

/* Learns from the job. Returns a job to be released after unlocking runtime.lock, or NULL. */
static struct yk_job *learn(struct yk_job *job)
{
    if (job->last <= job->first || atomic_load(&job->lanes.stop))
        return NULL;
    yk_job_learn(job);
    return job->runtime->tells ? yk_story_note(job) : NULL;
}

/* Returns 1 if chunks of a job that began behind this one are still to be launched. With
 * runtime.lock held. */
static int launches_follow(const struct yk_job *job)
{
    struct yk_job *other;
    if (!job->pipeline.followers)
        return 0;
    for (other = job->runtime->running; other; other = other->lists.next_running)
        if (other->pipeline.before == job && !yk_pipeline_is_launched(other))
            return 1;
    return 0;
}

/* Begins jobs behind running ones. If chunks of a job that follows this one are to be launched,
 * that comes first: a device waits for it, and a plan for the job after it takes some us. Then this
 * thread's loop begins that one (worker.c), which a caller that drives devices does not run. */
static uint32_t start_behind(const struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    if (job->outcome.ended_by_caller || runtime->virtual_clock || !launches_follow(job))
        return yk_jobs_start_behind(runtime);
    atomic_store(&runtime->behind_due, 1);
    return 0;
}

static void end_job(struct yk_job *job)
{
    yoke_runtime *runtime = job->runtime;
    struct yk_job *told;
    enum yk_begun begun;
    uint32_t team, behind, awaited;
    int running, keeps;
    if (merge(job) && runs_again(job)) {
        yk_wake_all(runtime);
        return;
    }
    if (!atomic_load(&job->lanes.stop))
        yk_job_tell_progress(job, 1);
    release_devices(job);
    note_end(job);

    yk_lock(&runtime->lock);
    told = learn(job);
    if (runtime->trace)
        trace(job);
    yk_job_condense(job);
    yk_job_retire(job);
    begun = yk_jobs_start_ready(runtime, &team);
    behind = start_behind(job);
    running = runtime->running_count;
    awaited = atomic_exchange(&job->pipeline.awaited, 0);
    yk_unlock(&runtime->lock);

    /* The caller has a reference to the job or its workspace, so the job exists until this lane has
     * left.
     */
    keeps = job->life.keeps;
    if (job->pipeline.before)
        yk_job_release(job->pipeline.before);
    job->pipeline.before = NULL;
    yk_reduction_close(job);
    yk_gate_open(&job->life.done);
    if (!keeps)
        yk_job_look_away(job);
    if (told)
        yk_job_release(told);
    yk_wake_devices(runtime, awaited);
    if (begun == YK_BEGUN_LONG || behind)
        yk_wake_team(runtime, team | behind);
    else if (begun == YK_BEGUN_BRIEF && !(yk_is_core(runtime, team) && running == 1))
        yk_wake_few(runtime, team, running);
}

void yk_job_leave(struct yk_job *job)
{
    int ends = 0;
    if (atomic_fetch_sub(&job->presence.flying, 1) != 1)
        return;
    yk_lock(&job->lock);
    if (atomic_load(&job->phase) == YK_RUNNING && atomic_load(&job->presence.flying) == 0 &&
        (atomic_load(&job->lanes.stop) || yk_dispatch_left(job->dispatch) == 0) &&
        !yk_pipeline_await(job, __builtin_ctz(job->split.team))) {
        atomic_store(&job->phase, YK_ENDING);
        ends = atomic_load(&job->presence.flying) == 0;
        if (!ends) /* a lane entered meanwhile, and ends the job when it leaves */
            atomic_store(&job->phase, YK_RUNNING);
    }
    yk_unlock(&job->lock);
    if (ends)
        end_job(job);
}
