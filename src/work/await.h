/* await.h - see await.c. */
#ifndef YK_WORK_AWAIT_H
#define YK_WORK_AWAIT_H

#include "../job/job.h"

/* Returns when to look at the device: at its flight that should end first or, if long work is
 * queued behind it, once after its end; `now`: watch it; 0: no prediction. */
int64_t yk_device_look_at(struct yk_job_device *device, int64_t now);
/* 1: the driver should be queried about the lane's flight. A flight that is not due yet and should
 * end later than others is not queried, because a driver takes time to answer. */
int yk_flight_is_due(struct yk_job *job, int device, int lane);
/* Watches the device's flights without sleeping, if that is the way to wait now. 1: they are worth
 * a look. */
int yk_device_watch(struct yk_job *job, int device);
/* 1: the device's next end should come about now, so its thread should not sleep. For a thread that
 * drives several devices and looks at all of them in turn. */
int yk_device_is_due(struct yk_job *job, int device, int64_t now);
/* 0: the device has no flight under way. 1: *look_at is when to look at the one that should end
 * first, by the clock of `now`; 0: no prediction. */
int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at);
/* Waits until a flight of the device is worth a look. Returns at once if none is under way. */
void yk_device_await(struct yk_job *job, int device);

#endif
