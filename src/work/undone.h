/* undone.h - see undone.c. For the thread that drives the device, without locks. */
#ifndef YK_WORK_UNDONE_H
#define YK_WORK_UNDONE_H

#include "../job/job.h"

/* Takes a lost device out of the job. Its complete chunks count; others go back to the range. */
void yk_lane_device_failed(struct yk_job *job, int device);
/* Returns the lane's chunk to the range. It was not done, because there was no memory or a row that
 * the kernel reads was missing. If its kernel may have run, everything that it wrote in place is
 * discarded; in mode add also the device's whole private copy, with all work in it. */
void yk_lane_undone(struct yk_job *job, int device, int lane, yoke_status why);
/* Handles any error of the lane's chunk: a lost device as yk_lane_device_failed, a GPU without
 * memory as yk_lane_undone. Any other error fails the job. */
void yk_lane_not_done(struct yk_job *job, int device, int lane, yoke_status status);

#endif
