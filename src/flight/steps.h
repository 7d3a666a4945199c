/* steps.h - see steps.c. */
#ifndef YK_FLIGHT_STEPS_H
#define YK_FLIGHT_STEPS_H

#include "../job/job.h"

/* Before the chunk's first launch: prepares the arguments of all its launches. */
yoke_status yk_steps_prepare(struct yk_job *job, int device, int lane,
                             const struct yk_launch_arg *args);
const struct yk_step_launch *yk_steps_launch(const struct yk_flight *flight);
/* The first launch, flight->kernel, on a device with memory of its own. With place->lock held. */
yoke_status yk_steps_begin(struct yk_job *job, int device, int lane,
                           const struct yk_launch *launch);
/* 1: nothing is left of the flight's steps, or an error (*outcome) ended them; results are then on
 * their way home. Launches again if something is left. Always 1 for other kernels. */
int yk_steps_are_over(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* 1: the flight is a series of launches; each one's end may need another launch at once. */
int yk_steps_go_on(const struct yk_flight *flight);
/* The outcome of a chunk on a device with the host's memory, once its launch is complete. */
yoke_status yk_steps_outcome(const struct yk_job *job, const struct yk_job_device *device,
                             const struct yk_flight *flight);
/* The latest event, except copies home; the event of the latest launch. Both may be NULL. */
struct yk_event *yk_steps_last(const struct yk_flight *flight);
struct yk_event *yk_steps_last_launch(const struct yk_flight *flight);
/* Sleeps until all launches but the first are over, and forgets them. */
void yk_steps_await(const struct yk_job_device *device, struct yk_flight *flight);
void yk_steps_forget(struct yk_flight *flight); /* frees its memory */

#endif
