/* weights.h - see weights.c. With runtime.lock held, except for the first two functions. */
#ifndef YK_LIFE_WEIGHTS_H
#define YK_LIFE_WEIGHTS_H

#include "../job/job.h"

/* Reads the weight and policy from the environment. */
yoke_status yk_runtime_open_weight(yoke_runtime *runtime, const yoke_config *config);
/* Returns 1 if a job as `spec` may have a weight. A hint, without locks. */
int yk_job_may_be_weighed(const yoke_runtime *runtime, const yoke_job *spec);
/* At submit: if there is a weight for the job's kernel or for all kernels, it splits the job. */
void yk_job_weigh(struct yk_job *job);
/* When the job begins: switches to the present weight, if a policy changes it. */
void yk_job_weigh_again(struct yk_job *job);
/* begun: the job begins. note_times: it ended well; notes how long each class of devices took.
 * ended: the job is over; the last one of jobs that overlap computes the next weight. */
void yk_job_weigh_begun(struct yk_job *job);
void yk_job_note_times(struct yk_job *job);
void yk_job_weigh_ended(struct yk_job *job);

#endif
