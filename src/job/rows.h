/* rows.h - see rows.c. */
#ifndef YK_JOB_ROWS_H
#define YK_JOB_ROWS_H

#include "job.h"

/* Returns the rows of argument `arg` that `items` touch, within the array. May call the argument's
 * rows function. No lock need be held. */
struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items);
/* Returns the rows that all items of the job touch. They were computed once, because a rows
 * function may take time proportional to the items. */
static inline struct yk_interval yk_job_all_rows(const struct yk_job *job, int arg)
{
    return job->order.uses[arg].rows;
}
/* Returns 1 if the job uses the argument's array by rows: an index touches only some of them.
 * Partial results of reductions do not count, because they go home. needs: and if it reads them, or
 * changes only some. writes: and if it writes them. */
int yk_job_uses_by_rows(const struct yk_job *job, int arg);
int yk_job_needs_by_rows(const struct yk_job *job, int arg);
int yk_job_writes_by_rows(const struct yk_job *job, int arg);

#endif
