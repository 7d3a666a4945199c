/* plan.h - see plan.c. */
#ifndef YK_LIFE_PLAN_H
#define YK_LIFE_PLAN_H

#include "../job/job.h"

/* Devices and dispatcher, from what is known by now. Under runtime.lock; job->kernel is set. */
yoke_status yk_job_plan(struct yk_job *job);

#endif
