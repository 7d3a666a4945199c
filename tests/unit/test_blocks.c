/* test_blocks.c - how ranges are cut for reductions: whole units, few enough to fold, enough to
 * distribute, whatever the sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "job/blocks.h"
#include <cmocka.h>

static yoke_blocks cut(int dimensions, int64_t n, int64_t wide, int64_t deep, int64_t unit)
{
    return yk_blocks_cut(&(struct yk_blocks_spec){ .first = 5,
                                                   .last = 5 + n,
                                                   .length = { wide, deep },
                                                   .dimensions = dimensions,
                                                   .unit = unit,
                                                   .lanes = 1 });
}

static int64_t count(const yoke_blocks *blocks, int64_t n)
{
    return yk_blocks_of(blocks, (yoke_rows){ 5, 5 + n }).last;
}

static void many_and_few(void **state)
{
    static const int64_t units[] = { 1, 3, 32, 4096 };
    (void)state;
    for (int64_t n = 1; n < (int64_t)1 << 40; n += n / 3 + 1)
        for (int u = 0; u < 4; u++) {
            const yoke_blocks blocks = cut(1, n, 1, 1, units[u]);
            const int64_t indexes = (n + units[u] - 1) / units[u];
            assert_int_equal(blocks.size % units[u], 0);
            assert_int_equal(blocks.parts, 1);
            assert_true(blocks.size / units[u] <= 1 << 30);
            assert_true(count(&blocks, n) <= 16384);
            assert_true(count(&blocks, n) >= (indexes < 128 ? indexes : 128));
        }
}

static void parts_cover_the_second_dimension(void **state)
{
    static const int64_t sizes[] = { 1, 2, 63, 64, 65, 1000, 70000, ((int64_t)1 << 31) + 1 };
    (void)state;
    for (int d = 2; d <= 3; d++)
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                for (int c = 0; c < 8; c += d == 2 ? 8 : 1) {
                    const int64_t n = sizes[a], wide = sizes[b], deep = sizes[c];
                    const yoke_blocks blocks = cut(d, n, wide, deep, 1);
                    assert_true(blocks.parts >= 1 && blocks.width >= 1);
                    assert_true(blocks.parts * blocks.width >= wide);
                    assert_true((blocks.parts - 1) * blocks.width < wide);
                    assert_true(count(&blocks, n) * blocks.parts <= 16384);
                    assert_true(d == 3 || blocks.width % 64 == 0);
                }
    assert_true(cut(2, 2, 1 << 24, 1, 1).parts > 100); /* otherwise a GPU would have two groups */
    assert_int_equal(cut(2, 2000, 1 << 20, 1, 1).parts, 8);
    assert_int_equal(cut(2, 1000, 500, 1, 1).parts, 1); /* parts would be too small */
    /* about as many items as with one dimension */
    assert_int_equal(cut(2, 1000000, 16, 1, 1).size, 64);
    assert_int_equal(cut(3, 100000, 32, 4, 1).size, 8);
    assert_int_equal(cut(1, 1000000, 1, 1, 1).size, 1024);
}

/* A group does as much for a unit as its lanes do for as many indexes. */
static void units_of_groups(void **state)
{
    struct yk_blocks_spec spec = {
        .last = 100000, .length = { 1, 1 }, .dimensions = 1, .unit = 1, .lanes = 32
    };
    (void)state;
    assert_int_equal(yk_blocks_cut(&spec).size, 32);
    spec.unit = 32; /* a tile */
    assert_int_equal(yk_blocks_cut(&spec).size, 16 * 32);
    spec.last = 10000000;
    assert_int_equal(yk_blocks_cut(&spec).size, 32 * 32);
    spec.lanes = 1024;
    spec.unit = 1;
    spec.last = 1000;
    assert_int_equal(yk_blocks_cut(&spec).size, 1);
}

static void blocks_of_indexes(void **state)
{
    const yoke_blocks blocks = { .first = 5, .size = 10, .parts = 1, .width = 1 };
    static const int64_t cases[][4] = { { 5, 15, 0, 1 },  { 5, 16, 0, 2 },  { 15, 25, 1, 2 },
                                        { 25, 26, 2, 3 }, { 25, 25, 0, 0 }, { 14, 16, 0, 2 } };
    (void)state;
    for (int k = 0; k < 6; k++) {
        const yoke_rows rows = yk_blocks_of(&blocks, (yoke_rows){ cases[k][0], cases[k][1] });
        assert_int_equal(rows.first, cases[k][2]);
        assert_int_equal(rows.last, cases[k][3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_and_few),
                                        cmocka_unit_test(parts_cover_the_second_dimension),
                                        cmocka_unit_test(units_of_groups),
                                        cmocka_unit_test(blocks_of_indexes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
