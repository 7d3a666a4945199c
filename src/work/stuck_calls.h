/* stuck_calls.h - see stuck_calls.c: driver calls that never return. For devices with memory of
 * their own. */
#ifndef YK_WORK_STUCK_CALLS_H
#define YK_WORK_STUCK_CALLS_H

#include "../job/job.h"

/* From enter to leave the calling thread steps the device's lanes. `stepper` must live until leave.
 * Both take stall_lock. */
void yk_calls_enter(struct yk_job *job, int device, struct yk_stepper *stepper);
void yk_calls_leave(struct yk_job *job, int device, const struct yk_stepper *stepper);
/* Calls yk_flight_issue for a thread that has entered, and announces a time limit for its driver
 * calls. */
yoke_status yk_calls_issue(struct yk_job *job, int device, int lane);
/* Takes out devices with a call that lasts too long. Any thread may look while it waits, without
 * locks. */
void yk_calls_look(yoke_runtime *runtime);
/* Returns the time of the next look; 0: none is needed. */
int64_t yk_calls_next_look(yoke_runtime *runtime);
/* Called by an idle host thread: looks as above while another thread steps its device. Returns the
 * time of the next look; 0: none is needed. */
int64_t yk_calls_attend(struct yk_worker *worker);

#endif
