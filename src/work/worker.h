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
/* step: steps the device's lanes for the job as far as they go without waiting, after preparing it
 * for the job; sets *wake_ns to when to look again; 0: its end wakes the host thread. watch_jobs:
 * watches the device's flights, job by job; those of a job behind another one end after that one's.
 * Stops when the device's `change` is not *change any more. Returns 1 if a flight may have ended.
 * Both are for the thread that has taken the device (takeover.h). */
enum yk_lane_state yk_device_step(struct yk_job *job, int device, int64_t *wake_ns);
int yk_device_watch_jobs(yoke_runtime *runtime, int device, const unsigned *change);
/* Begins jobs behind running ones if that was put off (life/end.c). Returns 1 if it was. Takes
 * runtime.lock. */
int yk_jobs_begin_due(yoke_runtime *runtime);

#endif
