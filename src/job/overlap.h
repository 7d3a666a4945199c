/* overlap.h - see overlap.c. */
#ifndef YK_JOB_OVERLAP_H
#define YK_JOB_OVERLAP_H

#include "job.h"

/* Two arrays in the same memory. Under runtime.lock. */
yoke_status yk_job_check_overlaps(const struct yk_job *job);
/* Whether the program changed rows that the job reads without acquiring them. Before the job's
 * first chunk, by the thread that drives the device; later nothing is looked at. */
yoke_status yk_job_check_host(struct yk_job *job);

#endif
