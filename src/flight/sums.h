/* sums.h - see sums.c. */
#ifndef YK_FLIGHT_SUMS_H
#define YK_FLIGHT_SUMS_H

#include "../job/job.h"

/* 1: the sums of the flight's device go home with the flight that is about to be issued. */
int yk_sums_go_with(struct yk_job *job, int device, int lane);
/* Queues all that brings the device's sums home behind the flight's kernel. If memory is short, the
 * sums stay until the end of the job. */
yoke_status yk_sums_send(struct yk_job *job, int device, int lane);
/* Such a flight ended, well or not. */
void yk_sums_land(struct yk_job *job, int device, int lane, yoke_status outcome);
/* 1: the device must not begin a chunk, which would add to sums that are leaving. */
static inline int yk_sums_are_leaving(const struct yk_job_device *device)
{
    return device->sums == YK_SUMS_LEAVING;
}
/* Brings the device's sums home now, into its first private_hosts. Waits. By the thread that ends
 * the job. */
yoke_status yk_sums_collect(struct yk_job *job, int device);

#endif
