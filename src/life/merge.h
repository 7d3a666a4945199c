/* merge.h - see merge.c. */
#ifndef YK_LIFE_MERGE_H
#define YK_LIFE_MERGE_H

#include "../job/job.h"

/* Collects every private copy, then folds them into the arrays. *again: a device failed meanwhile,
 * and its items are back in the range. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

#endif
