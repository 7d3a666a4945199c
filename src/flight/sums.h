/* sums.h - see sums.c. */
#ifndef YK_FLIGHT_SUMS_H
#define YK_FLIGHT_SUMS_H

#include "../job/job.h"

/* Returns 1 if the device's sums go home with the flight, behind its kernel or, if that is a step
 * kernel, behind its last launch. */
int yk_sums_go_with(struct yk_job *job, int device, int lane);
/* Queues, behind the flight's kernel, all that brings the device's sums home. If memory is short,
 * the sums stay until the end of the job. */
yoke_status yk_sums_send(struct yk_job *job, int device, int lane);
/* Call it when such a flight has ended, well or not. */
void yk_sums_land(struct yk_job *job, int device, int lane, yoke_status outcome);
/* Returns 1 if the device must not begin a chunk, which would add to sums that are leaving. */
static inline int yk_sums_are_leaving(const struct yk_job_device *device)
{
    return device->sums == YK_SUMS_LEAVING;
}
/* Brings the device's sums home now. Waits until they are there. For the thread that ends the job.
 */
yoke_status yk_sums_collect(struct yk_job *job, int device);
/* The device's sum if it is home, where kernels wrote it; NULL: it is elsewhere. */
char *yk_sums_held(const struct yk_job *job, int device, int arg);

#endif
