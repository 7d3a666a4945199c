/* report.h - see report.c. */
#ifndef YK_WORK_REPORT_H
#define YK_WORK_REPORT_H

#include "../job/job.h"

/* Reports what the lane did to the dispatcher. Reports nothing if more pieces of its chunk are to
 * come. Takes job.lock. */
void yk_lane_report(struct yk_job *job, int device, int lane);
/* Notes that a chunk, of whichever job, has ended on the GPU at the time `now`. Returns when the
 * chunk before it ended, which is not later than `now`. Takes no lock. */
int64_t yk_device_serve(struct yk_runtime_device *device, int64_t now);

#endif
