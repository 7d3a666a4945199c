/* join.h - see join.c. */
#ifndef YK_LIFE_JOIN_H
#define YK_LIFE_JOIN_H

#include "../job/job.h"

/* Builds the kernel and makes room for the arrays; afterwards the device has joined or left. 0: not
 * yet, try again soon. */
int yk_job_prepare(struct yk_job *job, int device);

#endif
