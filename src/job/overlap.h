/* overlap.h - see overlap.c. */
#ifndef YK_JOB_OVERLAP_H
#define YK_JOB_OVERLAP_H

#include "job.h"

/* Fails if the job uses an array that lies in the same memory as another one and one of them is
 * changed. With runtime.lock held. */
yoke_status yk_job_check_overlaps(const struct yk_job *job);
/* Fails if the program changed rows that the job reads without acquiring them. Called by the thread
 * that drives the device; only the first call, before the job's first chunk, checks. */
yoke_status yk_job_check_host(struct yk_job *job);

#endif
