/* strips.h - see strips.c. */
#ifndef YK_FLIGHT_STRIPS_H
#define YK_FLIGHT_STRIPS_H

#include "../job/job.h"

/* Returns 1 if the cores' lanes should do the pieces of the lease that this chunk becomes in
 * strips. With job.lock held. */
int yk_strips_suit(const struct yk_job *job, int device, const struct yk_chunk *chunk);
/* Does a lane's piece of such a lease in strips, or what is to be done of it until the lease is
 * given back. For the thread that steps the lane, without locks. */
void yk_strips_run(struct yk_job *job, int device, const struct yk_launch *piece);

#endif
