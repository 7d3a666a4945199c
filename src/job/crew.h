/* crew.h - see crew.c. */
#ifndef YK_JOB_CREW_H
#define YK_JOB_CREW_H

#include "job.h"

/* The job gets a crew for so many devices. Under runtime.lock. After YOKE_ENOMEM it may have a part
 * of one, too. */
yoke_status yk_crew_take(struct yk_job *job, int count);
void yk_crew_close(struct yk_job *job);     /* a job that could not begin, or not well */
void yk_crews_close(yoke_runtime *runtime); /* the idle ones; no job is left */
/* It has memory for more decisions than is kept for jobs to come. */
int yk_crew_is_large(const struct yk_crew *crew);
/* One more looks at the crew of a running job, which somebody else looks at, too, or under
 * runtime.lock; */
void yk_job_look(struct yk_job *job);
/* and away: runtime.lock is not held. The last one releases the job. */
void yk_job_look_away(struct yk_job *job);
/* The same under runtime.lock: 1: he was the last one, and has to release the job without it. */
int yk_job_look_away_locked(struct yk_job *job);
/* The job is over, but nobody knows: decides whether it keeps its crew for its result. */
void yk_job_condense(struct yk_job *job);
/* What one device did in a job that is over and has its crew. */
struct yk_figures yk_job_figures(const struct yk_job *job, int device);
/* Whoever had its ticket asks nothing more, and ends his hold. */
void yk_job_forsake(struct yk_job *job);

#endif
