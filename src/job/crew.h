/* crew.h - see crew.c. */
#ifndef YK_JOB_CREW_H
#define YK_JOB_CREW_H

#include "job.h"

/* Gives the job a crew for `count` devices. With runtime.lock held. YOKE_ENOMEM: the job may have a
 * part of a crew, which yk_job_close frees. */
yoke_status yk_crew_take(struct yk_job *job, int count);
/* Frees the job's crew, if it has one. For a job that could not begin or that failed. */
void yk_crew_close(struct yk_job *job);
/* Frees the idle crews. No job may be left. */
void yk_crews_close(yoke_runtime *runtime);
/* 1: the crew has memory for more decisions than a crew that is kept for later jobs may have. */
int yk_crew_is_large(const struct yk_crew *crew);
/* Adds a reference to the crew of a running job. The caller must know of another reference that
 * stays, or hold runtime.lock. */
void yk_job_look(struct yk_job *job);
/* Drops a reference to the crew. The last one also releases the job. Takes runtime.lock, which must
 * not be held. */
void yk_job_look_away(struct yk_job *job);
/* Drops a reference to the crew. With runtime.lock held. Returns 1 if it was the last; then the
 * caller must release the job, without the lock. */
int yk_job_look_away_locked(struct yk_job *job);
/* Decides whether the finished job keeps its crew for its result. With runtime.lock held, before
 * other threads learn that the job is over. */
void yk_job_condense(struct yk_job *job);
/* Returns what the device did in a job that is over and still has its crew. */
struct yk_figures yk_job_figures(const struct yk_job *job, int device);
/* The job's result will not be asked for any more: drops the ticket's reference to the job, and to
 * its crew. Without runtime.lock. */
void yk_job_forsake(struct yk_job *job);

#endif
