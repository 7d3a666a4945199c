/* flight.h - see flight.c. */
#ifndef YK_FLIGHT_FLIGHT_H
#define YK_FLIGHT_FLIGHT_H

#include "../job/job.h"

/* Copies rows in, launches the kernel and copies results home: issues everything and waits for
 * nothing, except rows that go through the host. For the thread that steps the lane, without locks.
 */
yoke_status yk_flight_issue(struct yk_job *job, int device, int lane);
/* The items of the lane's chunk or piece. */
static inline struct yk_interval yk_flight_items(const struct yk_flight *flight)
{
    return (struct yk_interval){ flight->chunk.first, flight->chunk.last };
}
/* The form (kernel or alternative) that does the chunk. */
static inline int yk_flight_form(const struct yk_job_device *device, const struct yk_flight *flight)
{
    if (flight->beside.chunk.serial)
        return flight->beside.chunk.form;
    return device->leases.slots && flight->slot >= 0 ? device->leases.slots[flight->slot].chunk.form
                                                     : flight->chunk.form;
}

#endif
