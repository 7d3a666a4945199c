/* report.h - see report.c. */
#ifndef YK_WORK_REPORT_H
#define YK_WORK_REPORT_H

#include "../job/job.h"

/* Reports what the lane did to the dispatcher. Reports nothing if more pieces of its chunk are to
 * come. Takes job.lock. */
void yk_lane_report(struct yk_job *job, int device, int lane);

#endif
