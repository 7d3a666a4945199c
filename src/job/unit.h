/* unit.h - see unit.c. */
#ifndef YK_JOB_UNIT_H
#define YK_JOB_UNIT_H

#include "job.h"

/* Chunks are multiples of it. */
int64_t yk_job_unit(const struct yk_job *job);
/* Of a kernel, and of its alternative (or NULL). */
int64_t yk_common_unit(const yoke_kernel *kernel, const yoke_kernel *alternative);
/* Indexes that give each of `fill` processing elements something to do, whichever kernel it is. */
int64_t yk_job_busy_items(const struct yk_job *job, int64_t fill);
/* Items that are a multiple of it fill cores' vectors, whichever kernel it is; 0: any. */
int64_t yk_job_vector(const struct yk_job *job);

#endif
