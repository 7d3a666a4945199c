/* fork.h - what is lost in a child of fork: threads, and drivers of GPUs that the parent had
 * opened. */
#ifndef YK_PLATFORM_FORK_H
#define YK_PLATFORM_FORK_H

/* Count forks from here on. */
void yk_fork_watch(void);
/* How many forks lie between the first process that counts and this one. Costs a load. */
int yk_fork_count(void);
/* A driver of GPUs is about to be opened in this process. */
void yk_driver_opens(void);
/* 1: a driver was opened before the fork. Its threads and contexts are the parent's: calls of it
 * can hang (PoCL's clock thread) or fail (CUDA), so none is made. */
int yk_drivers_are_lost(void);

#endif
