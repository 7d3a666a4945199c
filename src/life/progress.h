/* progress.h - see progress.c. */
#ifndef YK_LIFE_PROGRESS_H
#define YK_LIFE_PROGRESS_H

#include "../job/job.h"

/* Its deadline has passed, which is its end; or it has ended otherwise. */
int yk_job_is_stopped(struct yk_job *job);
/* Tells the user how far it is, if that is due; `ended`: that all is done. No lock is held. */
void yk_job_tell_progress(struct yk_job *job, int ended);

#endif
