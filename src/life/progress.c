/* progress.c - reports a job's progress to the user's callback. */

#include "progress.h"

#include "../base/status.h"
#include "../job/entry.h"
#include "../partition/lease.h"

#define TELL_NS 20000000 /* least time between two calls of the callback */

/* Returns the number of items that are done, including pieces of leases. */
static int64_t done_items(struct yk_job *job)
{
    int64_t done = job->last - job->first;
    int d;
    yk_lock(&job->lock);
    done -= yk_dispatch_left(job->dispatch);
    for (d = 0; d < job->device_count; d++)
        if (job->devices[d].leases.slots)
            done += yk_leases_done(&job->devices[d].leases);
    yk_unlock(&job->lock);
    return done;
}

void yk_job_tell_progress(struct yk_job *job, int ended)
{
    int64_t now, done, all = job->last - job->first;
    if (!job->progress.callback)
        return;
    now = yk_now(job->runtime);
    if (!ended && (now < atomic_load(&job->progress.reported_ns) + TELL_NS ||
                   atomic_exchange(&job->progress.reporting, 1)))
        return;
    done = ended ? all : done_items(job);
    if (done > job->progress.reported && !atomic_load(&job->lanes.stop)) {
        const yoke_runtime *outer = yk_callback_enter(job->runtime);
        int cancels;
        job->progress.reported = done;
        cancels = job->progress.callback(job->progress.context, done, all);
        yk_callback_enter(outer);
        if (cancels && done < all) /* a job that has done all is not canceled */
            yk_job_fail(job, yk_fail(YOKE_ECANCELED, "%s was canceled by its progress callback",
                                     job->name));
    }
    atomic_store(&job->progress.reported_ns, yk_now(job->runtime));
    atomic_store(&job->progress.reporting, 0);
}
