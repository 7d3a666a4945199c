/* weights.h - see weights.c: under runtime.lock, but for the first. */
#ifndef YK_LIFE_WEIGHTS_H
#define YK_LIFE_WEIGHTS_H

#include "../job/job.h"

/* What the environment says. */
yoke_status yk_runtime_open_weight(yoke_runtime *runtime, const yoke_config *config);
/* There may be a weight for it. */
int yk_job_may_be_weighed(const yoke_runtime *runtime, const yoke_job *spec);
/* The job, on its way in, is split by the weight there is for its kernel, if any; */
void yk_job_weigh(struct yk_job *job);
/* and by the one there is now that it begins, where a policy moves it. */
void yk_job_weigh_again(struct yk_job *job);
/* It begins; it ended well, and how long each class of devices took is known; it is over, and with
 * the last of those that overlap the next weight is known. */
void yk_job_weigh_begun(struct yk_job *job);
void yk_job_note_times(struct yk_job *job);
void yk_job_weigh_ended(struct yk_job *job);

#endif
