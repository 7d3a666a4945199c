/* range.h - see range.c. */
#ifndef YK_JOB_RANGE_H
#define YK_JOB_RANGE_H

#include "job.h"

/* Checks the ranges of all dimensions. Without locks. */
yoke_status yk_range_check(const yoke_job *spec);
/* Copies a checked range into the job. If it leaves out a part of the second or third dimension,
 * arguments of mode out become inout, because the other elements of their rows must stay. */
void yk_range_take(struct yk_job *job, const yoke_job *spec);

#endif
