/* retire.h - see retire.c. */
#ifndef YK_LIFE_RETIRE_H
#define YK_LIFE_RETIRE_H

#include "../job/job.h"

/* Marks the rows of a device that failed as lost, at the first call. Jobs notice it when they step
 * its lanes. The thread's error text must be the reason. Call it without runtime.lock. */
void yk_runtime_device_lost(yoke_runtime *runtime, struct yk_runtime_device *device);
/* drop: takes a device that failed out of the job; other devices get its chunks. retire: the device
 * gets no more chunks; it finishes those that it has. With job.lock held. */
void yk_job_drop_device(struct yk_job *job, int device, const char *reason);
void yk_job_retire_device(struct yk_job *job, int device, const char *reason);

#endif
