/* reduce_kernels.h - see reduce_kernels.c. */
#ifndef REDUCE_KERNELS_H
#define REDUCE_KERNELS_H

#include <yoke/kernel.h>

/* Mean and spread in a form that can be folded. */
typedef struct moments {
    float count, sum, squares, low;
} moments_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel k_reduce_int32_t, k_reduce_uint32_t, k_reduce_int64_t, k_reduce_uint64_t;
extern const yoke_kernel k_reduce_float, k_reduce_double;
extern const yoke_kernel k_reduce_bits, k_reduce_2, k_reduce_3, k_reduce_tile, k_reduce_row;
extern const yoke_kernel k_reduce_count, k_reduce_count_tiles, k_reduce_after, k_reduce_edges,
    k_reduce_products;
#endif
#endif
