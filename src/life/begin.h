/* begin.h - see begin.c: under runtime.lock. */
#ifndef YK_LIFE_BEGIN_H
#define YK_LIFE_BEGIN_H

#include "../job/job.h"

/* Whether a job that is linked may begin at once, */
int yk_job_may_begin(const struct yk_job *job);
/* which it does with the calling thread, on processor `cpu`, taking part; -1: without it. */
yoke_status yk_job_begin(struct yk_job *job, int cpu);
/* It is on the list of all; it begins when its turn comes. */
void yk_job_line_up(struct yk_job *job, struct yk_job *const *after, int count);
/* Begin what waits for nothing any more, and who has to hear of that. */
enum yk_begun { YK_BEGUN_NONE, YK_BEGUN_BRIEF, YK_BEGUN_LONG };
enum yk_begun yk_jobs_start_ready(yoke_runtime *runtime);
/* It is done: off all lists, and who waited for it may begin. */
void yk_job_retire(struct yk_job *job);

#endif
