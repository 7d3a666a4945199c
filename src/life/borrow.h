/* borrow.h - see borrow.c. */
#ifndef YK_LIFE_BORROW_H
#define YK_LIFE_BORROW_H

#include "../job/job.h"

/* Returns 1 if a thread of the program can step the device, which has memory of its own, beside
 * others. With a reference to the job's workspace. */
int yk_device_is_drivable(const struct yk_job *job, int device);
/* Decides which work of the job the calling thread, on processor `cpu`, does. With runtime.lock
 * held, before another thread sees the job. */
void yk_caller_borrow(struct yk_job *job, int cpu);
/* Notes that the calling thread works on the job, as the caller of yoke_run; NULL: on none. */
void yk_caller_enter(const struct yk_job *job);
/* Returns 1 if the calling thread works on that job, as the caller of yoke_run. */
int yk_caller_is_here(const struct yk_job *job);

#endif
