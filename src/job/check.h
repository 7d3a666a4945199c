/* check.h - see check.c. */
#ifndef YK_JOB_CHECK_H
#define YK_JOB_CHECK_H

#include "job.h"

/* What all else relies on: that there is a job, of a known layout, with a sound kernel. */
yoke_status yk_job_check_layout(const yoke_runtime *runtime, const yoke_job *spec);
yoke_status yk_job_check(const yoke_runtime *runtime, const yoke_job *spec);
yoke_status yk_kernel_check(const yoke_kernel *kernel);
yoke_status yk_kernel_check_count(const yoke_kernel *kernel, int given);

#endif
