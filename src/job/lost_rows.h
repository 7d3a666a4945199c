/* lost_rows.h - see lost_rows.c. */
#ifndef YK_JOB_LOST_ROWS_H
#define YK_JOB_LOST_ROWS_H

#include "job.h"

/* For a job that was stopped: returns 1 if all rows that it would have written are lost. */
int yk_job_loses_rows(const struct yk_job *job);
/* For such a job: marks these rows as lost until they are written again, because old and new rows
 * cannot be told apart. Takes the arrays' locks. */
void yk_job_lose_rows(struct yk_job *job);

#endif
