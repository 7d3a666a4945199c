/* merge.h - see merge.c. */
#ifndef YK_LIFE_MERGE_H
#define YK_LIFE_MERGE_H

#include "../job/job.h"

/* Collects the private copies, then adds them to the arrays. *again 1: nothing was added, because a
 * device failed; its items are free again. By the thread that ends the job, without locks. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

/* Joins the copies of a CPU lane that has nothing left to do with those of other such lanes. By the
 * lane's thread, inside the job, without locks. */
void yk_job_join_sums(struct yk_job *job, int device, int lane);
/* Frees what was joined. By the thread that ends the job. */
void yk_job_close_sums(struct yk_job *job);

#endif
