/* lost_rows.h - see lost_rows.c. */
#ifndef YK_JOB_LOST_ROWS_H
#define YK_JOB_LOST_ROWS_H

#include "job.h"

/* The job was stopped after a chunk was handed out, so its rows are partly old and partly new, and
 * cannot be told apart. Marks all rows that it would have written as lost until they are written
 * again. Takes the arrays' locks. */
void yk_job_lose_rows(struct yk_job *job);

#endif
