/* blocks.h - PURE. How the range of a job that reduces is cut into blocks: by its sizes alone, so
 * that partial results are the same whichever devices take part.
 */
#ifndef YK_RUNTIME_BLOCKS_H
#define YK_RUNTIME_BLOCKS_H

#include <yoke/arg.h>

struct yk_blocks_spec {
    int64_t first, last; /* of the range */
    int64_t length[2];   /* its indexes in the second and third dimension, at least 1 */
    int dimensions;      /* of its kernel */
    int64_t unit;        /* of its kernels: a block has whole ones */
};

yoke_blocks yk_blocks_cut(const struct yk_blocks_spec *spec);
/* Blocks that some of the range's indexes first .. last - 1 lie in, as an interval. */
yoke_rows yk_blocks_of(const yoke_blocks *blocks, yoke_rows indexes);

#endif
