/* join.h - see join.c. */
#ifndef YK_LIFE_JOIN_H
#define YK_LIFE_JOIN_H

#include "../job/job.h"

/* Builds the kernel and makes room for the arrays. Returns 1 if the device has joined the job or
 * left it; 0: not yet, call it again soon. For the thread that drives the device, without locks. */
int yk_job_prepare(struct yk_job *job, int device);

#endif
