/* learn.h - see learn.c. */
#ifndef YK_LIFE_LEARN_H
#define YK_LIFE_LEARN_H

#include "../job/job.h"

/* Learns from a job that ended well. With runtime.lock held. */
void yk_job_learn(struct yk_job *job);

#endif
