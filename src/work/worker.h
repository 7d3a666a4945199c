/* worker.h - see worker.c. */
#ifndef YK_WORK_WORKER_H
#define YK_WORK_WORKER_H

#include "../job/job.h"
#include "lane.h"

yoke_status yk_workers_open(yoke_runtime *runtime, struct yk_runtime_device *device);
/* runtime.stop is set: wait until they have ended. Drivers may still wake them until their device
 * is closed, */
void yk_workers_join(struct yk_runtime_device *device);
/* and only then they may go. */
void yk_workers_close(struct yk_runtime_device *device);
/* Drops the reference to `previous` (NULL: starts with the first job) and takes one to the next
 * running job; NULL: there is none. */
struct yk_job *yk_job_next(yoke_runtime *runtime, struct yk_job *previous);
/* Prepares a device with memory of its own for the job, then steps all its lanes as far as they go
 * without waiting. By one thread at a time. */
enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns);

#endif
