/* report.h - see report.c. */
#ifndef YK_WORK_REPORT_H
#define YK_WORK_REPORT_H

#include "../job/job.h"

/* Reports what the lane did to the dispatcher, or nothing if more pieces of its chunk are to come.
 * Takes job.lock. */
void yk_lane_report(struct yk_job *job, int device, int lane);
/* A chunk of any job ended on the GPU now. Returns the end of the last chunk before it, of any job;
 * at most `now`. No lock need be held. */
int64_t yk_device_serve(struct yk_runtime_device *device, int64_t now);

#endif
