/* overdue.h - see overdue.c. */
#ifndef YK_WORK_OVERDUE_H
#define YK_WORK_OVERDUE_H

#include "../job/job.h"

/* Checks the lane's flight, which is still under way. Returns 1 if it exceeded its time limit, and
 * the device was taken out; otherwise lowers *wake_ns to the time of the next look. For the thread
 * that drives the device, without locks. */
int yk_watchdog_look(struct yk_job *job, int device, int lane, int64_t *wake_ns);

#endif
