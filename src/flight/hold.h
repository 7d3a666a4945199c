/* hold.h - see hold.c. */
#ifndef YK_FLIGHT_HOLD_H
#define YK_FLIGHT_HOLD_H

#include "../job/job.h"

/* The arguments whose arrays the device would hold whole if it held nothing else, as bits; 0: it
 * has too little memory for all. Does not call the driver. */
uint32_t yk_job_would_hold(const struct yk_job *job, int device);
/* Takes memory for the arrays on a device. YOKE_EBUSY: other jobs have it, or come first; try
 * again.
 */
yoke_status yk_job_make_room(struct yk_job *job, int device);
/* Releases what the job holds on a device. */
void yk_job_let_go(struct yk_job *job, int device);

#endif
