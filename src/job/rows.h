/* rows.h - see rows.c. */
#ifndef YK_JOB_ROWS_H
#define YK_JOB_ROWS_H

#include "job.h"

/* Rows of argument `arg` that `items` touch, within the array. */
struct yk_interval yk_job_rows(const struct yk_job *job, int arg, struct yk_interval items);
/* The same for all items of the job, computed once: a callback may take time proportional to the
 * items. */
static inline struct yk_interval yk_job_all_rows(const struct yk_job *job, int arg)
{
    return job->order.uses[arg].rows;
}

#endif
