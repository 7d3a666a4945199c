/* lost_rows.h - see lost_rows.c. */
#ifndef YK_JOB_LOST_ROWS_H
#define YK_JOB_LOST_ROWS_H

#include "job.h"

/* For a job that was stopped: marks all rows that it would have written as lost until they are
 * written again, because old and new rows cannot be told apart. Does nothing if no chunk was handed
 * out. Takes the arrays' locks. */
void yk_job_lose_rows(struct yk_job *job);

#endif
