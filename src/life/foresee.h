/* foresee.h - whether a job that has not begun will be divided as the job before it is. Then it may
 * begin behind that one (begin.c). Only guesses: if it is wrong, the job is divided as any other,
 * and its chunks wait for rows.
 */
#ifndef YK_LIFE_FORESEE_H
#define YK_LIFE_FORESEE_H

#include "../job/job.h"

/* Returns 1 if the only device does both jobs; or if `before` follows a plan and the job will, too,
 * so that each device keeps to its rows, and if no core has a part. With runtime.lock held. */
int yk_job_foresees(const struct yk_job *job, const struct yk_job *before);

#endif
