/* homeward.h - see homeward.c. */
#ifndef YK_FLIGHT_HOMEWARD_H
#define YK_FLIGHT_HOMEWARD_H

#include "../job/job.h"

/* Returns 1 if the flight is a piece of a lease for which coherence was already asked and told
 * everything, so the piece need not do it. */
int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight);
/* Issues, behind the flight's last launch, what leaves the device: copies of results that leave at
 * once, and the device's sums if this is its last flight. Does nothing if the kernel worked on the
 * host's rows. */
yoke_status yk_flight_leave(struct yk_job *job, int device, int lane);
/* Returns 1 if some results of the device's flights leave at once. */
int yk_flight_comes_home(const struct yk_job *job, int device);
/* Returns 0 if there is no memory for the flight's hauls. */
int yk_flight_has_hauls(const struct yk_job *job, int device, int lane);
/* Makes the haul wait for the flight's kernel and the fold of its sums. */
void yk_flight_haul_behind(struct yk_flight *flight, struct yk_haul *haul);
/* Returns 1 if results of argument `arg` are copied home at once: because the user asked for that,
 * or because they are in a window. */
int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *device, int arg);

#endif
