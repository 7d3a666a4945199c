/* blocks.c - see blocks.h: chooses the size and number of blocks. */
#include "blocks.h"

/* A job has at most BLOCKS_MOST blocks. That is four times what an H200 works on at once. So its
 * groups move through the arrays as a front, and the rows of a stencil that neighbours share are
 * still in its caches: with 4,096 blocks, all at work at once, a residual over 4,096 x 4,096 points
 * took 170 us instead of 80. Folding the lanes of a block takes about 30 ns, so a block has at
 * least SIZE_GOOD items, or lanes times units of a group kernel, unless that leaves fewer than
 * BLOCKS_LEAST blocks to share. */
enum { BLOCKS_MOST = 16384, BLOCKS_LEAST = 256, SIZE_GOOD = 1024 };
/* If there are fewer blocks, each is cut along the second dimension into parts of at least
 * PART_ITEMS items (kernels with two dimensions: a multiple of WIDTH_UNIT indexes wide). Half as
 * many items cost cores up to a quarter of their time. */
enum { PART_ITEMS = 2048, WIDTH_UNIT = 64 };
/* Most units of a block, because devices count its indexes in 32 bits. */
static const int64_t size_most = (int64_t)1 << 30;

static int64_t quotient(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static int64_t power_of_two(int64_t least)
{
    int64_t power = 1;
    while (power < least && power < size_most)
        power *= 2;
    return power;
}

/* Returns the number of units in a block of a range of `units` units of `items` items each. */
static int64_t units_of(int64_t units, int64_t items)
{
    const int64_t few = power_of_two(quotient(units, BLOCKS_LEAST));
    const int64_t many = power_of_two(quotient(units, BLOCKS_MOST));
    const int64_t enough = power_of_two(quotient(SIZE_GOOD, items));
    const int64_t good = few < enough ? few : enough;
    return many > good ? many : good;
}

/* Returns a * b, or INT64_MAX / 2 if that is less. Both are at most 2^62. */
static int64_t product(int64_t a, int64_t b)
{
    return a > INT64_MAX / 2 / b ? INT64_MAX / 2 : a * b;
}

static int64_t parts_of(const struct yk_blocks_spec *spec, int64_t blocks, int64_t size)
{
    const int64_t wide = spec->length[0];
    const int64_t items = product(product(size, wide), spec->length[1]);
    int64_t most = BLOCKS_MOST / (blocks > 0 ? blocks : 1), parts = items / PART_ITEMS;
    if (spec->dimensions == 2 && most > quotient(wide, WIDTH_UNIT))
        most = quotient(wide, WIDTH_UNIT);
    if (most > wide)
        most = wide;
    if (parts > most)
        parts = most;
    return parts > 1 ? parts : 1;
}

yoke_blocks yk_blocks_cut(const struct yk_blocks_spec *spec)
{
    const int64_t indexes = spec->last - spec->first;
    yoke_blocks blocks = { .first = spec->first, .parts = 1, .width = spec->length[0] };
    blocks.size = units_of(quotient(indexes, spec->unit),
                           product(spec->lanes, product(spec->length[0], spec->length[1]))) *
                  spec->unit;
    if (spec->dimensions > 1) {
        blocks.width =
            quotient(spec->length[0], parts_of(spec, quotient(indexes, blocks.size), blocks.size));
        if (spec->dimensions == 2) /* lanes take the second dimension's indexes in turn */
            blocks.width = quotient(blocks.width, WIDTH_UNIT) * WIDTH_UNIT;
        blocks.parts = quotient(spec->length[0], blocks.width);
    }
    return blocks;
}

yoke_rows yk_blocks_of(const yoke_blocks *blocks, yoke_rows indexes)
{
    if (indexes.first >= indexes.last)
        return (yoke_rows){ 0, 0 };
    return (yoke_rows){ (indexes.first - blocks->first) / blocks->size,
                        (indexes.last - blocks->first - 1) / blocks->size + 1 };
}
