/* spmv_cut.c - finds where tiles begin, by bisection: each tile independently, in any order.
 *
 * Row r begins at step r + starts[r] of the path. A tile would begin within some row. If the row
 * has up to SPMV_LONG entries, the tile begins at the row's start instead. So a tile has up to
 * SPMV_LONG steps more than SPMV_STEPS.
 */
#include "spmv_cut.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void spmv_cut_count(struct spmv_cut *cut, enum spmv_items items)
{
    const int64_t steps = cut->rows + cut->starts[cut->rows];
    cut->rows_each = 0;
    cut->count = (steps + SPMV_STEPS - 1) / SPMV_STEPS;
    if (items == SPMV_BY_ROWS && cut->rows > 0) {
        cut->rows_each = (cut->rows * SPMV_STEPS + steps - 1) / steps;
        cut->count = (cut->rows + cut->rows_each - 1) / cut->rows_each;
    }
}

int64_t spmv_cut_blocks(const struct spmv_cut *cut)
{
    return (cut->count + SPMV_SPAN - 1) / SPMV_SPAN;
}

/* Returns the row that contains `step` of the path: the last one that begins there or before. */
static int64_t row_at(const struct spmv_cut *cut, int64_t step)
{
    /* Row `low` begins at `step` or before. Row `high` begins later, or is the end. */
    int64_t low = 0, high = cut->rows;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (middle + cut->starts[middle] <= step)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static spmv_tile_t tile_at(const struct spmv_cut *cut, int64_t tile)
{
    int64_t row = least(tile * cut->rows_each, cut->rows), begin = tile, entry;
    if (tile == cut->count)
        row = cut->rows;
    entry = cut->starts[row];
    if (!cut->rows_each && tile < cut->count) {
        row = row_at(cut, tile * SPMV_STEPS);
        entry = cut->starts[row];
        if (cut->starts[row + 1] - entry > SPMV_LONG) {
            const int64_t before = tile * SPMV_STEPS - row - entry;
            begin = before > 0 ? (row + entry) / SPMV_STEPS : tile;
            entry += before;
        }
    }
    return (spmv_tile_t){ .entry = entry, .row = (int32_t)row, .begin = (int32_t)begin };
}

void spmv_cut_begin(struct spmv_cut *cut, int64_t block)
{
    const int64_t last = least((block + 1) * SPMV_SPAN, cut->count);
    for (int64_t t = block * SPMV_SPAN; t < last; t++)
        cut->tiles[t] = tile_at(cut, t);
    if (last == cut->count)
        cut->tiles[last] = tile_at(cut, last);
}

static struct spmv_span joined(struct spmv_span a, struct spmv_span b)
{
    return (struct spmv_span){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

/* Measures the longest part of a row in a tile, and the tile's span of columns. A row's columns are
 * in order. */
static void measure(struct spmv_cut *cut, int64_t tile)
{
    const spmv_tile_t *here = &cut->tiles[tile], *next = here + 1;
    struct spmv_span span = { INT32_MAX, -1 };
    int64_t longest = 0, from = here->entry;
    for (int64_t row = here->row; row <= next->row && from < next->entry; row++) {
        const int64_t to = least(cut->starts[row + 1], next->entry);
        if (to > from) {
            span = joined(span, (struct spmv_span){ cut->column[from], cut->column[to - 1] });
            longest = to - from > longest ? to - from : longest;
        }
        from = to;
    }
    cut->tiles[tile].longest = (int32_t)longest;
    cut->spans[tile] = span;
}

int spmv_cut_measure(struct spmv_cut *cut, int64_t block)
{
    const int64_t last = least((block + 1) * SPMV_SPAN, cut->count);
    struct spmv_span span = { INT32_MAX, -1 };
    for (int64_t t = block * SPMV_SPAN; t < last; t++) {
        if (cut->tiles[t + 1].entry - cut->tiles[t].entry > INT32_MAX)
            return 0;
        measure(cut, t);
        span = joined(span, cut->spans[t]);
    }
    cut->blocks[block] = span;
    return 1;
}

yoke_rows spmv_entries(const void *context, yoke_rows tiles)
{
    const struct spmv_cut *cut = context;
    return (yoke_rows){ cut->tiles[tiles.first].entry, cut->tiles[tiles.last].entry };
}

/* Includes the row after the last, where the last row's end is stored. */
yoke_rows spmv_starts(const void *context, yoke_rows tiles)
{
    const struct spmv_cut *cut = context;
    return (yoke_rows){ cut->tiles[tiles.first].row, (int64_t)cut->tiles[tiles.last].row + 1 };
}

yoke_rows spmv_rows(const void *context, yoke_rows tiles)
{
    const struct spmv_cut *cut = context;
    return (yoke_rows){ cut->tiles[tiles.first].row, cut->tiles[tiles.last].row };
}

yoke_rows spmv_columns(const void *context, yoke_rows tiles)
{
    const struct spmv_cut *cut = context;
    struct spmv_span span = { INT32_MAX, -1 };
    int64_t t = tiles.first;
    while (t < tiles.last) {
        const int whole = t % SPMV_SPAN == 0 && t + SPMV_SPAN <= tiles.last;
        span = joined(span, whole ? cut->blocks[t / SPMV_SPAN] : cut->spans[t]);
        t += whole ? SPMV_SPAN : 1;
    }
    if (span.low > span.high)
        return (yoke_rows){ 0, 0 };
    return (yoke_rows){ span.low, (int64_t)span.high + 1 };
}

yoke_rows spmv_carries(const void *context, yoke_rows tiles)
{
    const struct spmv_cut *cut = context;
    return (yoke_rows){ cut->tiles[tiles.first].begin, tiles.last };
}
