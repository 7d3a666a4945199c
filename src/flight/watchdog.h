/* watchdog.h - see watchdog.c: for devices with memory of their own, by the thread that steps the
 * lane. */
#ifndef YK_FLIGHT_WATCHDOG_H
#define YK_FLIGHT_WATCHDOG_H

#include "../job/job.h"

/* Call begin when the lane's flight was issued, and end when it is over, with any result. A second
 * end has no effect. */
void yk_watchdog_begin(struct yk_job *job, int device, int lane);
void yk_watchdog_end(struct yk_job *job, int device, int lane);
/* Call it when the flight ended well, at ended_ns: its time counts for later limits. */
void yk_watchdog_measured(struct yk_job *job, int device, int lane, int64_t ended_ns);
/* Returns 1 if a flight of the job on this device has a time limit. */
int yk_watchdog_looks(const struct yk_job_device *device);

#endif
