/* fork.h - what a child of fork does not have: threads, and GPU drivers that the parent had
 * opened. */
#ifndef YK_PLATFORM_FORK_H
#define YK_PLATFORM_FORK_H

/* Counts forks from now on. */
void yk_fork_watch(void);
/* Number of forks between the first process that counts and this one. Costs a load. */
int yk_fork_count(void);
/* Call before a GPU driver is opened in this process. */
void yk_driver_opens(void);
/* Returns 1 if a driver was opened before the fork. Its threads and contexts are the parent's: its
 * calls may hang (PoCL's clock thread) or fail (CUDA), so the driver is not called. */
int yk_drivers_are_lost(void);

#endif
