/* caller.h - see caller.c. */
#ifndef YK_WORK_CALLER_H
#define YK_WORK_CALLER_H

#include "../job/job.h"

/* It works until it finds nothing more to do, and tells the others if the job is not done then. */
void yk_caller_take_part(struct yk_job *job);
/* The job is over and its caller knows it: learns how long that took, if another thread ended it.
 */
void yk_caller_note_return(const struct yk_job *job);

#endif
