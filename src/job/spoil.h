/* spoil.h - see spoil.c. */
#ifndef YK_JOB_SPOIL_H
#define YK_JOB_SPOIL_H

#include "job.h"

/* A job that was stopped after a chunk was handed out leaves rows of before and rows of after, and
 * nothing tells them apart: all it was to write are lost until they are written again. */
void yk_job_spoil(struct yk_job *job);

#endif
