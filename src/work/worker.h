/* worker.h - see worker.c. */
#ifndef YK_WORK_WORKER_H
#define YK_WORK_WORKER_H

#include "../job/job.h"
#include "lane.h"

/* Starts the device's threads. After an error the caller joins those that were started. */
yoke_status yk_workers_open(yoke_runtime *runtime, struct yk_runtime_device *device);
/* Waits until the device's threads have ended. runtime.stop must be set. Their memory stays,
 * because the driver may try to wake them until the device is closed. */
void yk_workers_join(struct yk_runtime_device *device);
/* Frees the threads' memory. Call it after the device is closed. */
void yk_workers_close(struct yk_runtime_device *device);
/* Drops the reference to the workspace of `previous` and returns the next running job, with a
 * reference to its workspace. previous NULL: returns the first one. NULL: there is no further job.
 * Takes runtime.lock. */
struct yk_job *yk_job_next(yoke_runtime *runtime, struct yk_job *previous);
/* Prepares a device with memory of its own for the job, then steps all its lanes as far as they go
 * without waiting. For one thread at a time, without locks. */
enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns);

#endif
