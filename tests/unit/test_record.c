/* test_record.c - sizes as text, checksums, impossible values, and the merge of two lessons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lessons.h"

static void assert_text(struct yk_sizes sizes, const char *expected)
{
    char text[YK_SIZES_TEXT];
    struct yk_sizes back;
    yk_sizes_write(&sizes, text);
    assert_string_equal(text, expected);
    assert_int_equal(yk_sizes_read(text, &back), 1);
    assert_int_equal(back.count, sizes.count);
    assert_memory_equal(back.at, sizes.at, sizeof *sizes.at * (size_t)sizes.count);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_text((struct yk_sizes){ .count = 0 }, "");
    assert_text((struct yk_sizes){ 1, { 0 } }, "0");
    assert_text((struct yk_sizes){ 3, { 1, 1e6, 0x1p62 } }, "1 1000000 4611686018427387904");
    assert_text((struct yk_sizes){ 2, { 1.5, 1e300 } }, "x3ff8000000000000 x7e37e43c8800759c");
}

static void test_no_sizes(void **state)
{
    (void)state;
    static const char *const texts[] = { " 1",
                                         "1 ",
                                         "1  2",
                                         "-1",
                                         "1.5",
                                         "x3ff",
                                         "x3ff80000000000000",
                                         "12345678901234567890",
                                         "a",
                                         "x7ff8000000000000", /* NaN */
                                         "x",
                                         "1,2" };
    struct yk_sizes sizes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(yk_sizes_read(texts[i], &sizes), 0);
    char many[2 * YK_SIZES_MAX + 2];
    for (int i = 0; i < YK_SIZES_MAX + 1; i++)
        memcpy(many + 2 * i, "1 ", 2);
    many[2 * YK_SIZES_MAX + 1] = 0;
    assert_int_equal(yk_sizes_read(many, &sizes), 0);
    many[2 * YK_SIZES_MAX - 1] = 0;
    assert_int_equal(yk_sizes_read(many, &sizes), 1);
}

/* Every figure and every other field is in the checksum. */
static void test_checksum(void **state)
{
    (void)state;
    const struct yk_lesson lesson = lesson_of(1, 1);
    struct yk_lesson other = lesson;
    uint64_t checksum = yk_lesson_checksum(&lesson);
    assert_true(checksum == yk_lesson_checksum(&other));
    for (int i = 0; i < YK_FIGURES; i++) {
        other = lesson;
        yk_figure_set(&other.devices[1], i, yk_figure_get(&other.devices[1], i) == 0);
        assert_false(checksum == yk_lesson_checksum(&other));
    }
    other = lesson;
    other.confirmed++;
    assert_false(checksum == yk_lesson_checksum(&other));
    other = lesson;
    other.devices[1].name[0]++;
    assert_false(checksum == yk_lesson_checksum(&other));
    other = lesson;
    other.sizes.at[1]++;
    assert_false(checksum == yk_lesson_checksum(&other));
    other = lesson;
    other.device_count--;
    assert_false(checksum == yk_lesson_checksum(&other));
    other = lesson;
    other.devices[0].rate = 0;
    checksum = yk_lesson_checksum(&other);
    other.devices[0].rate = -0.0; /* as SQLite may return it */
    assert_true(checksum == yk_lesson_checksum(&other));
}

static void test_distance(void **state)
{
    (void)state;
    struct yk_sizes a = { 2, { 100, 100 } }, b = { 2, { 200, 100 } }, c = { 2, { 400, 100 } };
    assert_true(yk_sizes_distance(&a, &a) == 0);
    assert_true(yk_sizes_distance(&a, &b) < yk_sizes_distance(&a, &c));
    assert_true(fabs(yk_sizes_distance(&a, &b) - log(2)) < 0.01);
    c.count = 1;
    assert_true(isinf(yk_sizes_distance(&a, &c)));
    b.at[0] = 0;
    assert_true(yk_sizes_distance(&a, &b) < INFINITY);
}

static void test_merge(void **state)
{
    (void)state;
    struct yk_lesson kept = lesson_of(1, 1), fresh = lesson_of(2, 1);
    kept.confirmed = 4;
    fresh.confirmed = 3;
    yk_lesson_merge(&kept, &fresh); /* a later one */
    assert_true(kept.ns == fresh.ns);
    assert_int_equal(kept.confirmed, 7);
    fresh = lesson_of(0, 1); /* an earlier one */
    yk_lesson_merge(&kept, &fresh);
    assert_true(kept.ns == lesson_of(2, 1).ns);
    assert_int_equal(kept.confirmed, 8);
    fresh = lesson_of(9, 1);
    fresh.origin = YK_ORIGIN_DERIVED;
    yk_lesson_merge(&kept, &fresh); /* measured has precedence over derived */
    assert_int_equal(kept.origin, YK_ORIGIN_TRAINED);
    kept.origin = YK_ORIGIN_DERIVED;
    yk_lesson_merge(&kept, &fresh);
    assert_true(kept.ns == fresh.ns);
    kept.confirmed = INT64_MAX;
    yk_lesson_merge(&kept, &fresh);
    assert_int_equal(kept.confirmed, INT64_MAX);
}

static void test_wrong(void **state)
{
    (void)state;
    struct yk_lesson lesson = lesson_of(1, 1);
    assert_null(yk_lesson_wrong(&lesson));
    lesson.seen = -1;
    assert_non_null(yk_lesson_wrong(&lesson));
    lesson = lesson_of(1, 1);
    lesson.team = 1u << lesson.device_count;
    assert_non_null(yk_lesson_wrong(&lesson));
    lesson = lesson_of(1, 1);
    lesson.devices[1].steady = 2;
    assert_non_null(yk_lesson_wrong(&lesson));
    lesson = lesson_of(1, 1);
    lesson.devices[1].share = -1;
    assert_null(yk_lesson_wrong(&lesson));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_no_sizes),
        cmocka_unit_test(test_checksum), cmocka_unit_test(test_distance),
        cmocka_unit_test(test_merge),    cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
