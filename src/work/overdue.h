/* overdue.h - see overdue.c. */
#ifndef YK_WORK_OVERDUE_H
#define YK_WORK_OVERDUE_H

#include "../job/job.h"

/* The lane's flight is still under way. 1: it exceeded its time limit, and the device was taken
 * out. 0: look again at *wake_ns, which is lowered to that time. For the thread that drives the
 * device, without locks. */
int yk_watchdog_look(struct yk_job *job, int device, int lane, int64_t *wake_ns);

#endif
