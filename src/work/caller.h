/* caller.h - see caller.c. For the thread that called yoke_run, without locks. */
#ifndef YK_WORK_CALLER_H
#define YK_WORK_CALLER_H

#include "../job/job.h"

/* Works on the job until the thread finds nothing more to do. Wakes the other threads if the job is
 * not done by then. */
void yk_caller_take_part(struct yk_job *job);
/* Call it when the job's caller has noticed that the job is over: learns how long that took, if
 * another thread ended the job. */
void yk_caller_note_return(const struct yk_job *job);

#endif
