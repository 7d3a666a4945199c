/* planned_job.h - how one job follows the plan of its decomposition: whether it should, and what
 * the plan says about each device's part of it. */
#ifndef YK_LIFE_PLANNED_JOB_H
#define YK_LIFE_PLANNED_JOB_H

struct yk_job;
struct yk_memory;
struct yk_split_device;

/* Returns 1 if a plan says what each device does; then sets known[].share and job->split.planned.
 * Returns 0 if the job is split without a plan. With runtime.lock held. */
int yk_job_follow_plan(struct yk_job *job, const struct yk_memory *memory,
                       struct yk_split_device *known);

#endif
