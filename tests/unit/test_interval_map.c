/* test_interval_map.c - the interval map against a plain array of values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "array/interval_map.h"
#include "base/alloc.h"

enum { ROWS = 60, FIRST = -20, VALUES = 3, CHANGES = 20000, SEED = 20 };

static uint64_t values[ROWS];

static void assert_same(const struct yk_interval_map *map)
{
    int64_t row;
    int runs = 1;
    assert_true(yk_interval_map_check(map));
    for (row = FIRST; row < FIRST + ROWS; row++) {
        int run = yk_interval_map_find(map, row);
        assert_int_equal(map->items[run].value, values[row - FIRST]);
        assert_true(map->items[run].first <= row && row < yk_interval_map_last(map, run));
        runs += row > FIRST && values[row - FIRST] != values[row - FIRST - 1];
    }
    assert_int_equal(map->count, runs);
}

/* Half of the changes are assignments; the other half visit each run and invert its value. */
static void test_random_changes(void **state)
{
    struct yk_interval_map map;
    int64_t row;
    int change;
    (void)state;
    srand(SEED);
    assert_int_equal(
        yk_interval_map_open(&map, (struct yk_interval){ FIRST, FIRST + ROWS }, values[0]),
        YOKE_OK);
    for (change = 0; change < CHANGES; change++) {
        int64_t first = FIRST + rand() % ROWS, last = first + 1 + rand() % (FIRST + ROWS - first);
        struct yk_interval rows = { first, last };
        uint64_t value = (uint64_t)(rand() % VALUES);
        int turn = rand() % 2, from, to, run;
        assert_int_equal(yk_interval_map_reserve(&map, 2), YOKE_OK);
        for (row = first; row < last; row++)
            values[row - FIRST] = turn ? (values[row - FIRST] + value) % VALUES : value;
        if (turn) {
            from = yk_interval_map_split(&map, first);
            to = yk_interval_map_split(&map, last);
            assert_int_equal(yk_interval_map_spans(&map, rows), to - from);
            for (run = from; run < to; run++)
                map.items[run].value = (map.items[run].value + value) % VALUES;
            yk_interval_map_join(&map, from, to);
        } else {
            yk_interval_map_assign(&map, rows, value);
        }
        assert_same(&map);
    }
    yk_interval_map_close(&map);
}

static void test_no_rows(void **state)
{
    struct yk_interval_map map;
    (void)state;
    assert_int_equal(yk_interval_map_open(&map, (struct yk_interval){ 5, 5 }, 1), YOKE_OK);
    assert_int_equal(map.count, 0);
    assert_true(yk_interval_map_check(&map));
    yk_interval_map_close(&map);
}

/* Growing fails: the map is unchanged. */
static void test_no_memory(void **state)
{
    struct yk_interval_map map;
    int64_t held = yk_alloc_outstanding();
    const struct yk_run *items;
    (void)state;
    yk_alloc_fail_at(1);
    assert_int_equal(yk_interval_map_open(&map, (struct yk_interval){ 0, 9 }, 1), YOKE_ENOMEM);
    assert_int_equal(yk_interval_map_open(&map, (struct yk_interval){ 0, 9 }, 1), YOKE_OK);
    items = map.items;
    yk_alloc_fail_at(1);
    assert_int_equal(yk_interval_map_reserve(&map, map.capacity - map.count), YOKE_OK);
    assert_int_equal(yk_interval_map_reserve(&map, map.capacity), YOKE_ENOMEM);
    assert_ptr_equal(map.items, items);
    assert_true(yk_interval_map_check(&map));
    assert_int_equal(yk_interval_map_reserve(&map, 100), YOKE_OK);
    assert_true(map.capacity >= 101);
    assert_true(yk_interval_map_check(&map));
    yk_interval_map_close(&map);
    assert_int_equal(yk_alloc_outstanding(), held);
}

/* Two neighbours with one value, a gap at the beginning, an empty run: the check finds each. */
static void test_check_notices(void **state)
{
    struct yk_run runs[] = { { 0, 1 }, { 4, 2 } };
    struct yk_interval_map map = { .rows = { 0, 8 }, .items = runs, .count = 2, .capacity = 2 };
    (void)state;
    assert_true(yk_interval_map_check(&map));
    runs[1].value = 1;
    assert_false(yk_interval_map_check(&map));
    runs[1].value = 2;
    runs[1].first = 8;
    assert_false(yk_interval_map_check(&map));
    runs[1].first = 0;
    assert_false(yk_interval_map_check(&map));
    runs[1].first = 4;
    runs[0].first = 1;
    assert_false(yk_interval_map_check(&map));
    runs[0].first = 0;
    map.count = 0;
    assert_false(yk_interval_map_check(&map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_check_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
