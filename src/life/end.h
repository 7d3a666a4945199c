/* end.h - see end.c. */
#ifndef YK_LIFE_END_H
#define YK_LIFE_END_H

#include "../job/job.h"

/* A lane enters the job, which does not end until the lane leaves. Returns 0, and the lane has not
 * entered, if the job is over or stopped. Without locks. */
int yk_job_enter(struct yk_job *job);
/* A lane leaves. The last one that leaves a job with nothing left to do ends it. Without locks;
 * takes job.lock and runtime.lock. */
void yk_job_leave(struct yk_job *job);
/* Cancels the job, unless its results are being stored or it is done. It ends when a lane leaves it
 * or, if it has not begun, when its turn comes. With runtime.lock held; takes job.lock. */
void yk_job_cancel(struct yk_job *job);

#endif
