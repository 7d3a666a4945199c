/* forecast.h - see forecast.c. */
#ifndef YK_FLIGHT_FORECAST_H
#define YK_FLIGHT_FORECAST_H

#include "../job/job.h"

/* Returns 1 if a flight's end must wake its host thread, because the prediction is missing or
 * unreliable. */
int yk_flight_is_called(yoke_waiting waiting, const struct yk_job_device *device,
                        const struct yk_flight *flight);
/* Predicts the flight's end from flight->lasts_ns and the device's work before it, and counts it in
 * device->waits. */
void yk_flight_foretell(struct yk_job_device *device, struct yk_flight *flight, int64_t now);
/* Returns 1 if the time that the copies of its rows took is needed. A kernel behind others waits
 * for these, too. */
static inline int yk_flight_needs_fetch(const struct yk_job *job, const struct yk_flight *flight)
{
    return flight->bytes_once || (job->split.decomposition && !yk_flight_is_chained(flight) &&
                                  (flight->bytes_in || flight->bytes_between));
}
/* Returns 1 if its kernel's event must record when the kernel began, because that time is not known
 * from jobs before. (Such events made jobs of 75 us with halos on two H200s 12 us longer, and jobs
 * of 35 us that get 192 bytes from the host on one H200 10 us.) */
static inline int yk_flight_tells_fetch(const struct yk_job *job, const struct yk_job_device *jd,
                                        const struct yk_flight *flight)
{
    return yk_flight_needs_fetch(job, flight) &&
           !(jd->wait.is_known && jd->wait.bytes == flight->bytes_in);
}
/* ns. A flight that takes less time is watched: a sleep would not pay. */
int64_t yk_brief_ns(const struct yk_job_device *device);
int yk_flight_is_brief(const struct yk_job_device *device, const struct yk_flight *flight);
/* Returns 1 if the flight of lane `lane`, which is about to be issued, is the device's only one,
 * and probably its last in the job. */
int yk_flight_is_last(const struct yk_job_device *device, int lane);
/* Returns 1 if the flight that lane `lane` is about to issue will be watched until it ends: it is
 * the job's last one on this device, and it is brief or threads never sleep. Its events need
 * neither wake a thread nor carry times. On an H100 the end of a copy home is then noticed 25 us
 * sooner. */
int yk_flight_is_polled(struct yk_job *job, int device, int lane);
/* A flight is watched for at least this long before and after its predicted end, because timers may
 * be almost as late. */
#define YK_WATCH_LEAST_NS 25000
/* Returns the time until which the flight is watched: its predicted end and a margin. That is at
 * least yk_brief_ns: for a host thread as long as being woken takes, so a late end costs at most
 * twice as much (ski rental). */
int64_t yk_flight_watched_until(const struct yk_job_device *device, const struct yk_flight *flight);
/* Returns the time of the next look at the flight; `now`: watch it from now on; 0: it has no
 * prediction, or is later than predicted. */
int64_t yk_flight_look_at(const struct yk_job_device *device, const struct yk_flight *flight,
                          int64_t now);
/* Notes that the job ends no earlier than the flight's predicted end, for yk_job_look_at. */
void yk_job_foretell(struct yk_job *job, const struct yk_flight *flight);
/* For a thread that has waited for the job's end since `since`: returns the time of its next look;
 * `now`: watch from now on; 0: there is no prediction, or the job is later than predicted. */
int64_t yk_job_look_at(const struct yk_job *job, int64_t since, int64_t now);
/* The flight ended at ended_ns: corrects the predictions of the flights behind it. */
void yk_flight_ended(struct yk_job_device *device, const struct yk_flight *flight,
                     int64_t ended_ns);

#endif
