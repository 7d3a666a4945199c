/* test_launch_space.c - a chunk cut into launches: each index is in exactly one launch, and no
 * launch exceeds the limit. */
#include "backend/launch_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 7 };

static void mark(const struct yk_space *part, const int64_t most[3], unsigned char *seen)
{
    for (int d = 0; d < 3; d++)
        assert_in_range(part->along[d].last - part->along[d].first, 1, most[d]);
    for (int64_t i = part->along[0].first; i < part->along[0].last; i++)
        for (int64_t j = part->along[1].first; j < part->along[1].last; j++)
            for (int64_t k = part->along[2].first; k < part->along[2].last; k++)
                seen[(i * SIDE + j) * SIDE + k]++;
}

static void every_index_once(void **state)
{
    (void)state;
    const struct yk_launch launch = { .first = 2, .last = SIDE, .extent = { SIDE - 1, SIDE } };
    const struct yk_space all = yk_space_of(&launch);
    for (int64_t n = 0; n < 512; n++) {
        const int64_t most[3] = { n % 8 + 1, n / 8 % 8 + 1, n / 64 + 1 };
        unsigned char seen[SIDE * SIDE * SIDE] = { 0 };
        struct yk_space part;
        yk_space_begin(&all, most, &part);
        do
            mark(&part, most, seen);
        while (yk_space_next(&all, most, &part));
        for (int e = 0; e < SIDE * SIDE * SIDE; e++)
            assert_int_equal(seen[e], e / SIDE / SIDE >= 2 && e / SIDE % SIDE < SIDE - 1);
    }
}

/* The form that hand-written functions and entries take. */
static void by_hand(void **state)
{
    (void)state;
    const struct yk_launch launch = {
        .first = 2, .last = 5, .extent = { 10, 20 }, .second = { 3, 4 }, .lane = 6, .team = 7
    };
    const yoke_chunk chunk = yk_chunk_of(&launch);
    const int64_t expected[YK_RANGE_ARGS_MOST] = { 2, 5, 10, 20, 3, 4, 0, 20 };
    int64_t args[YK_RANGE_ARGS_MOST];
    assert_int_equal(yk_range_args(&launch, 1, args), 4);
    assert_memory_equal(args, expected, 4 * sizeof *args);
    assert_int_equal(yk_range_args(&launch, 2, args), YK_RANGE_ARGS_MOST);
    assert_memory_equal(args, expected, sizeof expected);
    assert_true(chunk.first == 2 && chunk.last == 5 && chunk.extent[0] == 10 &&
                chunk.extent[1] == 20 && chunk.lane == 6 && chunk.team == 7);
    assert_true(chunk.second.first == 3 && chunk.second.last == 4 && chunk.third.first == 0 &&
                chunk.third.last == 20);
}

/* A rehearsal's launch has no indexes, and is one launch. */
static void empty_has_one_part(void **state)
{
    (void)state;
    const struct yk_launch launch = { .first = 5, .last = 5, .extent = { 1, 1 } };
    const struct yk_space all = yk_space_of(&launch);
    const int64_t most[3] = { 1, 1, 1 };
    struct yk_space part;
    yk_space_begin(&all, most, &part);
    assert_memory_equal(&part, &all, sizeof all);
    assert_false(yk_space_next(&all, most, &part));
}

/* Bounds near the ends of 64 bits do not overflow. */
static void far_out(void **state)
{
    (void)state;
    const struct yk_launch launch = { .first = -((int64_t)3 << 31),
                                      .last = ((int64_t)3 << 31) + 1,
                                      .extent = { 1, 1 } };
    const struct yk_space all = yk_space_of(&launch);
    const int64_t most[3] = { (int64_t)1 << 31, INT64_MAX, INT64_MAX };
    struct yk_space part;
    int64_t count = 0, indexes = 0;
    yk_space_begin(&all, most, &part);
    do {
        count++;
        indexes += part.along[0].last - part.along[0].first;
    } while (yk_space_next(&all, most, &part));
    assert_int_equal(count, 7);
    assert_int_equal(indexes, launch.last - launch.first);
}

static void expect_block(int64_t wide, int64_t high, int budget, struct yk_block expected)
{
    const struct yk_launch launch = { .last = high, .extent = { wide, 1 } };
    const struct yk_space all = yk_space_of(&launch);
    const struct yk_block block = yk_space_block(&all, 1, budget);
    assert_memory_equal(&block, &expected, sizeof block);
}

static void expect_deep_block(int64_t deep, int64_t high, int64_t wide, struct yk_block expected)
{
    const struct yk_launch launch = { .last = deep, .extent = { high, wide } };
    const struct yk_space all = yk_space_of(&launch);
    const struct yk_block block = yk_space_block(&all, 2, 256);
    assert_memory_equal(&block, &expected, sizeof block);
}

static void blocks(void **state)
{
    (void)state;
    expect_block(512, 512, 256, (struct yk_block){ 64, 4, 1 });
    expect_block(645, 645, 256,
                 (struct yk_block){ 32, 8, 1 }); /* 672 x 648 threads, not 704 x 648 */
    expect_block(40, 1, 256, (struct yk_block){ 40, 1, 1 });
    expect_block(3, 1000, 256, (struct yk_block){ 3, 85, 1 });
    expect_block(1000, 1000, 32, (struct yk_block){ 32, 1, 1 });
    expect_block(0, 0, 256, (struct yk_block){ 1, 1, 1 });
    expect_block((int64_t)1 << 40, (int64_t)1 << 40, 256, (struct yk_block){ 64, 4, 1 });
    expect_deep_block(1000000, 3, 3, (struct yk_block){ 3, 3, 28 });
    expect_deep_block(100, 3, 100000, (struct yk_block){ 32, 3, 2 });
    expect_deep_block(512, 512, 512, (struct yk_block){ 64, 4, 1 });
    expect_deep_block(1000000, 1, 1, (struct yk_block){ 1, 1, 64 });
    expect_deep_block(0, 0, 0, (struct yk_block){ 1, 1, 1 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_once),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(empty_has_one_part),
        cmocka_unit_test(far_out),
        cmocka_unit_test(blocks),
    };
    return cmocka_run_group_tests_name("launch_space", tests, NULL, NULL);
}
