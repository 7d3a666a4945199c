/* begin.h - see begin.c. All with runtime.lock held. */
#ifndef YK_LIFE_BEGIN_H
#define YK_LIFE_BEGIN_H

#include "../job/job.h"

/* Returns 1 if a linked job may begin at once: it waits for nothing, and its turn has come. */
int yk_job_may_begin(const struct yk_job *job);
/* Begins the job. The calling thread, on processor `cpu`, takes part in it; -1: it does not. After
 * an error the job has not begun. */
yoke_status yk_job_begin(struct yk_job *job, int cpu);
/* Call it when the job is in the list of all jobs. If it waits for nothing, appends it to those
 * that begin when their turn comes. Fails it if one of the `count` jobs of `after` has failed. */
void yk_job_line_up(struct yk_job *job, struct yk_job *const *after, int count);
/* Begins jobs that wait for nothing, until as many run as may run at a time. *team: the devices
 * that take part in these, as bits. Returns whether any job began, and whether one of them is long:
 * then the threads of these devices must be woken. */
enum yk_begun { YK_BEGUN_NONE, YK_BEGUN_BRIEF, YK_BEGUN_LONG };
enum yk_begun yk_jobs_start_ready(yoke_runtime *runtime, uint32_t *team);
/* Begins jobs behind running ones. Returns the devices that take part, as bits: their threads must
 * be woken. */
uint32_t yk_jobs_start_behind(yoke_runtime *runtime);
/* The job is done: takes it off all lists, so that jobs that waited for it may begin. The caller
 * starts them. */
void yk_job_retire(struct yk_job *job);

#endif
