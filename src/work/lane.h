/* lane.h - see lane.c. */
#ifndef YK_WORK_LANE_H
#define YK_WORK_LANE_H

#include "../job/job.h"

enum yk_lane_state {
    YK_LANE_WORKED, /* there was progress; call again */
    YK_LANE_BUSY,   /* a chunk is under way; there is nothing to do until its event */
    YK_LANE_IDLE    /* there is no work for it now; *wake_ns, if not 0: when to ask again */
};
/* Makes one step of a lane: finishes its chunk if that is over, or takes and issues the next one.
 * For one thread at a time, without locks. Sets *wake_ns to 0 or to the time at which to step it
 * again. */
enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns);
/* Asks the driver to wake the device's host thread at the end of the lane's chunk, if that thread
 * drives the device. Sets flight->watched to whether it will. */
void yk_flight_call(struct yk_job *job, int device, int lane);

#endif
