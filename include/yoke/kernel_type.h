/* yoke/kernel_type.h - the kernel descriptor: one operation with an implementation for each kind of
 * device.
 *
 * Most programs never fill one by hand: YOKE_KERNEL (yoke/kernel.h) defines it from one body in C.
 * It can be copied and an implementation replaced or added:
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

typedef enum yoke_param_mode {
    YOKE_PARAM_VALUE,    /* a scalar or a struct, by value */
    YOKE_PARAM_IN,       /* array, read */
    YOKE_PARAM_OUT,      /* array, every row of the access is written, none is read */
    YOKE_PARAM_INOUT,    /* array, read and written */
    YOKE_PARAM_ADD,      /* array, added to by any index (yoke_add); each device has a private copy
                            (GPUs several, for groups to share), merged once */
    YOKE_PARAM_REDUCE,   /* one result of all indexes (YOKE_REDUCE, YOKE_FOLD), for the host */
    YOKE_PARAM_AS_KERNEL /* only in a yoke_arg with an array: the mode of the kernel's parameter;
                            add touches the whole array */
} yoke_param_mode;

typedef struct yoke_param {
    yoke_param_mode mode;
    const char *type; /* as written: "float", "body_t" */
    const char *name;
    uint32_t
        size; /* sizeof one element, checked against the array's and against each device's own */
    uint32_t alignment;
} yoke_param;

typedef enum yoke_kernel_kind {
    YOKE_KERNEL_RANGE, /* a body for one index (or one group of lanes) */
    YOKE_KERNEL_STEP,  /* a body for one item, which may emit more (yoke/kernel_step.h) */
    YOKE_KERNEL_NATIVE /* only by-hand functions that handle a whole chunk */
} yoke_kernel_kind;

/* What a step kernel is beside its parameters. The last four may be changed in a copy of the
 * descriptor: `waiting` for queues that take less memory, the others to measure or to test. Results
 * do not depend on them. */
typedef struct yoke_step {
    const char *type; /* of an item, as written */
    uint32_t size, alignment;
    uint32_t most;        /* items that one item may emit, 1 to YOKE_STEP_MOST */
    uint32_t generations; /* there may be: 1 where nothing is emitted */
    uint32_t room;        /* items that the stack of a work-group or core has room for; at least
                             `most`. 0: several for each lane */
    uint32_t turns;       /* steps of a work-group in one launch. 0: some thousands */
    uint32_t groups;      /* work-groups at most. 0: as many as fill a device */
    uint32_t waiting;     /* items that wait at most while an item and all that comes of it are done
                             one at a time, each time what was emitted first before the others.
                             0: (most - 1) * (generations - 1), which is always enough */
} yoke_step;
enum { YOKE_STEP_MOST = 256 };

/* What a step kernel's CPU function does in one call, made by the library. Borrowed memory. */
typedef struct yoke_batch {
    const void *items;    /* `count` items; NULL: new ones, of the chunk's indexes */
    const uint32_t *ages; /* generations of the items; NULL: all are new */
    int64_t count;
    void *emitted; /* scratch, count * most items, */
    int32_t *sent; /* and count numbers */
    void *out;     /* what was emitted, of each item the first one last: room for count * most */
    uint32_t *out_ages;
    int64_t made;    /* how many these are. Written, as is */
    uint32_t errors; /* YOKE_STEP_TOO_MANY, YOKE_STEP_TOO_OLD */
} yoke_batch;
enum { YOKE_STEP_TOO_MANY = 1, YOKE_STEP_TOO_OLD = 2, YOKE_STEP_TOO_DEEP = 4 };

/* How the range of a kernel that reduces is cut: into blocks of `size` indexes of the first
 * dimension, and each into `parts` of `width` indexes of the second, from `second.first` on. Part p
 * of block b has the partial result at args[k][b * parts + p]. Chunks begin where blocks do. size
 * 0: it does not reduce. */
typedef struct yoke_blocks {
    int64_t first; /* index of the range */
    int64_t size, parts, width;
} yoke_blocks;

/* The part of the range that a function by hand has to do: indexes first .. last - 1 of the first
 * dimension, with those of the second and third, and no others. */
typedef struct yoke_chunk {
    int64_t first, last;
    int64_t extent[2]; /* sizes of the second and third dimension, 1 where there is none */
    struct {
        int64_t first, last; /* all: 0 .. extent; 0 .. 1 where there is none */
    } second, third;
    int lane;          /* CPU: which of the device's cores asks, 0 .. lanes - 1 */
    int team;          /* CPU team function: cores it may use */
    yoke_batch *batch; /* step kernels, else NULL */
    yoke_blocks blocks;
} yoke_chunk;

/* A kernel that reduces: *into = what parameter `param` makes of `count` partial results (none: its
 * identity). Pure. */
typedef void yoke_fold_fn(int param, void *into, const void *from, int64_t count);

/* A CPU implementation: args[p] points to the value, or to the array's global element 0 (which may
 * lie outside what is there: use global indexes only). Thread-safe: many chunks at once. */
typedef void yoke_cpu_fn(void *const *args, const yoke_chunk *chunk);

/* An OpenCL implementation that launches what it likes (clBLAS, own kernels): enqueue on `queue`,
 * do not wait. Types as void * so that this header needs no OpenCL: cl_context, cl_device_id,
 * cl_command_queue; args[p] is a const void * to the value, or a cl_mem with the array's global
 * element 0 at byte offset shifts[p] (may be negative). Returns 0 or an OpenCL error code. */
typedef struct yoke_opencl_call {
    void *context, *device, *queue;
    void *const *args;
    const int64_t *shifts;
} yoke_opencl_call;
typedef int yoke_opencl_fn(const yoke_opencl_call *call, const yoke_chunk *chunk);

/* A CUDA implementation that launches what it likes (cuBLAS, cuFFT, own kernels): enqueue on
 * `stream`, do not wait. Types as void * so that this header needs no CUDA: CUcontext (current
 * during the call; runtime-API libraries use it too), CUstream; args[p] is a const void * to the
 * value, or the device address of the array's global element 0 (which may lie outside what is
 * there: use global indexes only). Returns 0; 2 (CUDA_ERROR_OUT_OF_MEMORY) if it enqueued nothing
 * and a smaller chunk may do; or another CUresult, which ends the job. */
typedef struct yoke_cuda_call {
    void *context, *stream;
    int device; /* CUDA's number of the GPU */
    void *const *args;
} yoke_cuda_call;
typedef int yoke_cuda_fn(const yoke_cuda_call *call, const yoke_chunk *chunk);

/* Source for a device compiler. `entry` NULL: the text was made by YOKE_KERNEL and gets yoke's
 * prelude; otherwise complete source whose kernel `entry` (in CUDA: extern "C") takes (long first,
 * long last, long extent1, long extent2), of a kernel of two or three dimensions also (long first2,
 * long last2, long first3, long last3), then for each parameter the value or the array. In OpenCL
 * an array is followed by a long byte shift of its global element 0: element i lies at
 * (char *)array + shift + i * size. In CUDA its pointer is that of global element 0. One work-item
 * per index in a grid-stride loop is expected. */
typedef struct yoke_source {
    const char *text; /* NULL: none */
    const char *entry;
} yoke_source;

enum { YOKE_CPU_VARIANTS = 3 }; /* baseline, x86-64-v3 (AVX2), x86-64-v4 (AVX-512) */

typedef struct yoke_kernel {
    uint32_t struct_size; /* sizeof(yoke_kernel) of the compiler's header; 0 is an error */
    yoke_kernel_kind kind;
    const char *name, *file;
    const yoke_param *params;
    int param_count;
    int dimensions;     /* 1 to 3; 0 means 1 */
    int lanes;          /* work-items that share one group (required group size); 0: any */
    int unit;           /* indexes of the first dimension a group or item handles; chunks are
                           multiples of it; 0 means 1 */
    yoke_fold_fn *fold; /* made with a YOKE_REDUCE or YOKE_FOLD; else NULL */
    yoke_step step;     /* kind YOKE_KERNEL_STEP */
    struct {
        yoke_cpu_fn
            *variant[YOKE_CPU_VARIANTS]; /* those the CPU runs are compared in the first chunks, and
                                            the fastest stays; NULL: there is none */
        yoke_cpu_fn
            *team; /* whole chunk by all cores at once (a threaded library), instead of variants */
        int unit;  /* indexes that a variant does in the time of one (its vectors' width): a core's
                      pieces are multiples of it as far as the range allows; 0 means `unit` */
    } cpu;
    struct {
        yoke_source source;
        yoke_opencl_fn *native; /* instead of source */
    } opencl;
    struct {
        yoke_source source;
        yoke_cuda_fn *native; /* instead of source */
    } cuda;
} yoke_kernel;

#ifdef __cplusplus
}
#endif
#endif
