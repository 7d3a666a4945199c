/* caller.h - see caller.c. For the thread that called yoke_run, without locks. */
#ifndef YK_WORK_CALLER_H
#define YK_WORK_CALLER_H

#include "takeover.h"

/* Works on the job until the thread finds nothing more to do. If the job is not done by then, wakes
 * the other threads, unless `takeover` is for its device; otherwise closes `takeover`. */
void yk_caller_take_part(struct yk_job *job, struct yk_takeover *takeover);
/* Call it when the job's caller has noticed that the job is over: learns how long that took, if
 * another thread ended the job. */
void yk_caller_note_return(const struct yk_job *job);

#endif
