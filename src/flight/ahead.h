/* ahead.h - see ahead.c. */
#ifndef YK_FLIGHT_AHEAD_H
#define YK_FLIGHT_AHEAD_H

#include "../job/job.h"

/* Makes sure that the host rows that the device will probably get are pinned. 1: some are not yet,
 * and the job should go on without the device. */
int yk_job_pins_ahead(struct yk_job *job, int device);
/* The same for all devices, for a job that is about to begin and whose partitioner shares out only
 * once: waiting for a device would include waiting for its pins. With runtime.lock held. */
int yk_job_awaits_pins(struct yk_job *job);

#endif
