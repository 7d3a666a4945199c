/* host_lane.h - see host_lane.c. */
#ifndef YK_LIFE_HOST_LANE_H
#define YK_LIFE_HOST_LANE_H

#include "../job/job.h"

/* Chooses the lanes of the CPU that stand for threads that drive GPUs, if the job's partitioner
 * asks for that. With runtime.lock held, when the job begins. Sets hosts and host_lane of known[0
 * .. count - 1]. */
yoke_status yk_host_lanes_plan(struct yk_job *job, struct yk_split_device *known, int count);
/* Returns 1 if the lane, which was told to wait, will be woken by yk_host_lane_call, so reports of
 * other lanes need not wake it. With job.lock held. */
int yk_host_lane_rests(const struct yk_job *job, int device, int lane);
/* Call it when a lane of a GPU has asked for a chunk (got: 1: it got one). Wakes the lane's host
 * lane if that may get something now. Without locks. */
void yk_host_lane_call(struct yk_job *job, int device, int lane, int got);
/* Begins the lane's chunk beside another lane's chunk, and makes its first piece the flight's
 * chunk. With job.lock held. */
void yk_beside_open(const struct yk_job *job, struct yk_flight *flight,
                    const struct yk_chunk *chunk, int64_t now);
/* Makes the next piece of the chunk the flight's chunk. By the lane's thread. */
void yk_beside_cut(struct yk_flight *flight);
/* Call it when a piece is done, by the lane's thread. Returns 1 if the chunk is over, because it is
 * done or the other lane's chunk is over; items before beside.next are done. */
int yk_beside_ended(struct yk_flight *flight, int64_t now);

#endif
