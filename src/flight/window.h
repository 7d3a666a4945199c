/* window.h - see window.c. */
#ifndef YK_FLIGHT_WINDOW_H
#define YK_FLIGHT_WINDOW_H

#include "../job/job.h"

/* Takes memory for the job's windows: one chunk's rows on each lane, with as long chunks as is
 * useful and possible. YOKE_ENOMEM: there is not enough for the shortest chunk. */
yoke_status yk_windows_open(struct yk_job *job, int device);
/* Gives the memory back. Without place->lock. */
void yk_windows_close(struct yk_job *job, int device);
/* Makes room for `bytes` of the lane's chunk in the window. YOKE_ENOMEM: a shorter chunk may fit.
 */
yoke_status yk_window_need(struct yk_job *job, int device, struct yk_window *window, int64_t bytes);

#endif
