/* reduction.h - a job whose kernel reduces: the place of its partial results, and of their total.
 *
 * Partial results are an internal array with a row for each block (blocks.h), which chunks write
 * like other arrays: results that a device did not bring home are made again, and count once. Rows
 * leave each device as chunks end. At the job's end the host folds them, block by block.
 */
#ifndef YK_JOB_REDUCTION_H
#define YK_JOB_REDUCTION_H

#include <yoke/job.h>

#include "blocks.h"

struct yk_job;

struct yk_total {         /* of one argument */
    yoke_array *partials; /* NULL: the argument has another mode */
    void *value;          /* the program's variable, or ... */
    yoke_array *into;     /* ... an array of one element */
    int onto;             /* 1: its present value takes part */
};

struct yk_reduction {
    yoke_blocks blocks;
    struct yk_total total[YOKE_ARGS_MAX];
};

/* Number of the kernel's parameters of mode reduce. */
int yk_reduces(const yoke_kernel *kernel);
/* Checks an argument of mode reduce. */
yoke_status yk_reduction_check(const yoke_job *spec, int p);
/* Makes arrays for the job's arguments of that mode, if there are any. The job must have its range.
 */
yoke_status yk_reduction_open(struct yk_job *job, const yoke_job *spec);
/* All chunks are done: writes the totals. */
yoke_status yk_reduction_fold(struct yk_job *job);
/* The job no longer needs its arrays of partial results. The runtime keeps some for jobs of the
 * same sizes, because devices take 0.1 ms and more to make memory ready. With runtime.lock held. */
void yk_reduction_release(struct yk_job *job);
/* No device works for the job any more, or none has yet. After release, or without the lock. */
void yk_reduction_close(struct yk_job *job);
/* Frees the arrays that the runtime kept; no job may be pending. */
void yk_partials_forget(yoke_runtime *runtime);

#endif
