/* wake.h - see wake.c. Functions need no lock unless their comment says so. */
#ifndef YK_JOB_WAKE_H
#define YK_JOB_WAKE_H

#include "job.h"

/* Wakes all sleeping threads, because lanes may find work that they did not find before. */
void yk_wake_all(yoke_runtime *runtime);
/* Called by a thread that was woken: wakes threads that yk_wake_all has still to wake. */
void yk_wake_help(yoke_runtime *runtime);
/* Makes this worker look for work again. */
void yk_wake(yoke_runtime *runtime, struct yk_worker *worker);
/* A brief job has begun, as one of `running` jobs. Wakes at most one core; wakes none if a core is
 * awake and has nothing else to do. */
void yk_wake_few(yoke_runtime *runtime, int running);
/* 1: the calling thread is a core's worker of the runtime, so it looks for jobs next. */
int yk_is_core(const yoke_runtime *runtime);
/* Notes that the calling thread is that worker. */
void yk_worker_enter(const struct yk_worker *worker);
/* Waking a worker costs it and its waker some microseconds. Work, or copies, predicted to take less
 * than this stay with the caller. */
#define YK_WORTH_WAKING_NS 20000.0
/* 1: a CPU takes part in the job. */
int yk_job_asks_cores(const struct yk_job *job);
/* 1: as far as is known, a core does the job in less time than a wake takes. */
int yk_job_is_brief(const struct yk_job *job);
/* 1: a job that was expected to be brief has been running for longer. */
int yk_job_is_overdue(struct yk_job *job);
/* Wakes all threads that take part in the job, for the first time. */
void yk_job_tell(struct yk_job *job);
/* There may be work: wakes the threads that take part in the job. */
void yk_job_wake(struct yk_job *job);
/* Updates job->all_out after the dispatcher handed out items or got some back. With job.lock held.
 */
void yk_job_note_free(struct yk_job *job);

#endif
