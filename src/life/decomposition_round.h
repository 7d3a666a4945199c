/* decomposition_round.h - rounds: all kernels of a decomposition once. The time of a round says how
 * fast a team is (partition/explore.h). With runtime.lock held.
 */
#ifndef YK_LIFE_DECOMPOSITION_ROUND_H
#define YK_LIFE_DECOMPOSITION_ROUND_H

struct yk_job;

/* The job begins. Returns 1 if a round begins with it: then the round before is complete, at once
 * or, if the job begins behind another one, when that one ends. */
int yk_round_begin(const struct yk_job *job);
/* The job has begun, so the runtime counts it: looks which other jobs run. */
void yk_round_enter(struct yk_job *job);
/* The job has ended: adds its time. counts: 0: the time has parts that later jobs will not have. */
void yk_round_note(const struct yk_job *job, int counts);

#endif
