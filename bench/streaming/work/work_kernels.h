#ifndef YOKE_BENCH_WORK_KERNELS_H
#define YOKE_BENCH_WORK_KERNELS_H
#include <yoke/kernel.h>

typedef struct {
    int64_t first, last, width; /* rows of the array; neighbours are `width` apart */
} strip_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel w_scale, w_add, w_stencil, w_table;
#endif
#endif
