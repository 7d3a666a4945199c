/* touches.h - see touches.c. */
#ifndef YK_JOB_TOUCHES_H
#define YK_JOB_TOUCHES_H

#include "job.h"

/* Fails, naming the line, if the kernel's text touches rows that the job does not declare. With
 * runtime.lock held. */
yoke_status yk_job_check_touches(const struct yk_job *job);

#endif
