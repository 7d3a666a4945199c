/* yoke/job.h - a kernel over an index range, with the arrays it touches; run on all devices at the
 * same time. docs/concepts.md explains the order of jobs, and what is lost when one fails.
 */
#ifndef YOKE_JOB_H
#define YOKE_JOB_H

#include <yoke/arg.h>
#include <yoke/kernel_type.h>
#include <yoke/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A submitted job: a handle, not an address. Copies of it are equally valid. */
typedef struct yoke_ticket yoke_ticket;

/* A job's description. Zero-initialise, then set fields as needed; the default is in brackets. */
typedef struct yoke_job {
    size_t size;               /* sizeof(yoke_job): set it to use fields added after version 0.1. 0:
                                * only the fields of version 0.1 are read. YOKE_EINVAL: a size that
                                * this library does not know */
    const yoke_kernel *kernel; /* borrowed until the job is done */
    /* A kernel that does the same work in another way (for example a step kernel beside a plain
     * one), with the same parameters; also borrowed [NULL: none]. Each device does its first chunks
     * with both kernels by turns and goes on with the faster one. The choice is remembered for jobs
     * with the same two kernels, and rarely checked again (docs/kernels.md). */
    const yoke_kernel *alternative;
    /* The indexes to do, in one to three dimensions. */
    struct {
        int64_t first, last; /* first dimension, split over devices: [first, last); may be empty.
                              * No index is beyond 2^62 */
        /* Sizes of the second and third dimension as the body sees them (YOKE_SIZE2, YOKE_SIZE3). 0
         * means the `last` below, or 1 */
        int64_t extent[2];
        /* The indexes of the second and third dimension to do: 0 <= first <= last <= extent; empty
         * is allowed, as { k, k } with k > 0. Zeros: all, 0 .. extent. If the job does only a part,
         * `out` rows keep the elements that the kernel does not write. So { 1, nz - 1, { ny, nx },
         * { 1, ny - 1 }, { 1, nx - 1 } } does an interior and keeps the edges (docs/kernels.md) */
        struct {
            int64_t first, last; /* first index; one past the last */
        } second, third;
    } range;
    yoke_arg args[YOKE_ARGS_MAX]; /* in the order of the kernel's parameters; unused ones are
                                   * zero */
    const char *partitioner;      /* "auto", "dynamic:chunk=4096"; NULL: the runtime's */
    const char *name;             /* for traces [the kernel's] */

    /* Jobs that must be done before this one starts, beside those whose rows it uses: `after_count`
     * tickets of this runtime that have not been waited for. Read only during the call. Only jobs
     * submitted earlier can be named, so there are no cycles. */
    yoke_ticket *const *after;
    int after_count; /* number of tickets in `after` */
    /* Seconds after submission. Later than this no chunk starts, and the job ends with
     * YOKE_ETIMEDOUT; chunks under way are finished. [0: none] */
    double deadline_seconds;
    /* Called occasionally (at most about every 20 ms) with the number of indexes of the first
     * dimension that are done, and with all of them at the end. One thread at a time calls it: a
     * worker or the caller of yoke_run, which does nothing else meanwhile. A return value other
     * than 0 cancels the job, unless all are done. It must return: no exception or longjmp out of
     * it. Of the calls for this runtime, its arrays and jobs, it may use yoke_cancel, yoke_seconds,
     * yoke_free and what only reads (yoke_array_host, yoke_array_traffic); the others could wait
     * for this job, and return YOKE_EINVAL. [NULL] */
    int (*progress)(void *context, int64_t done, int64_t all);
    void *progress_context; /* passed to `progress` */
} yoke_job;

/* What one device did in a job. */
typedef struct yoke_device_result {
    int device;          /* index in the runtime */
    int64_t items;       /* indexes of the first dimension that it completed */
    double share;        /* items / all */
    double busy_seconds; /* time during which at least one of its chunks was under way */
    int64_t chunks;      /* number of chunks that it completed */
    const char *reason;  /* why it got its share, in one sentence with numbers; "" if there is
                          * nothing to say */
} yoke_device_result;

/* How threads waited for one device in a job. */
typedef struct yoke_wait_result {
    yoke_waiting waiting; /* as requested, or what auto chose: spin or block; YOKE_WAIT_AUTO: no
                           * thread had to wait for it */
    const char *reason;   /* why, and how many threads worked on it, in one sentence with numbers;
                           * "" if there is nothing to say */
} yoke_wait_result;

/* Which kernel a device used in a job. */
typedef struct yoke_kernel_result {
    const char *name;   /* name of the kernel that did more of its items */
    int64_t items[2];   /* items done with job.kernel, and with job.alternative */
    const char *reason; /* how they compare on this device, with numbers; "" if there is nothing to
                         * say */
} yoke_kernel_result;

/* The model of one device that determined the split of a job (papers/004, sections 3 and 5): v
 * indexes take the device fixed_seconds + v * item_seconds. If the partitioner splits by such lines
 * (`linear`), v is the device's whole share. Otherwise v is one chunk, so fixed_seconds is the
 * overhead of each chunk. Unknown values are 0. */
typedef struct yoke_model_result {
    double item_seconds;          /* a of the model */
    double fixed_seconds;         /* b */
    double link_bytes_per_second; /* rough speed of copies to and from it; 0: it uses the host's
                                   * memory */
    double chunk_items;           /* average number of indexes of its chunks */
    /* By the models: the job's time if the other devices had also done this device's indexes. If
     * this device did none, it is the job's time. INFINITY: there is no other device. */
    double without_seconds;
    double ended_seconds; /* from submission to the end of its last chunk; 0: it had none */
} yoke_model_result;

/* Why a device got a chunk at some moment. */
typedef struct yoke_decision {
    double seconds;      /* since the job was submitted */
    int device, lane;    /* what got the chunk: device's index in the runtime, and its lane */
    int64_t first, last; /* indexes first .. last - 1 of the first dimension */
    const char *reason;  /* why it got the chunk, in one sentence with numbers */
} yoke_decision;

/* What happened in a job. Opened by yoke_run or yoke_wait, owned by the caller, freed by
 * yoke_result_close. While more than 16 finished jobs have not been waited for, jobs that end get
 * results with numbers only: reasons are "" and there are no decisions. */
typedef struct yoke_result {
    int version;                       /* 4: this layout; later versions only append fields */
    double seconds;                    /* from when the job began to its end; or from the end of
                                        * the job before, if it was started while that ran
                                        * (yoke_submit) */
    const char *partitioner;           /* the one used, with its settings: "auto" */
    yoke_traffic traffic;              /* bytes that the job moved */
    int device_count;                  /* devices of the runtime when the job began */
    const yoke_device_result *devices; /* `device_count` entries, in the order of the runtime */
    int64_t decision_count;            /* number of decisions */
    const yoke_decision *decisions;    /* in the order in which they were made */
    const yoke_wait_result *waits;     /* since version 2: one per device, in order */
    const yoke_kernel_result *kernels; /* since version 3: one per device, in order */
    const yoke_model_result *models;   /* since version 4: one per device, in order; zero if only
                                        * numbers were kept */
    double predicted_seconds; /* since version 4: `seconds` as its partitioner predicted it before
                               * the start; 0: no prediction, or only numbers were kept */
} yoke_result;
/* Frees a result. NULL is allowed. */
YOKE_API void yoke_result_close(yoke_result *result);

/* Runs the job and waits. The calling thread works, too. `result` may be NULL; to make one takes
 * about a microsecond for each device, much for a job of ten. Returns an error if a device failed
 * and the others could not do its work. If an accepted job fails, also before it starts, all rows
 * of its out and inout arguments are lost (YOKE_ELOST) until they are written again; some may be
 * new and others old. So are those of a job that yoke_cancel, its deadline or progress stops after
 * it has started; before that, nothing changes. Sums of mode add are unchanged. */
YOKE_API yoke_status yoke_run(yoke_runtime *runtime, const yoke_job *job, yoke_result **result);
/* Compiles kernels for all devices now, and waits; loads GPU drivers first. Without this call the
 * first job compiles them, which takes some seconds per kernel unless an earlier process left them
 * in the cache. Devices compile in parallel. If a kernel takes longer than a second, a line on a
 * terminal says so. `runtime` NULL: yoke_default(). Thread-safe. YOKE_EBUILD: a kernel does not
 * compile for a device, which the text names; the others are compiled anyway. A kernel without a
 * text for some device is not an error.
 */
YOKE_API yoke_status yoke_prepare(yoke_runtime *runtime, const yoke_kernel *const *kernels,
                                  int count);
/* Starts the job and returns. Jobs that use the same rows of an array, if one of them writes these
 * rows, run in the order of submission; other jobs may overlap, also on different rows of one
 * array. A job may begin while the one whose rows it needs still runs; then its parts wait for rows
 * only, and it ends after that job. Steps that a GPU does in 10 to 100 us take up to a quarter less
 * time if all are submitted and the program waits once. A pending job ends with YOKE_ECANCELED if a
 * job that should write rows it reads (or changes elements it adds to), or a job that it names in
 * `after`, fails or is canceled; the rows that it should have written are lost if that job's are.
 * The job struct may be reused at once. Thread-safe. YOKE_EINVAL: the job is invalid, or an `after`
 * is not a ticket of this runtime.
 *
 * `out` NULL: no ticket is made, and nothing has to be waited for. yoke_wait_all then returns
 * whether such a job failed; the variables that get its results must stay until that. If some
 * hundred of them are not over, the call waits until half of these are.
 */
YOKE_API yoke_status yoke_submit(yoke_runtime *runtime, const yoke_job *job, yoke_ticket **out);
/* Waits for a job and ends its ticket when the job is over; until then, another thread can cancel
 * the job. `result` may be NULL. YOKE_EINVAL: it is not a ticket, or its job was or is waited for:
 * one thread can wait for a job, one time. */
YOKE_API yoke_status yoke_wait(yoke_ticket *ticket, yoke_result **result);
/* Waits until all jobs submitted before are done. Their tickets stay valid; yoke_wait returns their
 * outcomes. Of jobs without a ticket this returns the first failure since the call before, if there
 * is one (yoke_close only warns of it). `runtime` NULL: yoke_default(). Thread-safe.
 */
YOKE_API yoke_status yoke_wait_all(yoke_runtime *runtime);
/* Starts no more chunks of the job. The job ends when its chunks under way are done or, if it waits
 * for other jobs, when these are done; yoke_wait then returns YOKE_ECANCELED. A job that has done
 * all its chunks and is storing its results, or has ended, does not change: it is not canceled.
 * Returns at once. Thread-safe. */
YOKE_API yoke_status yoke_cancel(yoke_ticket *ticket);
/* Cancels all jobs of the runtime submitted before, including those of yoke_run: this is how
 * another thread stops a program's work on request. Cores stop after their current piece. Returns
 * at once. Thread-safe, but not safe in a signal handler. Not in a progress callback:
 * YOKE_EINVAL. */
YOKE_API yoke_status yoke_cancel_all(yoke_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
