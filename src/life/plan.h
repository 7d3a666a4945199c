/* plan.h - see plan.c. */
#ifndef YK_LIFE_PLAN_H
#define YK_LIFE_PLAN_H

#include "../job/job.h"

/* Makes the job's devices and dispatcher, from what is known by now. job->kernel must be set. With
 * runtime.lock held. After an error the job has not begun; it may have a part of a workspace. */
yoke_status yk_job_plan(struct yk_job *job);
/* Describes what the dispatcher may know about device d. memory NULL: nothing was learned. */
void yk_job_describe(struct yk_job *job, int d, const struct yk_memory *memory,
                     struct yk_split_device *out);

#endif
