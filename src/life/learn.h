/* learn.h - see learn.c. */
#ifndef YK_LIFE_LEARN_H
#define YK_LIFE_LEARN_H

#include "../job/job.h"

/* What the job, which ended well, teaches. Under runtime.lock. */
void yk_job_learn(struct yk_job *job);

#endif
