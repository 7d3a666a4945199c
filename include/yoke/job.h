/* yoke/job.h - a kernel over an index range, with the arrays it touches; run on all devices at
 * once.
 */
#ifndef YOKE_JOB_H
#define YOKE_JOB_H

#include <yoke/arg.h>
#include <yoke/kernel_type.h>
#include <yoke/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A job that was submitted. Not an address; copies of it are as good. */
typedef struct yoke_ticket yoke_ticket;

typedef struct yoke_job {
    size_t size;               /* sizeof(yoke_job), which fields added after version 0.1 need.
                                  0: all fields of version 0.1. YOKE_EINVAL: a size that this library
                                  does not know */
    const yoke_kernel *kernel; /* borrowed until the job is done */
    /* Does the same work in another way (a step kernel beside a plain one, say), with the same
     * parameters; borrowed likewise [NULL: there is none]. Each device does its first chunks with
     * both by turns and goes on with the one that is faster there. Which that is is remembered for
     * jobs with the same two kernels, and seldom looked at again (docs/kernels.md). */
    const yoke_kernel *alternative;
    struct {
        int64_t first, last; /* first dimension, split over devices; empty is fine */
        /* Sizes of the second and third as the body knows them (YOKE_SIZE2, YOKE_SIZE3). 0 means
         * the end given below, or 1 */
        int64_t extent[2];
        /* Indexes of the second and third that are done: 0 <= first <= last <= extent; empty is
         * fine. Zeros: all, 0 .. extent. Where it is a part, `out` rows keep the elements that the
         * kernel does not write: so { 1, nz - 1, { ny, nx }, { 1, ny - 1 }, { 1, nx - 1 } } is an
         * interior, and the edges stay (docs/kernels.md) */
        struct {
            int64_t first, last;
        } second, third;
    } range;
    yoke_arg args[YOKE_ARGS_MAX]; /* in the order of the kernel's parameters; the rest zero */
    const char *partitioner;      /* "auto", "dynamic:chunk=4096"; NULL: the runtime's */
    const char *name;             /* for traces [the kernel's] */

    /* Jobs that have to be done before this one begins, beside those whose rows it uses:
     * `after_count` tickets of this runtime that nobody has waited for. Read by the call only. As
     * only jobs that were submitted before can be named, there are no cycles. */
    yoke_ticket *const *after;
    int after_count;
    /* Later than this after its submission no chunk is begun; the job then ends with
     * YOKE_ETIMEDOUT. Chunks under way are finished. [0: none] */
    double deadline_seconds;
    /* Called now and then (at most about every 20 ms) with the indexes of the first dimension that
     * are done, and with all of them at the end; by one thread at a time, a worker or the caller of
     * yoke_run, which does nothing else meanwhile. Not 0 cancels the job. Of this
     * runtime's calls only yoke_cancel may be made in it; those that wait end with YOKE_EINVAL.
     * [NULL] */
    int (*progress)(void *context, int64_t done, int64_t all);
    void *progress_context;
} yoke_job;

/* What one device did in a job. */
typedef struct yoke_device_result {
    int device;          /* index in the runtime */
    int64_t items;       /* indexes of the first dimension it completed */
    double share;        /* items / all */
    double busy_seconds; /* at least one of its chunks was under way */
    int64_t chunks;
    const char *reason; /* why, in one sentence with figures; "" if nothing to say */
} yoke_device_result;

/* How threads waited for one device in a job, and how many worked on it. */
typedef struct yoke_wait_result {
    yoke_waiting waiting; /* as asked for, or what auto came to: spin or block; YOKE_WAIT_AUTO:
                             nobody had to wait for it */
    const char *reason;   /* in one sentence with figures; "" if nothing to say */
} yoke_wait_result;

/* Which kernel a device used in a job. */
typedef struct yoke_kernel_result {
    const char *name;   /* of the one that did more of its items */
    int64_t items[2];   /* that job.kernel and job.alternative did */
    const char *reason; /* how they compare there, with figures; "" if nothing to say */
} yoke_kernel_result;

/* What the split of a job says of one device (papers/004, sections 3 and 5): v of its indexes take
 * fixed_seconds + v * item_seconds beside the others. v are all that it gets where the partitioner
 * splits by such lines (`linear`); otherwise those of one chunk, so that fixed_seconds is what each
 * chunk costs. Figures nobody knows are 0. */
typedef struct yoke_model_result {
    double item_seconds;          /* a of the model */
    double fixed_seconds;         /* b */
    double link_bytes_per_second; /* of copies to and from it, roughly; 0: it uses the host's */
    double chunk_items;           /* indexes of one of its chunks, on average */
    /* What the job would have taken had the others done its indexes too, by their models; of one
     * that did none: what the job took. INFINITY: there is no other. */
    double without_seconds;
    double ended_seconds; /* from submission to the end of its last chunk; 0: it had none */
} yoke_model_result;

typedef struct yoke_decision {
    double seconds; /* since the job was submitted */
    int device, lane;
    int64_t first, last;
    const char *reason;
} yoke_decision;

/* What happened. Opened by yoke_run or yoke_wait, owned by the caller, freed by yoke_result_close.
 * Where more than 64 jobs are done that nobody has waited for yet, those that end then keep figures
 * only: in their results reasons are "" and there are no decisions. */
typedef struct yoke_result {
    int version;             /* 4: this layout; later versions only append */
    double seconds;          /* from submit to done */
    const char *partitioner; /* with its settings, "auto" */
    yoke_traffic traffic;    /* bytes the job moved */
    int device_count;
    const yoke_device_result *devices;
    int64_t decision_count;
    const yoke_decision *decisions;
    const yoke_wait_result *waits;     /* from version 2 on: of the devices, in their order */
    const yoke_kernel_result *kernels; /* from version 3 on: likewise */
    const yoke_model_result *models;   /* from version 4 on: likewise; zero where only figures were
                                          kept */
    double predicted_seconds; /* from version 4 on: what its partitioner took `seconds` to be,
                                 before it began; 0: it says nothing, or only figures were kept */
} yoke_result;
YOKE_API void yoke_result_close(yoke_result *result);

/* Run the job and wait. The calling thread works too. `result` may be NULL. An error of any device
 * that could not be made good by the others surfaces here. A job that ends with an error after it
 * has begun (a failure, yoke_cancel, its deadline, progress) leaves rows of before and rows of
 * after: all rows of its out and inout arguments are lost (YOKE_ELOST) until they are written
 * again; sums of mode add are as they were. */
YOKE_API yoke_status yoke_run(yoke_runtime *runtime, const yoke_job *job, yoke_result **result);
/* Compile kernels for all devices now, and wait for it: the first job would otherwise, for some
 * seconds a kernel if no earlier process left them in the cache. Devices compile side by side.
 * While a kernel takes longer than a second, a line on a terminal says so. `runtime` NULL:
 * yoke_default(). Thread-safe. YOKE_EBUILD: one does not compile for a device, which the text
 * names; the others are compiled all the same. A device for which a kernel has no text is no error.
 */
YOKE_API yoke_status yoke_prepare(yoke_runtime *runtime, const yoke_kernel *const *kernels,
                                  int count);
/* Start and return. Jobs that use the same rows of an array, where one of them writes these, run in
 * the order in which they were submitted; others may overlap, also on different rows of one array.
 * Reading rows that a failed or canceled job should have written while it was still pending ends a
 * job with YOKE_ECANCELED, and so does naming such a job in `after`. The job struct may be reused
 * at once. Thread-safe. YOKE_EINVAL: the job is wrong, or an `after` is no ticket of this runtime.
 */
YOKE_API yoke_status yoke_submit(yoke_runtime *runtime, const yoke_job *job, yoke_ticket **out);
/* Wait for a job and end its ticket. `result` may be NULL. YOKE_EINVAL: it is no ticket, or no
 * longer one: each job can be waited for once, by one thread. */
YOKE_API yoke_status yoke_wait(yoke_ticket *ticket, yoke_result **result);
/* Wait until all jobs submitted before are done. Their tickets stay; how they went, yoke_wait says.
 */
YOKE_API yoke_status yoke_wait_all(yoke_runtime *runtime);
/* Begin no more chunks of the job, which ends when those under way are done, or, if it waits for
 * others, when these are; yoke_wait then returns YOKE_ECANCELED. A job that is done stays as it is.
 * Returns at once. Thread-safe. */
YOKE_API yoke_status yoke_cancel(yoke_ticket *ticket);
/* The same for all jobs of a runtime that were submitted before, those of yoke_run too: how another
 * thread stops a program's work on request. Cores stop after the piece that they are at. Returns at
 * once. Thread-safe, but not safe in a signal handler. Not in a progress callback: YOKE_EINVAL. */
YOKE_API yoke_status yoke_cancel_all(yoke_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
