/* homeward.h - see homeward.c. */
#ifndef YK_FLIGHT_HOMEWARD_H
#define YK_FLIGHT_HOMEWARD_H

#include "../job/job.h"

/* 1: the flight is a piece of a lease that has asked coherence for all its rows and reported them.
 */
int yk_flight_is_ready(const struct yk_job_device *device, const struct yk_flight *flight);
/* Issues the copies of results that leave at once, behind the flight's kernel. Does nothing if the
 * kernel worked on the host's rows. */
yoke_status yk_flight_send_home(struct yk_job *job, int device, int lane);
/* 1: some results of the device's flights do. */
int yk_flight_comes_home(const struct yk_job *job, int device);
/* 1: there is memory for the flight's hauls. */
int yk_flight_has_hauls(const struct yk_job *job, int device, int lane);
/* The haul begins when the flight's kernel and the fold of its sums are over. */
void yk_flight_haul_behind(struct yk_flight *flight, struct yk_haul *haul);
/* 1: results of argument `arg` are copied home at once: because the user asked for that, or because
 * they are in a window. */
int yk_leaves_at_once(const struct yk_job *job, const struct yk_job_device *device, int arg);

#endif
