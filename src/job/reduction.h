/* reduction.h - a job with a kernel that reduces: where its partial results and their total are.
 *
 * Partial results are an internal array with a row for each block (blocks.h). Chunks write it like
 * other arrays, so results that a device did not bring home are computed again and count once. Rows
 * leave each device as chunks end. At the job's end the host folds them, block by block.
 */
#ifndef YK_JOB_REDUCTION_H
#define YK_JOB_REDUCTION_H

#include <yoke/job.h>

#include "blocks.h"

struct yk_job;

struct yk_total {         /* for one argument */
    yoke_array *partials; /* NULL: the argument has another mode */
    void *value;          /* the program's variable, or NULL */
    yoke_array *into;     /* the program's array of one element, or NULL */
    int onto;             /* 1: the present value is part of the total */
};

struct yk_reduction {
    yoke_blocks blocks;
    int64_t count; /* number of blocks */
    struct yk_total total[YOKE_ARGS_MAX];
};

/* Number of the kernel's parameters of mode reduce. */
int yk_reduces(const yoke_kernel *kernel);
/* Checks an argument of mode reduce. Without locks. */
yoke_status yk_reduction_check(const yoke_job *spec, int p);
/* Makes arrays for the job's arguments of mode reduce, if there are any. Call it after
 * yk_range_take. Takes runtime.lock, which must not be held. */
yoke_status yk_reduction_open(struct yk_job *job, const yoke_job *spec);
/* Writes the totals when all chunks are done. Without runtime.lock. */
yoke_status yk_reduction_fold(struct yk_job *job);
/* Gives up the job's arrays of partial results. The runtime keeps some for jobs of the same sizes,
 * because a device takes 0.1 ms and more to make memory ready. With runtime.lock held. */
void yk_reduction_release(struct yk_job *job);
/* Frees what is left of the reduction, when no device works for the job. Call it after release, or
 * for a job that was never submitted. runtime.lock must not be held. */
void yk_reduction_close(struct yk_job *job);
/* Frees the arrays that the runtime kept. Call it when no job is pending, without runtime.lock. */
void yk_partials_forget(yoke_runtime *runtime);

#endif
