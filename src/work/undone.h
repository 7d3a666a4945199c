/* undone.h - see undone.c. For the thread that drives the device, without locks. */
#ifndef YK_WORK_UNDONE_H
#define YK_WORK_UNDONE_H

#include "../job/job.h"

/* The device is lost. Chunks that are complete count; the others go back to the range. */
void yk_lane_device_failed(struct yk_job *job, int device);
/* The chunk was not done, because there was no memory or a row that the kernel reads was missing;
 * it goes back to the range. If its kernel may have run, everything that it wrote in place is
 * discarded; in mode add also the device's whole private copy, with all work in it. */
void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why);
/* The same after any error: a lost device's chunks, a chunk without memory, or another error, which
 * fails the job. */
void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status);

#endif
