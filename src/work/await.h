/* await.h - see await.c. */
#ifndef YK_WORK_AWAIT_H
#define YK_WORK_AWAIT_H

#include "../job/job.h"

/* The same for the device: for its flight that should end first, unless long work is queued behind
 * it. */
int64_t yk_device_look_at(struct yk_job_device *device, int64_t now);
/* 1: ask the driver about the lane's flight. A flight that should end later than others, and not
 * yet, is not asked about, because a driver takes its time to answer. */
int yk_flight_is_due(struct yk_job *job, int device, int lane);
/* Looks at the device's flights without sleeping, if that is how to wait now; 1 if it was, and they
 * are worth looking at again. */
int yk_device_watch(struct yk_job *job, int device);
/* Whether the device's next end should come about now, so that its thread need not sleep. For a
 * thread that drives several devices and looks at all of them by turns. */
int yk_device_is_due(struct yk_job *job, int device, int64_t now);
/* 0: the device has no flight under way. Otherwise *look_at is when to look at the one that should
 * end first, by the clock of `now`; 0: no prediction. */
int yk_device_is_busy(struct yk_job *job, int device, int64_t now, int64_t *look_at);
/* Waits for a flight of the device for a while; then it is worth looking. */
void yk_device_await(struct yk_job *job, int device);

#endif
