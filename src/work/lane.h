/* lane.h - see lane.c. */
#ifndef YK_WORK_LANE_H
#define YK_WORK_LANE_H

#include "../job/job.h"

enum yk_lane_state {
    YK_LANE_WORKED, /* progress was made; call again */
    YK_LANE_BUSY,   /* a chunk is under way; nothing to do until its event */
    YK_LANE_IDLE    /* no work for it now; *wake_ns, if not 0: when to ask again */
};
enum yk_lane_state yk_lane_step(struct yk_job *job, int device, int lane, int64_t *wake_ns);
/* The end of the lane's chunk shall wake the device's host thread, if that drives the device. */
void yk_flight_call(struct yk_job *job, int device, int lane);

#endif
