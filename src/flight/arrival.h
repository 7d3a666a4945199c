/* arrival.h - see arrival.c. */
#ifndef YK_FLIGHT_ARRIVAL_H
#define YK_FLIGHT_ARRIVAL_H

#include "../job/job.h"

/* Fills in all arguments for the lane's chunk, and issues the copies of their rows. `distances`,
 * one per argument, must live as long as the arguments. */
yoke_status yk_flight_stage(struct yk_job *job, int device, int lane, struct yk_launch_arg *args,
                            int64_t *distances);

#endif
