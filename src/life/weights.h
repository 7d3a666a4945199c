/* weights.h - see weights.c. With runtime.lock held, except for the first two functions. */
#ifndef YK_LIFE_WEIGHTS_H
#define YK_LIFE_WEIGHTS_H

#include "../job/job.h"

/* Reads the weight and policy from the environment. */
yoke_status yk_runtime_open_weight(yoke_runtime *runtime, const yoke_config *config);
/* 1: a job as `spec` may have a weight. A hint, without locks. */
int yk_job_may_be_weighed(const yoke_runtime *runtime, const yoke_job *spec);
/* On the way in: the job is split by the weight of its kernel or of all kernels, if there is one.
 */
void yk_job_weigh(struct yk_job *job);
/* When the job begins: uses the present weight, if a policy changes it. */
void yk_job_weigh_again(struct yk_job *job);
/* begun: the job begins. note_times: it ended well; notes how long each class of devices took.
 * ended: it is over; when the last one of jobs that overlap is over, the next weight is computed.
 */
void yk_job_weigh_begun(struct yk_job *job);
void yk_job_note_times(struct yk_job *job);
void yk_job_weigh_ended(struct yk_job *job);

#endif
