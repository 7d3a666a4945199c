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
/* Steps a lane of a device with memory of its own, which is prepared for the job, as far as it goes
 * without waiting, unless its flight is not due. For one thread at a time, without locks. */
enum yk_lane_state yk_device_step_lane(struct yk_job *job, int device, int lane, int64_t *wake_ns);

#endif
