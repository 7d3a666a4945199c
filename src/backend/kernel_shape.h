/* kernel_shape.h - what a built kernel keeps of its descriptor, which may no longer exist when it
 * runs. */
#ifndef YK_BACKEND_KERNEL_SHAPE_H
#define YK_BACKEND_KERNEL_SHAPE_H

#include <yoke/job.h>
#include <yoke/kernel_type.h>

struct yk_kernel_param {
    yoke_param_mode mode;
    uint32_t size; /* bytes of a value, or of an array's element */
};

struct yk_kernel_shape {
    char name[64];
    /* As in the descriptor, but with the default where that has 0: lanes of range kernels that
     * reduce are YK_REDUCE_LANES. */
    int dimensions, lanes, unit;
    int reduces;
    int param_count;
    struct yk_kernel_param params[YOKE_ARGS_MAX];
    int is_step;
    yoke_step step; /* of a step kernel; its `type` is NULL */
};

/* Copies the shape from the descriptor. YOKE_EINVAL if no kernel may have this descriptor. */
yoke_status yk_kernel_shape_take(const yoke_kernel *kernel, struct yk_kernel_shape *out);

/* A function name in the source of a kernel. A longer one is cut, and then not found. */
struct yk_entry_name {
    char text[128];
};
/* The function that stands for a kernel whose source names none itself (yoke/kernel_opencl.h,
 * yoke/kernel_cuda.h). narrow: the one with 32-bit indexes that access/narrow.h adds. */
struct yk_entry_name yk_kernel_entry_name(const yoke_kernel *kernel, int narrow);

#endif
