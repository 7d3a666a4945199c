/* blocks.h - PURE. Cuts the range of a reducing job into blocks. The blocks depend only on the
 * job's sizes, so partial results are the same for all sets of devices. */
#ifndef YK_JOB_BLOCKS_H
#define YK_JOB_BLOCKS_H

#include <yoke/arg.h>

struct yk_blocks_spec {
    int64_t first, last; /* the range */
    int64_t length[2];   /* number of indexes in the second and third dimension, at least 1 */
    int dimensions;      /* number of the kernel's dimensions */
    int64_t unit;        /* unit of the job's kernels; a block has a whole number of units */
    int64_t lanes;       /* that do a unit together: of group kernels, otherwise 1 */
};

/* Returns the blocks of the range that `spec` describes. */
yoke_blocks yk_blocks_cut(const struct yk_blocks_spec *spec);
/* Returns the interval of blocks that contain indexes first .. last - 1 of the range; empty if
 * there are no indexes. */
yoke_rows yk_blocks_of(const yoke_blocks *blocks, yoke_rows indexes);

#endif
