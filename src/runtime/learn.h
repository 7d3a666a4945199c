/* learn.h - see learn.c. */
#ifndef YK_RUNTIME_LEARN_H
#define YK_RUNTIME_LEARN_H

#include "job.h"

/* What the job, which ended well, teaches. Under runtime.lock. */
void yk_job_learn(struct yk_job *job);

#endif
