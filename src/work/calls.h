/* calls.h - see calls.c: a driver's calls that never return. Devices with memory of their own. */
#ifndef YK_WORK_CALLS_H
#define YK_WORK_CALLS_H

#include "../job/job.h"

/* From enter to leave the calling thread steps the device's lanes. */
void yk_calls_enter(struct yk_job *job, int device, struct yk_stepper *stepper);
void yk_calls_leave(struct yk_job *job, int device, const struct yk_stepper *stepper);
/* yk_flight_issue for a thread that has entered. */
yoke_status yk_calls_issue(struct yk_job *job, int device, int lane);
/* Takes out devices whose calls last too long; for any thread, while it waits. */
int yk_calls_are_watched(const yoke_runtime *runtime);
void yk_calls_look(yoke_runtime *runtime);
int64_t yk_calls_next_look(yoke_runtime *runtime); /* time of the next look; 0: none needed */
/* The same for an idle host thread of a device. */
int64_t yk_calls_attend(struct yk_worker *worker);

#endif
