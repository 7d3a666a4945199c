/* decomposition_ready.h - whether rows can move to other devices now.
 *
 * Rows go to a device at the link's speed only from pinned memory, and to pin 8 MB takes about 1
 * ms: as long as ten short jobs, which the present devices can do meanwhile. Those jobs also tell
 * how fast the present devices are when they are warm. A kernel that is still being built would
 * fetch the rows back. */
#ifndef YK_LIFE_DECOMPOSITION_READY_H
#define YK_LIFE_DECOMPOSITION_READY_H

#include "../partition/plan.h"

struct yk_job;

/* Returns the number of arrays whose rows move with bounds, and of kernels. With runtime.lock held,
 * as below. */
int yk_decomposition_needs(const struct yk_job *job);
/* Orders the pinning of host memory that devices with new rows by these cuts will copy. Returns 1
 * if the rows should stay until yk_decomposition_is_unready returns 0: if one of these devices is
 * building a kernel, or pinning takes longer than gain_ns, which each job would gain by these cuts.
 */
int yk_decomposition_awaits(const struct yk_job *job, const struct yk_cuts *cuts, double gain_ns);
/* Returns 1 while a kernel of the job's decomposition is being built. */
int yk_decomposition_builds(const struct yk_job *job);
/* Returns 1 while a kernel of the job's decomposition is being built, or its memory pinned. */
int yk_decomposition_is_unready(const struct yk_job *job);

#endif
