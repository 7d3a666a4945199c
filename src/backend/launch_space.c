/* launch_space.c - see launch_space.h. Parts follow in the order of nested loops, the third
 * dimension innermost. */
#include "launch_space.h"

#include <math.h>

#include <string.h>

struct yk_space yk_space_of(const struct yk_launch *launch)
{
    const int64_t size2 = launch->extent[0], size3 = launch->extent[1];
    return (struct yk_space){
        .along = { { launch->first, launch->last },
                   { launch->second.first, launch->second.last ? launch->second.last : size2 },
                   { launch->third.first, launch->third.last ? launch->third.last : size3 } },
        .size2 = size2,
        .size3 = size3
    };
}

yoke_chunk yk_chunk_of(const struct yk_launch *launch)
{
    const struct yk_space all = yk_space_of(launch);
    return (yoke_chunk){ .first = launch->first,
                         .last = launch->last,
                         .extent = { all.size2, all.size3 },
                         .second = { all.along[1].first, all.along[1].last },
                         .third = { all.along[2].first, all.along[2].last },
                         .lane = launch->lane,
                         .team = launch->team,
                         .blocks = launch->blocks };
}

int yk_range_args(const struct yk_launch *launch, int dimensions, int64_t out[YK_RANGE_ARGS_MOST])
{
    const struct yk_space all = yk_space_of(launch);
    const int64_t args[YK_RANGE_ARGS_MOST] = { all.along[0].first, all.along[0].last,
                                               all.size2,          all.size3,
                                               all.along[1].first, all.along[1].last,
                                               all.along[2].first, all.along[2].last };
    memcpy(out, args, sizeof args);
    return dimensions > 1 ? YK_RANGE_ARGS_MOST : 4;
}

int yk_space_span(int64_t items, int most)
{
    int size = 1;
    while (size < most && size < items)
        size *= 2;
    return size;
}

enum { DEEP_MOST = 64 }; /* CUDA's limit */

/* Number of threads for `items` indexes: at least 1, at most `most`. */
static int threads_for(int64_t items, int most)
{
    return items < 1 ? 1 : items < most ? (int)items : most;
}

static struct yk_block block_of(const struct yk_space *space, int last, int budget, int width)
{
    struct yk_block block = { .deep = 1 };
    block.wide = threads_for(yk_space_length(space, last), budget < width ? budget : width);
    block.high = threads_for(yk_space_length(space, last - 1), budget / block.wide);
    if (last > 1) {
        const int most = budget / (block.wide * block.high);
        block.deep = threads_for(yk_space_length(space, 0), most < DEEP_MOST ? most : DEEP_MOST);
    }
    return block;
}

static double covered(int64_t items, int size)
{
    return ceil((double)items / size) * size;
}

static double threads(const struct yk_space *space, int last, struct yk_block block)
{
    return covered(yk_space_length(space, last), block.wide) *
           covered(yk_space_length(space, last - 1), block.high) *
           covered(last > 1 ? yk_space_length(space, 0) : 1, block.deep);
}

struct yk_block yk_space_block(const struct yk_space *space, int last, int budget)
{
    const struct yk_block first = block_of(space, last, budget, 64);
    const struct yk_block other = block_of(space, last, budget, 32);
    return threads(space, last, other) < threads(space, last, first) ? other : first;
}

/* The indexes from `first` on, but at most `most` of them. */
static struct yk_along part_of(struct yk_along all, int64_t first, int64_t most)
{
    return (struct yk_along){ first, all.last - first > most ? first + most : all.last };
}

void yk_space_begin(const struct yk_space *all, const int64_t most[3], struct yk_space *part)
{
    *part = *all;
    for (int d = 0; d < 3; d++)
        part->along[d] = part_of(all->along[d], all->along[d].first, most[d]);
}

int yk_space_next(const struct yk_space *all, const int64_t most[3], struct yk_space *part)
{
    for (int d = 2; d >= 0; d--) {
        if (part->along[d].last < all->along[d].last) {
            part->along[d] = part_of(all->along[d], part->along[d].last, most[d]);
            return 1;
        }
        part->along[d] = part_of(all->along[d], all->along[d].first, most[d]);
    }
    return 0;
}

struct yk_groups yk_groups_of(const struct yk_launch *launch, int unit)
{
    struct yk_groups groups = { launch->blocks, launch->blocks.size };
    if (launch->blocks.size > 0)
        return groups;
    groups.blocks = (yoke_blocks){ .size = 1, .parts = 1, .width = 1 };
    groups.unit = unit;
    return groups;
}

int64_t yk_groups_count(const struct yk_groups *groups, int64_t indexes)
{
    return (indexes + groups->unit - 1) / groups->unit * groups->blocks.parts;
}
