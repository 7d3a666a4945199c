/* virtual.c - if all devices are simulated, one of the waiting threads at a time steps every lane
 * and moves the clock.
 *
 * It runs the same code as workers (lane.c), in virtual time. It steps all lanes until none makes
 * progress. Then it advances the clock to the next completion, or to the earliest time at which a
 * lane asked to be stepped again (where a worker would sleep).
 */

#include "virtual.h"

#include "../backend/stalled.h"
#include "../base/status.h"
#include "../job/workspace.h"
#include "../life/end.h"
#include "../life/join.h"
#include "lane.h"
#include "worker.h"

/* Returns 1 if a lane made progress. Lowers *wake_ns (0: none) to the earliest future time at which
 * a lane asks to be stepped. A time that has passed does not count: the lane got its answer at this
 * instant, and would get the same one again. */
static int step_job(struct yk_job *job, int64_t *wake_ns)
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
            if (wake && wake > yk_now(job->runtime))
                yk_sooner(wake_ns, wake);
        }
    }
    return worked;
}

static int step_all(yoke_runtime *runtime, int64_t *wake_ns)
{
    struct yk_job *job = NULL;
    int worked = 0;
    *wake_ns = 0;
    while ((job = yk_job_next(runtime, job))) {
        worked |= step_job(job, wake_ns);
        worked |= atomic_load(&job->phase) == YK_DONE; /* other jobs may begin now */
    }
    return worked;
}

/* Breaks off devices that are busy with work that never ends; real devices would hang. */
static void end_endless(struct yk_job *job)
{
    int d, lane;
    for (d = 0; d < job->device_count; d++)
        for (lane = 0; lane < job->devices[d].device->lanes; lane++)
            if (job->devices[d].flights[lane].busy) {
                yk_device_break_off(job->devices[d].device->device);
                break;
            }
}

/* Fails the first job, which blocks all others. */
static void give_up(yoke_runtime *runtime, struct yk_job *waited_for)
{
    struct yk_job *job = yk_job_next(runtime, NULL);
    struct yk_job *stuck = job ? job : waited_for;
    yk_job_fail(stuck, yk_fail(YOKE_EDEVICE,
                               "%s: the simulated machine has nothing left to do, and "
                               "the job is not done",
                               stuck->name));
    if (job)
        end_endless(job);
    if (yk_job_enter(stuck))
        yk_job_leave(stuck);
    if (job)
        yk_job_look_away(job);
}

/* Returns 0 if there is nothing left to wait for. A thread that brings rows home also moves the
 * clock, perhaps past the time for which a lane asked. So if the clock could not be advanced here,
 * all lanes are stepped once more. */
static int moves_on(yoke_runtime *runtime, struct yk_job *job)
{
    int64_t wake_ns;
    return step_all(runtime, &wake_ns) || atomic_load(&job->phase) == YK_DONE ||
           runtime->clock->advance(wake_ns) || step_all(runtime, &wake_ns) || wake_ns;
}

void yk_drive_virtual(yoke_runtime *runtime, struct yk_job *job)
{
    while (atomic_load(&job->phase) != YK_DONE) {
        yk_lock(&runtime->driving);
        if (!moves_on(runtime, job))
            give_up(runtime, job);
        yk_unlock(&runtime->driving);
    }
}
