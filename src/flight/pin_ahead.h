/* pin_ahead.h - see pin_ahead.c. */
#ifndef YK_FLIGHT_PIN_AHEAD_H
#define YK_FLIGHT_PIN_AHEAD_H

#include "../job/job.h"

/* Orders the pinning of the host rows that the device will probably get. Returns 1 if some are not
 * pinned yet and the job should continue without the device. For the thread that prepares the
 * device; without locks. */
int yk_job_pins_ahead(struct yk_job *job, int device);
/* Orders the pinning of all rows that the job sends to the device, if no other one gets any. Call
 * it before a kernel is built: then they are pinned meanwhile, and in large blocks, which pay where
 * the first chunks alone would not. For the thread that prepares the device, inside the job;
 * without locks. */
void yk_job_pins_all(struct yk_job *job, int device);
/* The same as yk_job_pins_ahead for all devices of a job that is about to begin and has a
 * partitioner that shares out only once: such a job would wait for all pins. With runtime.lock
 * held. */
int yk_job_awaits_pins(struct yk_job *job);

#endif
