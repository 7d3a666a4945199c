/* borrow.h - see borrow.c. */
#ifndef YK_LIFE_BORROW_H
#define YK_LIFE_BORROW_H

#include "../job/job.h"

/* The devices, as bits, that do all of the job and that the caller can drive; 0: there are none. */
uint32_t yk_drivable_devices(const struct yk_job *job);
/* Before anybody sees the job: what the calling thread, on processor `cpu`, will work as. Under
 * runtime.lock. */
void yk_caller_borrow(struct yk_job *job, int cpu);
/* The calling thread works on that job from now on, as the caller of yoke_run; NULL: on none. */
void yk_caller_works_on(const struct yk_job *job);
/* 1: it does so. */
int yk_caller_is_here(const struct yk_job *job);

#endif
