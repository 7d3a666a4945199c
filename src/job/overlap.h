/* overlap.h - see overlap.c. */
#ifndef YK_JOB_OVERLAP_H
#define YK_JOB_OVERLAP_H

#include "job.h"

/* In checking mode: fails if the job uses an array that shares memory with another array, and a job
 * changes one of the two. With runtime.lock held. */
yoke_status yk_job_check_overlaps(const struct yk_job *job);
/* In checking mode: fails if the program changed rows that the job reads without acquiring them.
 * Called by the thread that drives the device; only the first call checks (before any chunk). */
yoke_status yk_job_check_host(struct yk_job *job);

#endif
