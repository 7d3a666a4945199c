/* end.h - see end.c. */
#ifndef YK_LIFE_END_H
#define YK_LIFE_END_H

#include "../job/job.h"

/* A lane entered (1) or was refused because the job is over (0); while inside, the job does not
 * end. */
int yk_job_enter(struct yk_job *job);
/* It left; the last one out of a job with nothing left to do ends it. */
void yk_job_leave(struct yk_job *job);

#endif
