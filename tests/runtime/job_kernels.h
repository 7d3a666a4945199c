#ifndef JOB_KERNELS_H
#define JOB_KERNELS_H
#include <yoke/kernel.h>

typedef struct {
    int64_t first, last, width;
} bounds_t;
typedef struct {
    int32_t key;
    float weight;
} pair_t;

typedef struct {
    int64_t inner, width, first, last; /* columns first .. last - 1 of `width` */
} tile_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel k_noop, k_index, k_saxpy, k_spend, k_blur, k_gather, k_histogram,
    k_triangle, k_volume, k_row_sum, k_shares, k_tile, k_apart, k_columns, k_column_sums, k_sums,
    k_add_some, k_grow;
#endif
#endif
