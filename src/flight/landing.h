/* landing.h - see landing.c. */
#ifndef YK_FLIGHT_LANDING_H
#define YK_FLIGHT_LANDING_H

#include "../job/job.h"

/* After an issue that failed halfway: waits for what was issued and forgets it. */
void yk_flight_abandon(struct yk_job *job, int device, int lane);
/* The kernel may have run partly, and results may be partly home. Arrays that it changes in place
 * are no longer current in these places. YOKE_ELOST, with a text that names array and rows: no
 * other place has them. Otherwise the chunk can be done again. The thread's error text must be the
 * reason. */
yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane);
/* 1: a copy home has begun, so rows of an inout array on the host may be half old, half new. */
int yk_flight_is_half_home(const struct yk_job *job, int device, int lane);
/* The flight's last operation. */
struct yk_event *yk_flight_last(const struct yk_flight *flight);
/* 1: the flight is over, with *outcome; the caller then finishes it. 0: it is under way. */
int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Reports the outcome to coherence and frees what the flight used. Returns the outcome, or the
 * error of bringing results home. */
yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome);

#endif
