/* landing.h - see landing.c. */
#ifndef YK_FLIGHT_LANDING_H
#define YK_FLIGHT_LANDING_H

#include "../job/job.h"

/* After an issue that failed halfway: waits for what was issued and forgets it. */
void yk_flight_abandon(struct yk_job *job, int device, int lane);
/* Its kernel may have run partly, and results may be partly home: arrays that it changes in place
 * are no longer current there. YOKE_ELOST, naming array and rows, if no other place has them;
 * otherwise the chunk can be done again. */
yoke_status yk_flight_spoil(struct yk_job *job, int device, int lane);
/* 1: a copy home has begun, so rows of an inout array may be half old, half new at the host. */
int yk_flight_is_half_home(const struct yk_job *job, int device, int lane);
int yk_flight_complete(struct yk_job *job, int device, int lane, yoke_status *outcome);
/* Reports the outcome to coherence and frees what the flight used. */
yoke_status yk_flight_finish(struct yk_job *job, int device, int lane, yoke_status outcome);

#endif
