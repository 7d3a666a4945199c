/* watchdog.h - see watchdog.c: for devices with memory of their own, by the thread that steps the
 * lane. */
#ifndef YK_FLIGHT_WATCHDOG_H
#define YK_FLIGHT_WATCHDOG_H

#include "../job/job.h"

/* begin: the lane's flight was issued. end: it is over, with any result; no effect if it was
 * already. */
void yk_watchdog_begin(struct yk_job *job, int device, int lane);
void yk_watchdog_end(struct yk_job *job, int device, int lane);
/* The flight went well and ended at ended_ns: its time counts for later limits. */
void yk_watchdog_measured(struct yk_job *job, int device, int lane, int64_t ended_ns);
/* 1: a flight of the job on this device has a time limit. */
int yk_watchdog_looks(const struct yk_job_device *device);

#endif
