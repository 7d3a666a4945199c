/* range.h - see range.c. */
#ifndef YK_JOB_RANGE_H
#define YK_JOB_RANGE_H

#include "job.h"

yoke_status yk_range_check(const yoke_job *spec);
/* Of a range that was checked. Where it leaves out some of the second or third dimension, arguments
 * of mode out become inout, for the rest of their rows stays. */
void yk_range_take(struct yk_job *job, const yoke_job *spec);

#endif
