/* loss.h - see loss.c. */
#ifndef YK_WORK_LOSS_H
#define YK_WORK_LOSS_H

#include "../job/job.h"

/* The device is lost. Chunks that were completed count; the others go back to the range. */
void yk_lane_device_failed(struct yk_job *job, int device);
/* There was no memory, or rows that the kernel reads were missing: the chunk goes back. If its
 * kernel may have run, everything that it wrote in place is discarded, and in mode add the device's
 * whole private copy with all work in it. */
void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why);
/* The same for any reason. */
void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status);

#endif
