/* merge.h - see merge.c. */
#ifndef YK_RUNTIME_MERGE_H
#define YK_RUNTIME_MERGE_H

#include "job.h"

/* Bytes of a private copy; for a panel, those of its whole array. */
static inline int64_t yk_private_bytes(const yoke_array *array)
{
    return array->rows * array->pitch;
}
/* The zeroed private copy of an add argument: of a CPU lane (NULL: no memory), of a device. */
char *yk_private_host(struct yk_job *job, int device, int lane, int arg);
/* Collects every private copy, then folds them into the arrays. *again: a device failed meanwhile,
 * and its items are back in the range. */
yoke_status yk_job_merge(struct yk_job *job, int *again);

#endif
