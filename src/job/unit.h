/* unit.h - see unit.c. */
#ifndef YK_JOB_UNIT_H
#define YK_JOB_UNIT_H

#include "job.h"

/* Returns the job's unit: chunks are multiples of this number of items. */
int64_t yk_job_unit(const struct yk_job *job);
/* The unit of a kernel and its alternative (NULL: none): the least common multiple. */
int64_t yk_common_unit(const yoke_kernel *kernel, const yoke_kernel *alternative);
/* Returns the number of items that give each of `fill` processing elements work, with either
 * kernel. */
int64_t yk_job_busy_items(const struct yk_job *job, int64_t fill);
/* Returns the number of items whose multiples fill the cores' vectors, with either kernel; 0: any
 * number does. */
int64_t yk_job_vector(const struct yk_job *job);

#endif
