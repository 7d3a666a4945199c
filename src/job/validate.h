/* validate.h - see validate.c. */
#ifndef YK_JOB_VALIDATE_H
#define YK_JOB_VALIDATE_H

#include "job.h"

/* Checks what all other checks rely on: that the job exists, that its layout is known
 * and its kernel is sound. Returns YOKE_EINVAL or the kernel's error, with the thread's error text.
 * No lock need be held. */
yoke_status yk_job_check_layout(const yoke_job *spec);
/* Checks everything else. The arguments must hold arrays, not handles. Calls the arguments' rows
 * functions. Without locks. */
yoke_status yk_job_check(const yoke_runtime *runtime, const yoke_job *spec);
/* Checks a kernel's descriptor, which may be NULL. */
yoke_status yk_kernel_check(const yoke_kernel *kernel);
/* Checks the number of arguments given for the kernel. */
yoke_status yk_kernel_check_count(const yoke_kernel *kernel, int given);

#endif
