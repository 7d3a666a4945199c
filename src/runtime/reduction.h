/* reduction.h - a job whose kernel reduces: where its partial results lie, and where their total
 * goes.
 *
 * Partial results are an array of the library's with a row for each block (blocks.h), which chunks
 * write as they write others: what a device did not bring home is made again, and counts once. Rows
 * leave each device as chunks end. At the job's end the host folds them, by blocks.
 */
#ifndef YK_RUNTIME_REDUCTION_H
#define YK_RUNTIME_REDUCTION_H

#include <yoke/job.h>

#include "blocks.h"

struct yk_job;

struct yk_total {         /* of one argument */
    yoke_array *partials; /* NULL: the argument is of another mode */
    void *value;          /* the program's, or */
    yoke_array *into;     /* an array of one element */
    int onto;             /* what is there takes part */
};

struct yk_reduction {
    yoke_blocks blocks;
    struct yk_total total[YOKE_ARGS_MAX];
};

/* The kernel's parameters of mode reduce. */
int yk_reduces(const yoke_kernel *kernel);
/* A mistake in an argument of mode reduce is told. */
yoke_status yk_reduction_check(const yoke_job *spec, int p);
/* Makes arrays of the job's arguments of that mode, if there are any. The job has its range. */
yoke_status yk_reduction_open(struct yk_job *job, const yoke_job *spec);
/* All chunks are done: totals are written. */
yoke_status yk_reduction_fold(struct yk_job *job);
/* It is done with its arrays of partial results. The runtime keeps some for jobs of the same sizes,
 * for devices take 0.1 ms and more to make memory ready. Under runtime.lock. */
void yk_reduction_release(struct yk_job *job);
/* No device works for the job any more, or none has yet. Released, or without the lock. */
void yk_reduction_close(struct yk_job *job);
/* What the runtime kept; no job is pending. */
void yk_partials_forget(yoke_runtime *runtime);

#endif
