/* steps.h - see steps.c. Functions are for the thread that steps the lane, without locks unless
 * their comment says otherwise. */
#ifndef YK_FLIGHT_STEPS_H
#define YK_FLIGHT_STEPS_H

#include "../job/job.h"

/* Before the chunk's first launch: prepares the arguments of all its launches. YOKE_ENOMEM: no
 * memory for the lane's state. */
yoke_status yk_steps_prepare(struct yk_job *job, int device, int lane,
                             const struct yk_launch_arg *args);
/* What the launch of a prepared flight needs to know about its queue. */
const struct yk_step_launch *yk_steps_launch(const struct yk_flight *flight);
/* Issues the first launch, flight->kernel, on a device with memory of its own. With place->lock
 * held. */
yoke_status yk_steps_begin(struct yk_job *job, int device, int lane,
                           const struct yk_launch *launch);
/* Returns 1 if the flight's steps are over: nothing is left, and results are on their way home; or
 * an error (*outcome) ended them. Returns 0 otherwise, after launching again if something is left.
 * Always returns 1 for other kernels. */
int yk_steps_are_over(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Returns 1 if the flight may need another launch as soon as the latest one ends. */
int yk_steps_go_on(const struct yk_flight *flight);
/* Returns the outcome of a chunk, from its words, once all its launches are complete. */
yoke_status yk_steps_outcome(const struct yk_job *job, const struct yk_job_device *device,
                             const struct yk_flight *flight);
/* yk_steps_last: the latest event, except copies home. yk_steps_last_launch: the event of the
 * latest launch. Both may be NULL. */
struct yk_event *yk_steps_last(const struct yk_flight *flight);
struct yk_event *yk_steps_last_launch(const struct yk_flight *flight);
/* Waits until all launches but the first are over, and forgets them. */
void yk_steps_await(const struct yk_job_device *device, struct yk_flight *flight);
/* Frees the lane's state. */
void yk_steps_forget(struct yk_flight *flight);

#endif
