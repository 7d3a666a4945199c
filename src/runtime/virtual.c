/* virtual.c - where all devices are simulated: one thread steps every lane and moves the clock, one
 * at a time of those that wait.
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
    struct yk_job *job = NULL;
    int worked = 0;
    while ((job = yk_job_next(runtime, job))) {
        worked |= step_job(job);
        worked |= atomic_load(&job->phase) == YK_DONE; /* others may begin now */
    }
    return worked;
}

/* Whoever is first in the way of all others. */
static void give_up(yoke_runtime *runtime, struct yk_job *waited_for)
{
    struct yk_job *job = yk_job_next(runtime, NULL);
    struct yk_job *stuck = job ? job : waited_for;
    yk_job_fail(stuck, yk_fail(YOKE_EDEVICE,
                               "%s: the simulated machine has nothing left to do, and "
                               "the job is not done",
                               stuck->name));
    if (yk_job_enter(stuck))
        yk_job_leave(stuck);
    if (job)
        yk_job_look_away(job);
}

/* A thread that brings rows home moves the clock as well; what it completed is found at the second
 * look. */
void yk_drive_virtual(yoke_runtime *runtime, struct yk_job *job)
{
    while (atomic_load(&job->phase) != YK_DONE) {
        yk_lock(&runtime->driving);
        if (!step_all(runtime) && atomic_load(&job->phase) != YK_DONE &&
            !runtime->clock->advance() && !step_all(runtime))
            give_up(runtime, job);
        yk_unlock(&runtime->driving);
    }
}
