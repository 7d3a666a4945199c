/* report.h - see report.c. */
#ifndef YK_WORK_REPORT_H
#define YK_WORK_REPORT_H

#include "../job/job.h"

/* Reports what the lane did to the dispatcher. */
void yk_lane_report(struct yk_job *job, int device, int lane);
/* A chunk of some job ended on the GPU now. Returns the time since which it had no other job's
 * chunk before this one. */
int64_t yk_device_serve(struct yk_runtime_device *device, int64_t now);

#endif
