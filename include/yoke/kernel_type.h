/* yoke/kernel_type.h - the kernel descriptor: one operation with an implementation for each kind of
 * device.
 *
 * Most programs never fill one in themselves: YOKE_KERNEL (yoke/kernel.h) defines it from one body
 * in C. It can be copied, and an implementation replaced or added:
 *
 *     yoke_kernel mine = saxpy;
 *     mine.opencl.native = my_clblast_saxpy;
 */
#ifndef YOKE_KERNEL_TYPE_H
#define YOKE_KERNEL_TYPE_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a kernel uses a parameter. */
typedef enum yoke_param_mode {
    YOKE_PARAM_VALUE,    /* a scalar or a struct, by value */
    YOKE_PARAM_IN,       /* array, read */
    YOKE_PARAM_OUT,      /* array; every row of the access is written, none is read */
    YOKE_PARAM_INOUT,    /* array, read and written */
    YOKE_PARAM_ADD,      /* array, any index may add to any element (yoke_add); each device has a
                          * private copy (a GPU has several, each shared by some groups), merged
                          * once at the job's end */
    YOKE_PARAM_REDUCE,   /* one result of all indexes (YOKE_REDUCE, YOKE_FOLD), for the host */
    YOKE_PARAM_AS_KERNEL /* only in a yoke_arg with an array: the mode of the kernel's parameter;
                          * add touches the whole array */
} yoke_param_mode;

/* A kernel's parameter. */
typedef struct yoke_param {
    yoke_param_mode mode; /* how the kernel uses it */
    const char *type;     /* as written: "float", "body_t" */
    const char *name;     /* as written */
    uint32_t size; /* sizeof one element, checked against the array's element size and against each
                    * device's sizeof */
    uint32_t alignment; /* in bytes */
} yoke_param;

/* What a kernel's body handles. */
typedef enum yoke_kernel_kind {
    YOKE_KERNEL_RANGE, /* a body for one index (or one group of lanes) */
    YOKE_KERNEL_STEP,  /* a body for one item, which may emit more (yoke/kernel_step.h) */
    YOKE_KERNEL_NATIVE /* only handwritten functions that handle a whole chunk */
} yoke_kernel_kind;

/* What a step kernel has beside its parameters. The last four may be changed in a copy of the
 * descriptor: `waiting` for queues that take less memory, the others for measurements or tests.
 * Results do not depend on them. */
typedef struct yoke_step {
    const char *type;         /* of an item, as written */
    uint32_t size, alignment; /* of an item, in bytes */
    uint32_t most;            /* most items that one item may emit, 1 to YOKE_STEP_MOST */
    uint32_t generations;     /* most generations; 1 if nothing is emitted */
    uint32_t room;    /* items that the stack of a work-group or core can hold; at least `most`.
                       * 0: several per lane */
    uint32_t turns;   /* most steps of a work-group in one launch. 0: some thousands */
    uint32_t groups;  /* most work-groups. 0: as many as fill a device */
    uint32_t waiting; /* most items that wait while an item and all its descendants are handled
                       * one at a time, the first emitted item before the others. 0: (most - 1)
                       * * (generations - 1), which is always enough. If it is too small, a job
                       * either is right or ends with YOKE_EINVAL, when a device lacks room */
} yoke_step;
/* Largest yoke_step.most. */
enum { YOKE_STEP_MOST = 256 };

/* What a step kernel's CPU function does in one call; made by the library. Borrowed memory. */
typedef struct yoke_batch {
    const void *items;    /* `count` items; NULL: new items, of the chunk's indexes */
    const uint32_t *ages; /* generations of the items; NULL: all are new */
    int64_t count;        /* number of items */
    void *emitted;        /* scratch: count * most items */
    int32_t *sent;        /* scratch: `count` numbers */
    void *out; /* the emitted items; of those that one item emitted, the first is last. Room for
                * count * most */
    uint32_t *out_ages; /* their generations */
    int64_t made;       /* number of items in `out`; the function sets it, and `errors` */
    uint32_t errors;    /* YOKE_STEP_TOO_MANY, YOKE_STEP_TOO_OLD */
} yoke_batch;
/* Bits of yoke_batch.errors: an item emitted more than `most` items; an item of the last generation
 * emitted; more items had to wait than allowed. */
enum { YOKE_STEP_TOO_MANY = 1, YOKE_STEP_TOO_OLD = 2, YOKE_STEP_TOO_DEEP = 4 };

/* How the range of a kernel that reduces is cut: into blocks of `size` indexes of the first
 * dimension, and each block into `parts` of `width` indexes of the second, from `second.first` on.
 * Part p of block b has its partial result at args[k][b * parts + p]. Chunks begin where blocks
 * begin. size 0: the kernel does not reduce. */
typedef struct yoke_blocks {
    int64_t first;              /* first index of the range */
    int64_t size, parts, width; /* as above */
} yoke_blocks;

/* The part of the range that a handwritten function has to do: indexes first .. last - 1 of the
 * first dimension, with those of the second and third, and no others. */
typedef struct yoke_chunk {
    int64_t first, last; /* first index, and last + 1 */
    int64_t extent[2];   /* sizes of the second and third dimension; 1 if there is none */
    struct {
        int64_t first, last; /* first index, and last + 1 */
    } second, third;         /* 0 .. extent if all are to be done; 0 .. 1 if there is no such
                              * dimension */
    int lane;                /* CPU: number of the calling core within the device, 0 .. lanes - 1 */
    int team;                /* CPU team function: number of cores it may use */
    yoke_batch *batch;       /* step kernels; otherwise NULL */
    yoke_blocks blocks;      /* kernels that reduce */
} yoke_chunk;

/* For a kernel that reduces: folds `count` partial results of parameter `param`, at `from`, into
 * one, *into; count 0 gives the identity. Must be pure. */
typedef void yoke_fold_fn(int param, void *into, const void *from, int64_t count);

/* A CPU implementation: args[p] points to the value, or to the array's global element 0 (which may
 * lie outside the memory: use only global indexes). Must be thread-safe: many chunks run at
 * once. */
typedef void yoke_cpu_fn(void *const *args, const yoke_chunk *chunk);

/* An OpenCL implementation that launches its own work (clBLAS, own kernels): enqueue on `queue`, do
 * not wait. Types are void * so that this header needs no OpenCL: cl_context, cl_device_id,
 * cl_command_queue; args[p] is a const void * to the value, or a cl_mem with the array's global
 * element 0 at byte offset shifts[p] (may be negative). Returns 0 or an OpenCL error code. */
typedef struct yoke_opencl_call {
    void *context, *device, *queue; /* cl_context, cl_device_id, cl_command_queue */
    void *const *args;              /* the kernel's arguments */
    const int64_t *shifts;          /* bytes, for each argument */
} yoke_opencl_call;
/* An OpenCL implementation. Calls for one device come one at a time. */
typedef int yoke_opencl_fn(const yoke_opencl_call *call, const yoke_chunk *chunk);

/* A CUDA implementation that launches its own work (cuBLAS, cuFFT, own kernels): enqueue on
 * `stream`, do not wait. Types are void * so that this header needs no CUDA: CUcontext (current
 * during the call; runtime-API libraries use it, too), CUstream; args[p] is a const void * to the
 * value, or the device address of the array's global element 0 (which may lie outside the memory:
 * use only global indexes). Returns 0; or 2 (CUDA_ERROR_OUT_OF_MEMORY) if nothing was enqueued and
 * a smaller chunk may fit; or another CUresult, which ends the job. */
typedef struct yoke_cuda_call {
    void *context, *stream; /* CUcontext, CUstream */
    int device;             /* CUDA's number of the GPU */
    void *const *args;      /* the kernel's arguments */
} yoke_cuda_call;
/* A CUDA implementation. Calls for one device come one at a time. */
typedef int yoke_cuda_fn(const yoke_cuda_call *call, const yoke_chunk *chunk);

/* Source for a device compiler. `entry` NULL: the text was made by YOKE_KERNEL and gets yoke's
 * prelude. Otherwise it is complete source. Its kernel `entry` (in CUDA: extern "C") takes (long
 * first, long last, long extent1, long extent2); in a kernel of two or three dimensions also (long
 * first2, long last2, long first3, long last3); then for each parameter the value or the array. In
 * OpenCL an array is followed by a long byte shift of its global element 0: element i is at (char
 * *)array + shift + i * size. In CUDA its pointer is that of global element 0. The source should
 * use one work-item per index, in a grid-stride loop. */
typedef struct yoke_source {
    const char *text;  /* NULL: none */
    const char *entry; /* name of the kernel in it */
} yoke_source;

enum { YOKE_CPU_VARIANTS = 3 }; /* baseline, x86-64-v3 (AVX2), x86-64-v4 (AVX-512) */

/* A kernel. Borrowed by jobs until they are done. What it points to (name, parameters, texts,
 * functions) is borrowed by each runtime that has run or prepared it, until that is closed: it must
 * stay and not change, because devices know a kernel by these addresses. So close the runtime
 * before a dlclose of the library that holds the kernel. */
typedef struct yoke_kernel {
    uint32_t struct_size;     /* sizeof(yoke_kernel) in the header used by the compiler; 0 is an
                               * error */
    yoke_kernel_kind kind;    /* what its body handles */
    const char *name, *file;  /* the kernel's name, and that of its source file */
    const yoke_param *params; /* what a job must give, in order */
    int param_count;          /* at most 24 */
    int dimensions;           /* 1 to 3; 0 means 1 */
    int lanes;                /* work-items that form one group (required group size); 0: any */
    int unit;           /* indexes of the first dimension that a group, or a work-item of a text
                         * by hand, handles; chunks are multiples of it; 0 means 1. In a copy of
                         * a kernel without groups it may be changed, for chunks with other bounds.
                         * Texts of group kernels rely on their unit */
    yoke_fold_fn *fold; /* if it has a YOKE_REDUCE or YOKE_FOLD; otherwise NULL */
    yoke_step step;     /* kind YOKE_KERNEL_STEP */
    struct {
        yoke_cpu_fn *variant[YOKE_CPU_VARIANTS]; /* the variants that the CPU can run are compared
                                                  * in the first chunks, and the fastest is kept;
                                                  * NULL: not available */
        yoke_cpu_fn *team; /* the whole chunk by all cores at once (a threaded library), instead of
                            * variants */
        int unit; /* indexes that a variant does in the time of one (its vectors' width): a core's
                   * pieces are multiples of it as far as the range allows; 0 means `unit` */
    } cpu;        /* implementations for cores */
    struct {
        yoke_source source;
        yoke_opencl_fn *native; /* instead of source */
    } opencl;                   /* for OpenCL devices */
    struct {
        yoke_source source;
        yoke_cuda_fn *native; /* instead of source */
    } cuda;                   /* for NVIDIA GPUs */
} yoke_kernel;

#ifdef __cplusplus
}
#endif
#endif
