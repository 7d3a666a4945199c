/* Tests of fits to samples of a device's time: means, lines, curves, sets of devices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/fit.h"

static uint64_t seed = 362436069;
static double noise(double part)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return 1 + part * (2 * (double)(seed >> 11) / 9007199254740992.0 - 1);
}

static void add(struct yk_fit *fit, double items, double ns)
{
    assert_int_equal(
        yk_fit_add(fit, &(struct yk_fit_sample){ .items = items, .ns = ns, .team = 1 }), 1);
}

static struct yk_fitted line(const struct yk_fit *fit)
{
    struct yk_fitted out;
    yk_fit_line(fit, &(struct yk_fit_asked){ .team = 1 }, &out);
    return out;
}

static void check_near(double value, double expected, double part, int at)
{
    if (!(fabs(value - expected) <= part * fabs(expected)))
        fail_msg("line %d: %.9g, expected %.9g", at, value, expected);
}
#define assert_near(value, expected, part) check_near(value, expected, part, __LINE__)

static void mean_and_interval(void **state)
{
    struct yk_mean mean = { 0 };
    const double values[] = { 100, 102, 101, 99, 103 };
    (void)state;
    yk_mean_add(&mean, values[0], 1);
    assert_true(isinf(yk_mean_half(&mean)));
    for (int i = 1; i < 5; i++)
        yk_mean_add(&mean, values[i], 1);
    assert_near(mean.mean, 101, 1e-12);
    assert_near(yk_mean_spread(&mean), sqrt(2.5), 1e-12);
    assert_near(yk_mean_half(&mean), 2.776 * sqrt(2.5 / 5), 1e-6);
    assert_near(yk_student_95(60), 2.0003, 1e-3);
    assert_near(yk_student_95(1e9), 1.95996, 1e-4);
    assert_true(isinf(yk_student_95(0.5)));
}

static void outlier_is_doubted_and_change_believed(void **state)
{
    struct yk_mean mean = { 0 };
    (void)state;
    for (int i = 0; i < 5; i++)
        yk_mean_add(&mean, 100 + i % 2, 0.8);
    yk_mean_add(&mean, 300, 0.8); /* an outlier: a page fault */
    assert_near(mean.mean, 100.5, 0.01);
    yk_mean_add(&mean, 100, 0.8);
    yk_mean_add(&mean, 300, 0.8);
    assert_near(mean.mean, 100.5, 0.01);
    yk_mean_add(&mean, 305, 0.8); /* again: the time has changed */
    assert_near(mean.mean, 305, 0.03);
    mean = (struct yk_mean){ 0 };
    yk_mean_add(&mean, 300, 0.8); /* the first sample was the outlier */
    yk_mean_add(&mean, 100, 0.8);
    assert_near(mean.mean, 100, 1e-12);
}

static void two_samples(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    (void)state;
    assert_float_equal(line(&fit).line.item_ns, 0, 0);
    add(&fit, 1000, 2500);
    add(&fit, 3000, 6500);
    found = line(&fit);
    assert_near(found.line.item_ns, 2, 1e-9);
    assert_near(found.line.fixed_ns, 500, 1e-9);
    assert_int_equal(found.sizes, 2);
    assert_true(isinf(found.item_half));
}

static void least_squares_and_interval(void **state)
{
    int inside = 0;
    const int rounds = 500;
    (void)state;
    for (int round = 0; round < rounds; round++) {
        struct yk_fit fit = { 0 };
        struct yk_fitted found;
        for (int i = 1; i <= 10; i++)
            add(&fit, 1000.0 * i, (3 * 1000.0 * i + 4000) * noise(0.01));
        found = line(&fit);
        assert_near(yk_line_ns(&found.line, 5500), 3 * 5500 + 4000, 0.02);
        inside += fabs(found.line.item_ns - 3) <= found.item_half;
        assert_int_equal(found.curve.count, 0);
    }
    print_message("%d of %d slopes within their interval\n", inside, rounds);
    assert_true(inside >= 0.85 * rounds);
}

static void newer_samples_weigh_more(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    (void)state;
    for (int i = 0; i < 8; i++)
        add(&fit, 1000, 1000);
    for (int i = 0; i < 8; i++)
        add(&fit, 1000, 1100);
    found = line(&fit);
    assert_near(found.line.item_ns, 1.1, 0.02);
}

static void one_outlier_among_sizes(void **state)
{
    (void)state;
    for (int wrong = 1; wrong <= 5; wrong++) {
        struct yk_fit fit = { 0 };
        for (int i = 1; i <= 5; i++)
            add(&fit, 1000 * i, (2.0 * 1000 * i + 700) * (i == wrong ? 5 : noise(0.003)));
        struct yk_fitted found = line(&fit);
        assert_near(yk_line_ns(&found.line, 3000), 6700, 0.03);
        assert_near(found.line.item_ns, 2, 0.05);
        assert_int_equal(found.curve.count, 0);
    }
}

static void what_is_no_sample_is_refused(void **state)
{
    struct yk_fit fit = { 0 };
    const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(yk_fit_add(&fit, &(struct yk_fit_sample){ .items = bad[i], .ns = 1 }), 0);
        assert_int_equal(yk_fit_add(&fit, &(struct yk_fit_sample){ .items = 1, .ns = bad[i] }), 0);
    }
    assert_int_equal(fit.count, 0);
    assert_int_equal(
        yk_fit_add(&fit,
                   &(struct yk_fit_sample){ .items = 5, .ns = 10, .item_ns = NAN, .team = 1 }),
        1);
    assert_near(line(&fit).line.item_ns, 2, 1e-12);
}

static void negative_slope_and_negative_cost(void **state)
{
    struct yk_fit falling = { 0 }, steep = { 0 };
    struct yk_fitted found;
    (void)state;
    add(&falling, 1000, 5000);
    add(&falling, 2000, 4000);
    add(&falling, 3000, 3000);
    found = line(&falling);
    assert_true(found.line.item_ns > 0 && found.line.fixed_ns >= 0);
    add(&steep, 1000, 1000);
    add(&steep, 2000, 4000);
    found = line(&steep);
    assert_true(found.line.item_ns > 0);
    assert_float_equal(found.line.fixed_ns, 0, 0);
}

static void equal_sizes(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    (void)state;
    for (int i = 0; i < 4; i++)
        add(&fit, 1000, 3000);
    yk_fit_line(&fit, &(struct yk_fit_asked){ .team = 1, .fixed_ns = 1000 }, &found);
    assert_near(found.line.fixed_ns, 1000, 1e-9);
    assert_near(found.line.item_ns, 2, 1e-9);
    yk_fit_line(&fit, &(struct yk_fit_asked){ .team = 1, .fixed_ns = 1e9 }, &found);
    assert_near(found.line.fixed_ns, 1500, 1e-9);
    assert_near(found.line.item_ns, 1.5, 1e-9);
    yk_fit_line(&fit, &(struct yk_fit_asked){ .team = 1, .fixed_ns = NAN }, &found);
    assert_near(found.line.item_ns, 3, 1e-9);
}

/* One job is enough if its chunks showed the slope. */
static void slope_of_chunks(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    (void)state;
    yk_fit_add(&fit, &(struct yk_fit_sample){ .items = 1000, .ns = 3000, .item_ns = 2, .team = 1 });
    found = line(&fit);
    assert_near(found.line.item_ns, 2, 1e-9);
    assert_near(found.line.fixed_ns, 1000, 1e-9);
    /* slightly smaller, with noise: that says nothing about the slope */
    yk_fit_add(&fit, &(struct yk_fit_sample){ .items = 985, .ns = 3000, .item_ns = 2, .team = 1 });
    found = line(&fit);
    assert_near(found.line.item_ns, 2, 0.15);
    /* half the size does */
    yk_fit_add(&fit, &(struct yk_fit_sample){ .items = 500, .ns = 1800, .item_ns = 2, .team = 1 });
    found = line(&fit);
    assert_near(found.line.item_ns, 2.4, 0.03);
    assert_near(yk_line_ns(&found.line, 1000), 3000, 0.02);
    /* more than the whole job took */
    fit = (struct yk_fit){ 0 };
    yk_fit_add(&fit, &(struct yk_fit_sample){ .items = 1000, .ns = 3000, .item_ns = 4, .team = 1 });
    found = line(&fit);
    assert_near(found.line.item_ns, 3, 1e-9);
    assert_float_equal(found.line.fixed_ns, 0, 0);
}

/* Parts that hardly differ in size, of jobs that differ by much more: the slope of those samples is
 * not the device's. */
static void noise_is_no_slope(void **state)
{
    int round, i;
    (void)state;
    for (round = 0; round < 20; round++) {
        struct yk_fit fit = { 0 };
        for (i = 0; i < 20; i++) {
            const double items = 1000 * noise(0.03);
            const double ns = (2 * items + 200) * noise(0.07);
            yk_fit_add(&fit,
                       &(struct yk_fit_sample){
                           .items = items, .ns = ns, .item_ns = (ns - 180) / items, .team = 1 });
        }
        assert_near(line(&fit).line.item_ns, 2, 0.2);
    }
}

static void add_beside(struct yk_fit *fit, double items, double ns, uint32_t team)
{
    yk_fit_add(fit, &(struct yk_fit_sample){ .items = items, .ns = ns, .team = team });
}

/* Clocks rise: after a few samples, parts that were measured before the change get their new times,
 * and their slope stays. */
static void a_machine_that_changes(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    double times = 1;
    int change, i;
    (void)state;
    for (i = 0; i < 12; i++)
        add(&fit, 1000 + 20 * i, 2 * (1000 + 20 * i) + 200);
    for (change = 0; change < 4; change++) {
        times = change % 2 ? 1 : 0.6;
        for (i = 0; i < 6; i++)
            add(&fit, 1100 + 7 * i, times * (2 * (1100 + 7 * i) + 200));
        found = line(&fit);
        assert_near(yk_line_ns(&found.line, 1000), times * 2200, 0.06);
        assert_near(yk_line_ns(&found.line, 1220), times * 2640, 0.06);
    }
}

/* One late sample, one early sample, and samples of other sets change nothing. */
static void what_is_no_change(void **state)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    int i;
    (void)state;
    for (i = 0; i < 12; i++)
        add(&fit, 1000 + 20 * i, 2 * (1000 + 20 * i) + 200);
    for (i = 0; i < 6; i++) {
        const double times = i % 2 ? 1.1 : 0.9;
        add(&fit, 1110 + 20 * i, times * (2 * (1110 + 20 * i) + 200));
        add_beside(&fit, 1110 + 20 * i, 3 * (1110 + 20 * i), 3);
    }
    found = line(&fit);
    assert_near(yk_line_ns(&found.line, 1010), 2220, 0.04);
}

/* --- curves --- */

static double cache_step(double items)
{
    return items <= 4000 ? 1000 + items : 5000 + 3 * (items - 4000);
}
static double staircase(double items)
{
    return 1000 * ceil(items / 3000);
}
static double memory_limit(double items)
{
    return items <= 6000 ? 500 + items : 500 + items + 20000;
}

static void check_curve(double time(double), double part)
{
    struct yk_fit fit = { 0 };
    struct yk_fitted found;
    double before = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 1; i <= 10; i++)
            add(&fit, 1000 * i, time(1000 * i) * noise(0.005));
    found = line(&fit);
    assert_true(found.curve.count >= 2);
    for (int i = 1; i <= 10; i++)
        assert_near(yk_curve_ns(&found.curve, 1000 * i), time(1000 * i), part);
    for (double items = 100; items <= 20000; items += 100) {
        double ns = yk_curve_ns(&found.curve, items), item;
        assert_true(ns >= before);
        assert_true(yk_curve_items(&found.curve, ns * (1 + 1e-12), &item) >= items * (1 - 1e-9));
        before = ns;
    }
}

static void curves(void **state)
{
    (void)state;
    check_curve(cache_step, 0.03);
    check_curve(staircase, 0.03);
    check_curve(memory_limit, 0.03);
}

static void noise_is_no_curve(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct yk_fit fit = { 0 };
        for (int i = 1; i <= 30; i++)
            add(&fit, 1000 * (1 + i % 10), (1000.0 * (1 + i % 10) + 2000) * noise(0.05));
        assert_int_equal(line(&fit).curve.count, 0);
    }
}

/* --- sets of devices --- */

static struct yk_fitted line_beside(const struct yk_fit *fit, uint32_t team)
{
    struct yk_fitted out;
    yk_fit_line(fit, &(struct yk_fit_asked){ .team = team, .self = 1 }, &out);
    return out;
}

static void a_set_has_its_own_line(void **state)
{
    struct yk_fit fit = { 0 };
    (void)state;
    add_beside(&fit, 1000, 1000, 1);
    assert_int_equal(yk_fit_knows_sets(&fit), 0);
    add_beside(&fit, 1000, 1400, 1 | 2 | 4);
    assert_int_equal(yk_fit_knows_sets(&fit), 1);
    assert_near(line_beside(&fit, 1).line.item_ns, 1, 1e-9);
    assert_near(line_beside(&fit, 1 | 2 | 4).line.item_ns, 1.4, 1e-9);
    /* of two equally near sets, the later one: 20 % for each other device */
    assert_near(line_beside(&fit, 1 | 2).line.item_ns, 1.2, 1e-9);
    assert_near(line_beside(&fit, 1 | 2 | 4 | 8).line.item_ns, 1.6, 1e-9);
    assert_int_equal(line_beside(&fit, 1 | 2 | 4 | 8).team, 1 | 2 | 4);
}

static void nothing_known_of_slowdown(void **state)
{
    struct yk_fit fit = { 0 };
    (void)state;
    add_beside(&fit, 1000, 1400, 1 | 2);
    assert_near(line_beside(&fit, 1).line.item_ns, 1.4, 1e-9);
    assert_near(line_beside(&fit, 1 | 2 | 4).line.item_ns, 1.4, 1e-9);
}

static void memory_is_bounded(void **state)
{
    struct yk_fit fit = { 0 };
    (void)state;
    add_beside(&fit, 500, 500, 1);
    for (int i = 1; i <= 200; i++)
        add_beside(&fit, 100.0 * i, 200.0 * i, 3);
    assert_int_equal(fit.count, YK_FIT_CELLS);
    /* many sizes of one set do not displace samples of another set */
    assert_near(line_beside(&fit, 1).line.item_ns, 1, 1e-9);
    assert_near(line_beside(&fit, 3).line.item_ns, 2, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_interval),
        cmocka_unit_test(outlier_is_doubted_and_change_believed),
        cmocka_unit_test(two_samples),
        cmocka_unit_test(least_squares_and_interval),
        cmocka_unit_test(newer_samples_weigh_more),
        cmocka_unit_test(one_outlier_among_sizes),
        cmocka_unit_test(what_is_no_sample_is_refused),
        cmocka_unit_test(negative_slope_and_negative_cost),
        cmocka_unit_test(equal_sizes),
        cmocka_unit_test(slope_of_chunks),
        cmocka_unit_test(noise_is_no_slope),
        cmocka_unit_test(a_machine_that_changes),
        cmocka_unit_test(what_is_no_change),
        cmocka_unit_test(curves),
        cmocka_unit_test(noise_is_no_curve),
        cmocka_unit_test(a_set_has_its_own_line),
        cmocka_unit_test(nothing_known_of_slowdown),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
