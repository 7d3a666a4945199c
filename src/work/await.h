/* await.h - see await.c. */
#ifndef YK_WORK_AWAIT_H
#define YK_WORK_AWAIT_H

#include "../job/job.h"

/* Returns when to look at the device's flight that should end first: around its end or, if long
 * work is queued behind it, after its end. `now`: watch it; 0: no prediction. */
int64_t yk_device_look_at(struct yk_job_device *device, int64_t now);
/* Returns 1 if the driver should be queried about the lane's flight. Not if the flight is not due
 * yet and should end later than others, because a driver takes time to answer. */
int yk_flight_is_due(struct yk_job *job, int device, int lane);
/* Watches the device's flights without sleeping, if that is the way to wait now. Returns 1 if one
 * may have ended. *change: value of the device's `change` when the thread looked for work; it
 * returns when there may be more. NULL: this job is the thread's only one. */
int yk_device_watch(struct yk_job *job, int device, const unsigned *change);
/* Returns 1 if a flight of the device should end about now, so its thread should not sleep. For a
 * thread that drives several devices and looks at all in turn. */
int yk_device_is_due(struct yk_job *job, int device, int64_t now);
/* Returns 0 if the device has no flight under way. Otherwise sets *look_at to when to look at the
 * one that should end first, by the clock of `now` (0: no prediction), and returns 1. */
int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at);
/* Waits until a flight of the device may have ended. Returns at once if none is under way. */
void yk_device_await(struct yk_job *job, int device);

#endif
