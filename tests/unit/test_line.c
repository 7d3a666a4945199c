/* Tests of yoke/model.h: lines and splits for programs that measure times themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"

static void a_line_through_three(void **state)
{
    const yoke_sample samples[] = { { 1000, 3e-6 }, { 2000, 5e-6 }, { 3000, 7e-6 } };
    yoke_line line;
    (void)state;
    assert_int_equal(yoke_line_fit(samples, 3, &line), YOKE_OK);
    assert_float_equal(line.item_seconds * 1e9, 2, 1e-6);
    assert_float_equal(line.fixed_seconds * 1e9, 1000, 1e-3);
    assert_true(line.off < 1e-9 && isfinite(line.item_half));
    assert_int_equal(yoke_line_fit(samples, 0, &line), YOKE_OK);
    assert_float_equal(line.item_seconds, 0, 0);
}

static void what_is_no_sample(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    yoke_line line = { .item_seconds = 77 };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const yoke_sample items = { bad[i], 1 }, seconds = { 1, bad[i] };
        assert_int_equal(yoke_line_fit(&items, 1, &line), YOKE_EINVAL);
        assert_int_equal(yoke_line_fit(&seconds, 1, &line), YOKE_EINVAL);
    }
    assert_float_equal(line.item_seconds, 77, 0);
}

static void a_mean(void **state)
{
    const double values[] = { 100, 102, 101, 99, 103 };
    double half;
    (void)state;
    assert_float_equal(yoke_mean(values, 5, &half), 101, 1e-9);
    assert_float_equal(half, 2.776 * sqrt(2.5 / 5), 1e-3);
    assert_float_equal(yoke_mean(values, 1, &half), 100, 0);
    assert_true(isinf(half));
    const double one[] = { 100, 102, 150, 101 }, two[] = { 100, 102, 150, 152 };
    assert_float_equal(yoke_mean(one, 4, NULL), 101, 1e-9); /* one outlier, */
    assert_float_equal(yoke_mean(two, 4, NULL), 152, 1e-9); /* and two */
}

static void a_split(void **state)
{
    const yoke_line lines[] = { { .item_seconds = 1e-9 },
                                { .item_seconds = 1e-9, .fixed_seconds = 1 },
                                { .item_seconds = 3e-9, .fixed_seconds = 1e-6 } };
    int64_t parts[3];
    double seconds = 5;
    (void)state;
    assert_int_equal(yoke_line_split(lines, 3, 10000, parts, &seconds), YOKE_OK);
    assert_int_equal(parts[0] + parts[2], 10000);
    assert_int_equal(parts[1], 0);
    assert_float_equal(seconds * 1e6, 7.75, 0.01);
    assert_int_equal(yoke_line_split(lines, 1, 10, NULL, &seconds), YOKE_OK);
    seconds = 5;
    assert_int_equal(yoke_line_split(lines, 0, 10, NULL, &seconds), YOKE_EINVAL);
    for (int at = 1; at <= 2; at++) {
        yk_alloc_fail_at(at);
        assert_int_equal(yoke_line_split(lines, 3, 10, parts, &seconds), YOKE_ENOMEM);
        yk_alloc_fail_at(0);
    }
    assert_float_equal(seconds, 5, 0);
}

static void arguments_that_are_none(void **state)
{
    const yoke_sample sample = { 1, 1 };
    const double bad[] = { -1, NAN, INFINITY };
    yoke_line line = { .item_seconds = 1e-9 };
    int64_t part = 7;
    double seconds;
    (void)state;
    assert_int_equal(yoke_line_fit(&sample, -1, &line), YOKE_EINVAL);
    assert_int_equal(yoke_line_fit(NULL, 1, &line), YOKE_EINVAL);
    assert_int_equal(yoke_line_fit(&sample, 1, NULL), YOKE_EINVAL);
    assert_int_equal(yoke_line_split(&line, -1, 1, &part, &seconds), YOKE_EINVAL);
    assert_int_equal(yoke_line_split(&line, 1, -1, &part, &seconds), YOKE_EINVAL);
    assert_int_equal(yoke_line_split(NULL, 1, 1, &part, &seconds), YOKE_EINVAL);
    assert_int_equal(yoke_line_split(&line, 1, 1, &part, NULL), YOKE_EINVAL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const yoke_line item = { .item_seconds = bad[i] },
                        fixed = { .item_seconds = 1e-9, .fixed_seconds = bad[i] };
        assert_int_equal(yoke_line_split(&item, 1, 1, &part, &seconds), YOKE_EINVAL);
        assert_int_equal(yoke_line_split(&fixed, 1, 1, &part, &seconds), YOKE_EINVAL);
    }
    assert_int_equal(part, 7);
    assert_float_equal(yoke_mean(&seconds, 0, NULL), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_through_three),
        cmocka_unit_test(what_is_no_sample),
        cmocka_unit_test(a_mean),
        cmocka_unit_test(a_split),
        cmocka_unit_test(arguments_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
