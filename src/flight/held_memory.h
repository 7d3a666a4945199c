/* held_memory.h - see held_memory.c. */
#ifndef YK_FLIGHT_HELD_MEMORY_H
#define YK_FLIGHT_HELD_MEMORY_H

#include "../job/job.h"

/* Returns the arguments with arrays that the device would hold whole if it held nothing else, as
 * bits; 0: its memory is too small for all. Makes no driver call. With runtime.lock held. */
uint32_t yk_job_would_hold(const struct yk_job *job, int device);
/* Takes memory for the arrays on a device. YOKE_EBUSY: other jobs have it, or an earlier job must
 * get its memory first; try again. Takes runtime.lock, which must not be held. */
yoke_status yk_job_make_room(struct yk_job *job, int device);
/* Releases what the job holds on a device. Call it when no thread steps it any more. */
void yk_job_let_go(struct yk_job *job, int device);

#endif
