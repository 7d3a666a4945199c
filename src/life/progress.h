/* progress.h - see progress.c. */
#ifndef YK_LIFE_PROGRESS_H
#define YK_LIFE_PROGRESS_H

#include "../job/job.h"

/* Calls the user's progress callback, if that is due. ended: 1: the whole job is done. Without
 * locks; takes job.lock. */
void yk_job_tell_progress(struct yk_job *job, int ended);

#endif
