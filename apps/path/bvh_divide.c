/* bvh_divide.c - divides one branch of many triangles by all cores together. Each core measures,
 * bins, counts and moves blocks of the triangles. Otherwise, one core alone would work for half of
 * the time of the split step.
 */
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "bvh_bins.h"

enum { BLOCKS = 64 };

struct block {
    struct bvh_extent extent;
    struct bvh_bins bins;
    int32_t firsts; /* triangles of the first child; later the place where they go */
    int32_t seconds;
};

struct divide {
    struct bvh_ref *refs, *moved; /* the branch's part of bvh_work's */
    int32_t count;
    struct bvh_extent extent;
    struct bvh_cut cut;
    struct block *blocks;
};

static struct bvh_range range_of(const struct divide *divide, int64_t block)
{
    const struct cores_span span = cores_span(divide->count, BLOCKS, block);
    return (struct bvh_range){ (int32_t)span.first, (int32_t)span.last };
}

static void measure(void *context, int64_t block)
{
    struct divide *divide = context;
    bvh_measure(divide->refs, range_of(divide, block), &divide->blocks[block].extent);
}

static void fill(void *context, int64_t block)
{
    struct divide *divide = context;
    bvh_fill_bins(divide->refs, range_of(divide, block), &divide->extent,
                  &divide->blocks[block].bins);
}

static void count_firsts(void *context, int64_t block)
{
    struct divide *divide = context;
    const struct bvh_range range = range_of(divide, block);
    int32_t i, firsts = 0;
    for (i = range.first; i < range.last; i++)
        firsts += !bvh_is_second(&divide->refs[i], &divide->cut);
    divide->blocks[block].firsts = firsts;
}

static void move(void *context, int64_t block)
{
    struct divide *divide = context;
    const struct bvh_range range = range_of(divide, block);
    int32_t i, first = divide->blocks[block].firsts, second = divide->blocks[block].seconds;
    for (i = range.first; i < range.last; i++)
        divide->moved[bvh_is_second(&divide->refs[i], &divide->cut) ? second++ : first++] =
            divide->refs[i];
}

static void move_back(void *context, int64_t block)
{
    struct divide *divide = context;
    const struct bvh_range range = range_of(divide, block);
    memcpy(divide->refs + range.first, divide->moved + range.first,
           (size_t)(range.last - range.first) * sizeof *divide->refs);
}

static yoke_status run(const struct bvh_work *work, struct divide *divide, cores_fn *what)
{
    return cores_run(work->cores, &(struct cores_work){ "branch", what, divide, BLOCKS });
}

static yoke_status find_cut(const struct bvh_work *work, const struct bvh_span *span,
                            struct divide *divide)
{
    yoke_status status = run(work, divide, measure);
    int b;
    if (status != YOKE_OK)
        return status;
    divide->extent = divide->blocks[0].extent;
    for (b = 1; b < BLOCKS; b++)
        bvh_extent_join(&divide->extent, &divide->blocks[b].extent);
    divide->cut.axis = -1;
    if (bvh_is_deep(span, divide->count))
        return YOKE_OK;
    status = run(work, divide, fill);
    if (status != YOKE_OK)
        return status;
    for (b = 1; b < BLOCKS; b++)
        bvh_bins_join(&divide->blocks[0].bins, &divide->blocks[b].bins);
    divide->cut = bvh_find_cut(&divide->blocks[0].bins, &divide->extent);
    return YOKE_OK;
}

/* Moves the triangles of the first child before those of the second. `*firsts`: how many they
 * are. */
static yoke_status move_all(const struct bvh_work *work, struct divide *divide, int32_t *firsts)
{
    yoke_status status = run(work, divide, count_firsts);
    int32_t first = 0, second = 0;
    int b;
    if (status != YOKE_OK)
        return status;
    for (b = 0; b < BLOCKS; b++)
        second += divide->blocks[b].firsts;
    *firsts = second;
    for (b = 0; b < BLOCKS; b++) {
        const struct bvh_range range = range_of(divide, b);
        const int32_t count = divide->blocks[b].firsts;
        divide->blocks[b].firsts = first;
        divide->blocks[b].seconds = second;
        first += count;
        second += range.last - range.first - count;
    }
    status = run(work, divide, move);
    return status == YOKE_OK ? run(work, divide, move_back) : status;
}

yoke_status bvh_divide(struct bvh_work *work, const struct bvh_span *span, int32_t count)
{
    struct divide divide = { .refs = work->refs + span->first,
                             .moved = work->moved + span->first,
                             .count = count };
    int32_t firsts = count / 2;
    yoke_status status =
        app_alloc("blocks of a branch", BLOCKS, sizeof *divide.blocks, (void **)&divide.blocks);
    if (status != YOKE_OK)
        return status;
    status = find_cut(work, span, &divide);
    if (status == YOKE_OK && divide.cut.axis >= 0)
        status = move_all(work, &divide, &firsts);
    work->branches[span->branch] =
        (struct bvh_branch){ .box = divide.extent.box, .count = count, .first_count = firsts };
    free(divide.blocks);
    return status;
}
