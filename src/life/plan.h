/* plan.h - see plan.c. */
#ifndef YK_LIFE_PLAN_H
#define YK_LIFE_PLAN_H

#include "../job/job.h"

/* Makes the job's devices and dispatcher, from what is known by now. job->kernel must be set. With
 * runtime.lock held. After an error the job has not begun; it may have a part of a workspace. */
yoke_status yk_job_plan(struct yk_job *job);

#endif
