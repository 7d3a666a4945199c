/* merge.h - see merge.c. */
#ifndef YK_LIFE_MERGE_H
#define YK_LIFE_MERGE_H

#include "../job/job.h"

/* Collects the private copies, then adds them to the arrays. *again 1: nothing was added, because a
 * device failed; its items are free again. By the thread that ends the job, without locks. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

#endif
