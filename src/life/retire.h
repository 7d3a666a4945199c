/* retire.h - see retire.c. */
#ifndef YK_LIFE_RETIRE_H
#define YK_LIFE_RETIRE_H

#include "../job/job.h"

/* The device is gone: its rows are written off; jobs learn of it lane by lane. Called once a
 * device. */
void yk_runtime_device_lost(yoke_runtime *runtime, struct yk_runtime_device *device);
/* drop: takes a device that failed out of the job (its chunks go to the others). retire: the device
 * gets no more chunks (its own stay). With job.lock held. */
void yk_job_drop_device(struct yk_job *job, int device, const char *reason);
void yk_job_retire_device(struct yk_job *job, int device, const char *reason);

#endif
