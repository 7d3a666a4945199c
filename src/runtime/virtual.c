/* virtual.c - where all devices are simulated: one thread steps every lane and moves the clock.
 *
 * The very code that workers run (lane.c), driven by virtual time: step all lanes until none gets
 * further, then move on to the next completion. A lane that asked to be stepped at a certain time
 * is stepped at the first completion after it.
 */
#include "../base/status.h"
#include "job.h"

static int step_job(struct yk_job *job)
{
    int d, lane, worked = 0;
    for (d = 0; d < job->device_count; d++) {
        struct yk_job_device *jd = &job->devices[d];
        if (!jd->joined) {
            yk_job_prepare(job, d);
            worked |= jd->joined;
        }
        for (lane = 0; lane < jd->device->lanes && atomic_load(&job->phase) == YK_RUNNING; lane++) {
            int64_t wake;
            worked |= yk_lane_step(job, d, lane, &wake) == YK_LANE_WORKED;
        }
    }
    return worked;
}

static int step_all(yoke_runtime *runtime)
{
    struct yk_job *job, *next;
    int worked = 0;
    for (job = runtime->running; job; job = next) {
        /* Stepping may end the job, and only this one: its successor stays on the list. */
        next = job->next_running;
        if (atomic_load(&job->phase) == YK_RUNNING) {
            yk_job_hold(job);
            worked |= step_job(job);
            yk_job_release(job);
        }
    }
    return worked;
}

void yk_drive_virtual(yoke_runtime *runtime, struct yk_job *job)
{
    while (atomic_load(&job->phase) != YK_DONE) {
        if (step_all(runtime) || atomic_load(&job->phase) == YK_DONE || runtime->clock->advance())
            continue;
        yk_job_fail(job, yk_fail(YOKE_EDEVICE,
                                 "%s: the simulated machine has nothing left to do, and "
                                 "the job is not done",
                                 job->name));
        if (yk_job_enter(job))
            yk_job_leave(job);
    }
}
