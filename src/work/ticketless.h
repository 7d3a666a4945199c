/* ticketless.h - see ticketless.c. */
#ifndef YK_WORK_TICKETLESS_H
#define YK_WORK_TICKETLESS_H

#include "../job/job.h"

/* Drops jobs that are over, and waits while the list is full. Without locks. */
void yk_ticketless_make_room(yoke_runtime *runtime);
/* Adds the job, with a reference. With runtime.lock held. */
void yk_ticketless_add(struct yk_job *job);
/* Drops jobs that are over. Returns the status of the first one that failed since the call before,
 * and sets the error text; YOKE_OK: none did. Without locks. */
yoke_status yk_ticketless_outcome(yoke_runtime *runtime);
/* Drops all jobs of a runtime that is closing and has no unfinished ones. Warns of a failure that
 * the program did not ask for. */
void yk_ticketless_close(yoke_runtime *runtime);

#endif
