/* drive.c - the thread that called yoke_run drives the GPUs that do the whole job.
 *
 * Driving a GPU that already has its rows takes a launch of 5 us and a wait. So one thread drives
 * several GPUs in less time than it would take to wake their host threads. If many rows must be
 * copied, each GPU has its own thread, because copies through staging buffers keep a core busy.
 */

#include "drive.h"

#include "../job/call.h"
#include "../life/join.h"
#include "../platform/clock.h"
#include "await.h"
#include "lane.h"
#include "stuck_calls.h"
#include "worker.h"

struct driving {
    struct yk_job *job;
    struct yk_stepper steppers[YK_PLACES]; /* one per driven device */
};

static void begin(struct driving *driving, uint32_t devices)
{
    int d;
    for (d = 0; d < driving->job->device_count; d++)
        if (devices & yk_team_bit(d)) {
            driving->job->devices[d].driven = 1;
            yk_calls_enter(driving->job, d, &driving->steppers[d]);
        }
}

static void end(struct driving *driving, uint32_t devices)
{
    int d;
    for (d = 0; d < driving->job->device_count; d++)
        if (devices & yk_team_bit(d)) {
            yk_calls_leave(driving->job, d, &driving->steppers[d]);
            driving->job->devices[d].driven = 0;
        }
}

/* Keeps only `devices` for the calling thread, and wakes the host threads of the others. */
static void keep_devices(struct driving *driving, uint32_t devices)
{
    struct yk_job *job = driving->job;
    const uint32_t given_back = atomic_load(&job->caller.driven) & ~devices;
    if (!given_back)
        return;
    end(driving, given_back);
    job->caller.drove &= devices;
    atomic_store(&job->caller.driven, devices);
    yk_job_tell(job);
}

/* Steps one lane of each driven device. The first lane prepares its device for the job. */
static enum yk_lane_state step_one_lane_each(struct yk_job *job, uint32_t driven, int lane)
{
    enum yk_lane_state best = YK_LANE_IDLE;
    int d;
    for (d = 0; d < job->device_count; d++) {
        const struct yk_job_device *jd = &job->devices[d];
        int64_t wake_ns = 0;
        enum yk_lane_state state;
        if (!(driven & yk_team_bit(d)) || lane >= jd->device->lanes)
            continue;
        if (!jd->joined && (lane > 0 || !yk_job_prepare(job, d)))
            continue;
        state = yk_device_step_lane(job, d, lane, &wake_ns);
        if (state < best)
            best = state;
    }
    return best;
}

/* Steps each driven device, all first lanes before all second ones: a second GPU gets its kernel
 * before further lanes of the first GPU ask for chunks, which takes 2 us. A device that could not
 * be prepared must wait for memory that other jobs have, so it is given to its host thread. */
static enum yk_lane_state step_driven(struct driving *driving)
{
    struct yk_job *job = driving->job;
    const uint32_t driven = atomic_load(&job->caller.driven);
    enum yk_lane_state best = YK_LANE_IDLE;
    uint32_t unready = 0;
    int d, lane, lanes = 0;
    for (d = 0; d < job->device_count; d++)
        if ((driven & yk_team_bit(d)) && job->devices[d].device->lanes > lanes)
            lanes = job->devices[d].device->lanes;
    for (lane = 0; lane < lanes; lane++) {
        enum yk_lane_state state = step_one_lane_each(job, driven, lane);
        if (state < best)
            best = state;
    }
    for (d = 0; d < job->device_count; d++)
        if ((driven & yk_team_bit(d)) && !job->devices[d].joined)
            unready |= yk_team_bit(d);
    if (unready && unready != driven)
        keep_devices(driving, driven & ~unready);
    return best;
}

/* Waits until the first flight of a driven device should end. A thread can sleep in only one
 * driver. So without a prediction it keeps one device; host threads get the others. */
static void await_driven(struct driving *driving)
{
    struct yk_job *job = driving->job;
    const uint32_t driven = atomic_load(&job->caller.driven);
    const int64_t now = yk_clock_ns();
    int64_t soonest = INT64_MAX;
    int d, first = yk_team_only(driven);
    if (first >= 0) {
        yk_device_await(job, first);
        return;
    }
    if (yk_runtime_polls(job->runtime)) {
        yk_pause();
        return;
    }
    for (d = 0; d < job->device_count; d++) {
        int64_t look_at;
        if ((driven & yk_team_bit(d)) && yk_device_is_busy(job, d, now, &look_at) &&
            look_at < soonest) {
            soonest = look_at;
            first = d;
        }
    }
    if (first < 0)
        return;
    if (soonest > now) {
        yk_clock_sleep_until(soonest);
    } else if (yk_device_is_due(job, first, now)) {
        yk_pause(); /* the loop steps all devices in turn, so it notices each end at once */
    } else {
        keep_devices(driving, yk_team_bit(first));
        yk_device_await(job, first);
    }
}

void yk_drive(struct yk_job *job)
{
    enum yk_lane_state state = YK_LANE_WORKED;
    struct driving driving;
    driving.job = job;
    job->caller.drove = atomic_load(&job->caller.driven);
    begin(&driving, job->caller.drove);
    while (atomic_load(&job->phase) != YK_DONE && state != YK_LANE_IDLE) {
        state = step_driven(&driving);
        if (state == YK_LANE_BUSY)
            await_driven(&driving);
    }
    end(&driving, atomic_load(&job->caller.driven));
}
