/* host_lane.h - see host_lane.c. */
#ifndef YK_LIFE_HOST_LANE_H
#define YK_LIFE_HOST_LANE_H

#include "../job/job.h"

/* Chooses the lanes of the CPU that stand for the threads that drive GPUs, if the job's partitioner
 * asks for that. */
yoke_status yk_host_lanes_plan(struct yk_job *job, struct yk_split_device *known, int count);
/* 1: the lane, which was told to wait, is asked again by yk_host_lane_call and need not be woken by
 * reports of others. With job.lock held. */
int yk_host_lane_rests(const struct yk_job *job, int device, int lane);
/* A lane of a GPU has asked for a chunk; got: it got one. Its host lane may ask again. */
void yk_host_lane_call(struct yk_job *job, int device, int lane, int got);
/* Opens the lane's chunk beside another lane's, with its first piece as the flight's chunk. With
 * job.lock held. */
void yk_beside_open(const struct yk_job *job, struct yk_flight *flight,
                    const struct yk_chunk *chunk, int64_t now);
void yk_beside_cut(struct yk_flight *flight); /* the next piece */
/* The piece is done. 1: so is the chunk, or the other lane's chunk is over; items before
 * beside.next are done. */
int yk_beside_ended(struct yk_flight *flight, int64_t now);

#endif
