/* launch_space.h - the indexes of a chunk in the form that the entries of YOKE_KERNEL take, and
 * their division into parts if one launch of a device cannot cover them all.
 */
#ifndef YK_BACKEND_LAUNCH_SPACE_H
#define YK_BACKEND_LAUNCH_SPACE_H

#include <stdint.h>

#include "backend.h"

/* The first argument of an entry, by value: yk_space of yoke/prelude_cuda.h and
 * prelude_opencl.h. */
struct yk_space {
    struct yk_along {
        int64_t first, last;
    } along[3]; /* first, second and third dimension of the range */
    int64_t size2, size3;
};

struct yk_space yk_space_of(const struct yk_launch *launch);
/* The indexes in the form that handwritten functions take, with the launch's lane and team. */
yoke_chunk yk_chunk_of(const struct yk_launch *launch);
/* The indexes in the form that handwritten entries take (yoke_source); returns the number of values
 * written. */
enum { YK_RANGE_ARGS_MOST = 8 };
int yk_range_args(const struct yk_launch *launch, int dimensions, int64_t out[YK_RANGE_ARGS_MOST]);

/* Groups of lanes for `indexes` of the first dimension: one for each `unit` of the kernel or, if
 * the launch has blocks, for each part of a block. If it has none (a rehearsal), the kernel gets
 * blocks of one index. */
struct yk_groups {
    yoke_blocks blocks;
    int64_t unit;
};
struct yk_groups yk_groups_of(const struct yk_launch *launch, int unit);
int64_t yk_groups_count(const struct yk_groups *groups, int64_t indexes);

static inline int64_t yk_space_length(const struct yk_space *space, int dimension)
{
    return space->along[dimension].last - space->along[dimension].first;
}

/* The least power of two that is at least `items`, but at most `most` (a power of two). */
int yk_space_span(int64_t items, int most);
/* Returns a GPU block's threads along the fastest dimension, `last`, and the one or two before it;
 * their product is at most `budget`. A dimension that is shorter than its part of the block is done
 * by as many threads, so few are beyond the range. Of widths 64 and 32, which are equally fast
 * (docs/results/kernels-h200.md), it takes the one with fewer threads beyond the range. */
struct yk_block {
    int wide, high, deep;
};
struct yk_block yk_space_block(const struct yk_space *space, int last, int budget);

/* Iterates over the parts of `all` with at most `most` indexes (>= 1) along each dimension. An
 * empty space has one part: itself. yk_space_next returns 0 if `part` was the last one. */
void yk_space_begin(const struct yk_space *all, const int64_t most[3], struct yk_space *part);
int yk_space_next(const struct yk_space *all, const int64_t most[3], struct yk_space *part);

#endif
