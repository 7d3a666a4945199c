/* decomposition_ready.h - whether the memory is ready for rows to move to other devices.
 *
 * Rows go to a device at the link's speed only from pinned memory, and to pin 8 MB takes about 1
 * ms: as long as ten short jobs, which the present devices can do meanwhile. Those jobs also tell
 * how fast the present devices are when they are warm. */
#ifndef YK_LIFE_DECOMPOSITION_READY_H
#define YK_LIFE_DECOMPOSITION_READY_H

#include "../partition/plan.h"

struct yk_job;

/* Orders the pinning of host memory that devices with new rows by these cuts will copy. Returns 1
 * if some of it is not pinned yet and that takes longer than gain_ns, which each job would gain by
 * these cuts: then the rows should stay until it is. With runtime.lock held. */
int yk_decomposition_awaits(const struct yk_job *job, const struct yk_cuts *cuts, double gain_ns);
/* Returns 1 while memory of the job's decomposition is being pinned. */
int yk_decomposition_pins(const struct yk_job *job);

#endif
