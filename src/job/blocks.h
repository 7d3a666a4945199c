/* blocks.h - PURE. Cuts the range of a reducing job into blocks, by its sizes alone, so that
 * partial results are the same for all sets of devices. */
#ifndef YK_JOB_BLOCKS_H
#define YK_JOB_BLOCKS_H

#include <yoke/arg.h>

struct yk_blocks_spec {
    int64_t first, last; /* of the range */
    int64_t length[2];   /* its indexes in the second and third dimension, at least 1 */
    int dimensions;      /* of its kernel */
    int64_t unit;        /* unit of its kernels: a block has a whole number of units */
};

yoke_blocks yk_blocks_cut(const struct yk_blocks_spec *spec);
/* The blocks that contain indexes first .. last - 1 of the range, as an interval. */
yoke_rows yk_blocks_of(const yoke_blocks *blocks, yoke_rows indexes);

#endif
