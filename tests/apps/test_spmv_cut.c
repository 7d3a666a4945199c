/* test_spmv_cut.c - tiles of random matrices, against their specification: they are consecutive,
 * fit a group, and cut only long rows; and the elements that a range of tiles touches, against all
 * their entries one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "spmv/spmv_cut.h"

enum { ROWS_MOST = 4000, COLUMNS = 5000, ROUNDS = 60 };

struct matrix {
    int64_t rows, starts[ROWS_MOST + 1];
    int32_t *column;
    struct spmv_cut cut;
};

static int64_t drawn(uint64_t seed, uint64_t index, int64_t below)
{
    return (int64_t)(random_bits(seed, index) % (uint64_t)below);
}

/* A matrix for a round: mostly short rows, some of the largest length; columns in order. */
static void make(struct matrix *m, uint64_t round)
{
    const int64_t usual = 1 + drawn(round, 0, 60), seldom = 1 + drawn(round, 1, 400);
    m->rows = 1 + drawn(round, 2, ROWS_MOST);
    m->starts[0] = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        const int is_long = drawn(round + 1000, (uint64_t)i, seldom) == 0;
        m->starts[i + 1] =
            m->starts[i] + drawn(round + 2000, (uint64_t)i, is_long ? COLUMNS : usual);
    }
    m->column = malloc((size_t)(m->starts[m->rows] + 1) * sizeof *m->column);
    assert_non_null(m->column);
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t from = m->starts[i], length = m->starts[i + 1] - from;
        for (int64_t k = 0; k < length; k++)
            m->column[from + k] = (int32_t)((k * COLUMNS + drawn(round, 9, COLUMNS)) / length);
    }
}

static void cut(struct matrix *m, enum spmv_items items)
{
    m->cut = (struct spmv_cut){ .starts = m->starts, .column = m->column, .rows = m->rows };
    spmv_cut_count(&m->cut, items);
    m->cut.tiles = malloc((size_t)(m->cut.count + 1) * sizeof *m->cut.tiles);
    m->cut.spans = malloc((size_t)(m->cut.count + 1) * sizeof *m->cut.spans);
    m->cut.blocks = malloc((size_t)(spmv_cut_blocks(&m->cut) + 1) * sizeof *m->cut.blocks);
    assert_true(m->cut.tiles && m->cut.spans && m->cut.blocks);
    for (int64_t b = spmv_cut_blocks(&m->cut); b-- > 0;) /* any order */
        spmv_cut_begin(&m->cut, b);
    for (int64_t b = spmv_cut_blocks(&m->cut); b-- > 0;)
        assert_true(spmv_cut_measure(&m->cut, b));
}

static void uncut(struct matrix *m)
{
    free(m->cut.tiles);
    free(m->cut.spans);
    free(m->cut.blocks);
}

static void check_tile(const struct matrix *m, int64_t t)
{
    const spmv_tile_t *here = &m->cut.tiles[t], *next = here + 1;
    const int64_t entries = next->entry - here->entry, rows = next->row - here->row;
    assert_true(entries >= 0 && rows >= 0 && entries + rows > 0);
    assert_true(here->entry >= m->starts[here->row]);
    assert_true(here->entry <= m->starts[here->row + 1]);
    if (here->entry > m->starts[here->row]) {
        const spmv_tile_t *begin = &m->cut.tiles[here->begin];
        assert_true(m->starts[here->row + 1] - m->starts[here->row] > SPMV_LONG);
        assert_true(here->begin < t && !m->cut.rows_each);
        assert_true(begin->entry <= m->starts[here->row] && begin[1].entry > m->starts[here->row]);
    } else {
        assert_int_equal(here->begin, t);
    }
    if (!m->cut.rows_each)
        assert_true(entries <= SPMV_PRODUCTS && entries + rows <= SPMV_PRODUCTS);
    else
        assert_true(rows <= m->cut.rows_each);
}

static void tiles_are_what_is_said(void **unused)
{
    (void)unused;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static struct matrix m;
        make(&m, round);
        for (int items = SPMV_BY_WORK; items <= SPMV_BY_ROWS; items++) {
            cut(&m, (enum spmv_items)items);
            assert_int_equal(m.cut.tiles[0].entry, 0);
            assert_int_equal(m.cut.tiles[0].row, 0);
            assert_int_equal(m.cut.tiles[m.cut.count].row, m.rows);
            assert_int_equal(m.cut.tiles[m.cut.count].entry, m.starts[m.rows]);
            for (int64_t t = 0; t < m.cut.count; t++)
                check_tile(&m, t);
            uncut(&m);
        }
        free(m.column);
    }
}

/* Compares with what the kernels read and write for tiles first .. last - 1, one by one. */
static void check_range(const struct matrix *m, yoke_rows tiles)
{
    const struct spmv_cut *c = &m->cut;
    const yoke_rows entries = spmv_entries(c, tiles), starts = spmv_starts(c, tiles),
                    rows = spmv_rows(c, tiles), columns = spmv_columns(c, tiles),
                    carries = spmv_carries(c, tiles);
    int64_t low = INT64_MAX, high = -1, begin = tiles.first;
    assert_int_equal(entries.first, c->tiles[tiles.first].entry);
    assert_int_equal(entries.last, c->tiles[tiles.last].entry);
    for (int64_t k = entries.first; k < entries.last; k++) {
        low = m->column[k] < low ? m->column[k] : low;
        high = m->column[k] > high ? m->column[k] : high;
    }
    assert_int_equal(columns.first, high < 0 ? 0 : low);
    assert_int_equal(columns.last, high + 1);
    for (int64_t t = tiles.first; t < tiles.last; t++)
        begin = c->tiles[t].begin < begin ? c->tiles[t].begin : begin;
    assert_true(carries.first <= begin && carries.last == tiles.last);
    assert_int_equal(rows.first, c->tiles[tiles.first].row);
    assert_int_equal(rows.last, c->tiles[tiles.last].row);
    assert_true(starts.first <= rows.first && starts.last >= rows.last + 1);
    assert_true(starts.last <= m->rows + 1);
}

static void ranges_touch_what_they_name(void **unused)
{
    (void)unused;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static struct matrix m;
        make(&m, round);
        cut(&m, round % 4 ? SPMV_BY_WORK : SPMV_BY_ROWS);
        for (uint64_t k = 0; k < 30; k++) {
            const int64_t first = drawn(round, 10 + k, m.cut.count);
            const int64_t more = drawn(round, 50 + k, m.cut.count - first);
            check_range(&m, (yoke_rows){ first, first + 1 + more });
        }
        check_range(&m, (yoke_rows){ 0, m.cut.count });
        uncut(&m);
        free(m.column);
    }
}

/* A span is stored for many tiles together: a matrix with enough tiles for that, and a column that
 * only one of them has. */
static void spans_of_many_tiles(void **unused)
{
    enum { ROWS = 600000 };
    static int64_t starts[ROWS + 1];
    static int32_t column[ROWS];
    struct spmv_cut c = { .starts = starts, .column = column, .rows = ROWS };
    struct matrix m = { .cut = c };
    (void)unused;
    for (int64_t i = 0; i < ROWS; i++) {
        starts[i + 1] = i + 1;
        column[i] = i == ROWS / 2 ? 7 : 1000;
    }
    spmv_cut_count(&c, SPMV_BY_WORK);
    assert_true(spmv_cut_blocks(&c) >= 3);
    m.cut = c;
    m.cut.tiles = calloc((size_t)c.count + 1, sizeof *c.tiles);
    m.cut.spans = calloc((size_t)c.count, sizeof *c.spans);
    m.cut.blocks = calloc((size_t)spmv_cut_blocks(&c), sizeof *c.blocks);
    assert_true(m.cut.tiles && m.cut.spans && m.cut.blocks);
    for (int64_t b = 0; b < spmv_cut_blocks(&c); b++)
        spmv_cut_begin(&m.cut, b);
    for (int64_t b = 0; b < spmv_cut_blocks(&c); b++)
        assert_true(spmv_cut_measure(&m.cut, b));
    for (int64_t first = 0; first < c.count; first += 37) {
        const yoke_rows tiles = { first, c.count }, found = spmv_columns(&m.cut, tiles);
        const int has = m.cut.tiles[first].entry <= ROWS / 2;
        assert_int_equal(found.first, has ? 7 : 1000);
        assert_int_equal(found.last, 1001);
    }
    uncut(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_what_is_said),
        cmocka_unit_test(ranges_touch_what_they_name),
        cmocka_unit_test(spans_of_many_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
