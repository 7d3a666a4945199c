/* launch_space.h - the indexes of a chunk as the entries of made kernels take them, and its
 * division into parts where one launch of a device cannot cover all of it.
 */
#ifndef YK_BACKEND_LAUNCH_SPACE_H
#define YK_BACKEND_LAUNCH_SPACE_H

#include <stdint.h>

#include "backend.h"

/* By value the first argument of an entry: yk_space of yoke/prelude_cuda.h and prelude_opencl.h. */
struct yk_space {
    struct {
        int64_t first, last;
    } along[3]; /* first, second and third dimension of the range */
    int64_t size2, size3;
};

struct yk_space yk_space_of(const struct yk_launch *launch);
/* The indexes as functions by hand take them, with the launch's lane and team. */
yoke_chunk yk_chunk_of(const struct yk_launch *launch);
/* The indexes as entries by hand take them (yoke_source); how many numbers these are. */
enum { YK_RANGE_ARGS_MOST = 8 };
int yk_range_args(const struct yk_launch *launch, int dimensions, int64_t out[YK_RANGE_ARGS_MOST]);

/* Groups of lanes that do `indexes` of the first dimension: one for each of the kernel's `unit`, or
 * for each part of a block; and how many indexes of it one group does. The blocks of a launch that
 * has none (a rehearsal) are of one index. */
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

/* The least power of two that holds `items`, at most `most` (a power of two). */
int yk_space_span(int64_t items, int most);
/* Threads of a GPU's block (a power of two in all, at most `budget`) along the fastest dimension,
 * `last`, and along the one before. Blocks 64 and 32 wide are equally fast
 * (docs/results/kernels-h200.md), so of these the one that has fewer threads beyond the ends. */
struct yk_block {
    int wide, high;
};
struct yk_block yk_space_block(const struct yk_space *space, int last, int budget);

/* The parts of `all` of at most `most` indexes (>= 1) along each dimension, one after the other,
 * begun with yk_space_begin. An empty space has one part, itself. yk_space_next: 0 if `part` was
 * the last one. */
void yk_space_begin(const struct yk_space *all, const int64_t most[3], struct yk_space *part);
int yk_space_next(const struct yk_space *all, const int64_t most[3], struct yk_space *part);

#endif
