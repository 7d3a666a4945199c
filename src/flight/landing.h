/* landing.h - see landing.c. */
#ifndef YK_FLIGHT_LANDING_H
#define YK_FLIGHT_LANDING_H

#include "../job/job.h"

/* Call it after an issue that failed halfway: waits for what was issued and forgets it. */
void yk_flight_abandon(struct yk_job *job, int device, int lane);
/* Call it for a flight whose kernel may have run in part, and whose results may be home in part.
 * Rows that the kernel changes in place then count as invalid in these places. Returns YOKE_ELOST,
 * with a text that names array and rows, if no other place has them; otherwise the chunk can be
 * done again. The thread's error text must be the reason of the failure. */
yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane);
/* Returns 1 if a copy home has begun, so rows of an inout array on the host may be half old, half
 * new. */
int yk_flight_is_half_home(const struct yk_job *job, int device, int lane);
/* The flight's last operation. */
struct yk_event *yk_flight_last(const struct yk_flight *flight);
/* Returns 1 if the flight is over, with *outcome (then call yk_flight_finish); else 0. */
int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Reports the outcome to coherence and frees what the flight used. Returns the outcome, or the
 * error of bringing results home. */
yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome);

#endif
