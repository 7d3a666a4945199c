/* wake.h - see wake.c. */
#ifndef YK_JOB_WAKE_H
#define YK_JOB_WAKE_H

#include "job.h"

/* Something changed: threads that sleep because they found nothing to do look again. */
void yk_wake_all(yoke_runtime *runtime);
/* A thread that was woken wakes others that are still to be. */
void yk_wake_help(yoke_runtime *runtime);
/* This one looks again. */
void yk_wake(yoke_runtime *runtime, struct yk_worker *worker);
/* A job that a core does in less time than a wake takes was begun, one of `running`: at most one
 * core is woken, and none if one is awake that has nothing else to do. */
void yk_wake_few(yoke_runtime *runtime, int running);
/* Whether the calling thread is a core's worker of the runtime, which looks for jobs next. */
int yk_is_core(const yoke_runtime *runtime);
/* The calling thread is that worker from now on. */
void yk_is_worker(const struct yk_worker *worker);
/* Waking a worker costs it and the caller some microseconds: less predicted work than this, and
 * copies that take less than this, stay with the caller. */
#define YK_WORTH_WAKING_NS 20000.0
/* Cores are among the devices that it asks. */
int yk_job_asks_cores(const struct yk_job *job);
/* A core does it in less time than a wake takes, as far as is known; */
int yk_job_is_brief(const struct yk_job *job);
/* it was thought so, but has been running for longer. */
int yk_job_is_overdue(struct yk_job *job);
/* Everybody is told of the job, for the first time; */
void yk_job_tell(struct yk_job *job);
/* there may be something to do: those who are asked look. */
void yk_job_wake(struct yk_job *job);
/* The dispatcher handed items out, or got some back. With job.lock held. */
void yk_job_note_free(struct yk_job *job);

#endif
