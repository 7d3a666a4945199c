/* arrival.h - see arrival.c. */
#ifndef YK_FLIGHT_ARRIVAL_H
#define YK_FLIGHT_ARRIVAL_H

#include "../job/job.h"

/* The arguments of a launch, and the row distances to which some of them point. Not cleared,
 * because that would cost more than most launches. */
struct yk_flight_args {
    struct yk_launch_arg args[YOKE_ARGS_MAX];
    int64_t distances[YOKE_ARGS_MAX];
};

/* Fills in all arguments for the lane's chunk, and issues the copies of its rows. For the thread
 * that steps the lane, without locks. After an error the caller abandons the flight. */
yoke_status yk_flight_stage(struct yk_job *job, int device, int lane, struct yk_flight_args *out);

#endif
