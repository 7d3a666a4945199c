/* unit.h - see unit.c. */
#ifndef YK_JOB_UNIT_H
#define YK_JOB_UNIT_H

#include "job.h"

/* Chunks of the job are multiples of this number of items. */
int64_t yk_job_unit(const struct yk_job *job);
/* The unit of a kernel and its alternative (NULL: none): the least common multiple. */
int64_t yk_common_unit(const yoke_kernel *kernel, const yoke_kernel *alternative);
/* Number of indexes that give each of `fill` processing elements work, whichever kernel does them.
 */
int64_t yk_job_busy_items(const struct yk_job *job, int64_t fill);
/* Multiples of this number of items fill the cores' vectors, whichever kernel does them; 0: any
 * number does. */
int64_t yk_job_vector(const struct yk_job *job);

#endif
