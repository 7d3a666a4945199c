/* Tests of the optimal split: cases by hand, and against all subsets on random machines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "model/split.h"

enum { most_devices = 12 };

static uint64_t seed = 88172645463325252u;
static double uniform(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static double split(struct yk_part *parts, int count, const struct yk_work *work)
{
    struct yk_taker takers[most_devices];
    return yk_split(&(struct yk_split){ parts, takers, count, *work });
}

static void papers_equations(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 100 } },
                               { .line = { 2, 0 } },
                               { .line = { 4, 40 } } };
    const struct yk_work work = { .items = 1000, .unit = 1 };
    (void)state;
    /* a_H = 1 / (1 + 1/2 + 1/4), b_H = a_H * (100 + 0 + 10): T = 4 / 7 * 1110 */
    double end = split(parts, 3, &work);
    assert_true(fabs(end - 4.0 / 7 * 1110) < 2);
    assert_int_equal(parts[0].items + parts[1].items + parts[2].items, 1000);
    assert_true(llabs(parts[0].items - 534) <= 1 && llabs(parts[1].items - 317) <= 1);
}

static void who_starts_after_the_end_gets_nothing(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 0 } }, { .line = { 0.001, 900 } } };
    struct yk_work work = { .items = 899, .unit = 1 };
    (void)state;
    assert_float_equal(split(parts, 2, &work), 899, 1e-9);
    assert_int_equal(parts[1].items, 0);
    assert_float_equal(parts[1].ns, 0, 0);
    work.items = 2000;
    assert_true(split(parts, 2, &work) < 902.5);
    assert_true(parts[1].items > 1000);
}

/* Without the first the second would end at 100; with all three both fit. */
static void dropped_and_admitted_again(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 0 }, .most = 50 }, { .line = { 1, 60 } } };
    const struct yk_work work = { .items = 100, .unit = 1 };
    (void)state;
    assert_float_equal(split(parts, 2, &work), 110, 1e-9);
    assert_int_equal(parts[0].items, 50);
    assert_int_equal(parts[1].items, 50);
}

static void no_place_for_all(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 0 }, .most = 50 }, { .line = { 0, 60 } } };
    const struct yk_work work = { .items = 100, .unit = 1 };
    (void)state;
    assert_true(isinf(split(parts, 2, &work)));
    assert_true(isinf(split(parts + 1, 1, &work)));
}

static void whole_units_and_a_short_last_one(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 0 } }, { .line = { 1, 0 } } };
    const struct yk_work work = { .items = 1001, .unit = 100 };
    (void)state;
    assert_float_equal(split(parts, 2, &work), 600, 1e-9);
    assert_int_equal(parts[0].items + parts[1].items, 1001);
    assert_true(parts[0].items % 100 == 0 || parts[1].items % 100 == 0);
}

/* With two pieces it has 100 items at 100 ns, and each further item takes ten times as long. */
static void curves(void **state)
{
    const struct yk_curve curve = { 2, { { 0, { 1, 0 } }, { 100, { 10, -900 } } } };
    struct yk_part parts[] = { { .line = { 1, 0 }, .curve = &curve }, { .line = { 1, 0 } } };
    const struct yk_work work = { .items = 310, .unit = 1 };
    double item;
    (void)state;
    assert_float_equal(yk_curve_ns(&curve, 50), 50, 1e-12);
    assert_float_equal(yk_curve_ns(&curve, 110), 200, 1e-12);
    assert_float_equal(yk_curve_items(&curve, 200, &item), 110, 1e-12);
    assert_float_equal(item, 10, 1e-12);
    assert_float_equal(split(parts, 2, &work), 200, 1e-6);
    assert_int_equal(parts[0].items, 110);
}

/* A step: more than 100 items take 500 ns more. No part reaches it. */
static void a_jump(void **state)
{
    const struct yk_curve curve = { 2, { { 0, { 1, 0 } }, { 100, { 1, 500 } } } };
    struct yk_part parts[] = { { .line = { 1, 0 }, .curve = &curve }, { .line = { 1, 0 } } };
    const struct yk_work work = { .items = 500, .unit = 1 };
    (void)state;
    assert_float_equal(split(parts, 2, &work), 400, 1e-6);
    assert_int_equal(parts[0].items, 100);
}

static void energy(void **state)
{
    struct yk_part parts[] = { { .line = { 1, 0 }, .joules = 3 },
                               { .line = { 1, 0 }, .joules = 1 } };
    struct yk_work work = { .items = 1000, .unit = 1 };
    (void)state;
    assert_float_equal(split(parts, 2, &work), 500, 1e-9);
    assert_int_equal(parts[0].items, 500);
    assert_int_equal(parts[1].items, 500);
    work.slower = 0.2;
    assert_float_equal(split(parts, 2, &work), 600, 1e-6);
    assert_int_equal(parts[1].items, 600);
    work.slower = 2;
    assert_float_equal(split(parts, 2, &work), 1000, 1e-6);
    assert_int_equal(parts[0].items, 0);
    assert_int_equal(parts[1].items, 1000);
}

/* --- against all subsets --- */

struct limits {
    int64_t least, most;
};

/* The least time in which a set can do the given units, each device having at least its least; by
 * bisection, because the units done by a time rise with the time. */
static int64_t done_by(const struct yk_part *part, const struct limits *limits, int64_t unit,
                       double end)
{
    int64_t units = (int64_t)floor(
        (end - part->line.fixed_ns) / part->line.item_ns / (double)unit * (1 + 1e-12) + 1e-9);
    if (units < limits->least)
        return -1;
    return units < limits->most ? units : limits->most;
}

static int can_do(const struct yk_part *parts, const struct limits *limits, int set,
                  const struct yk_work *work, double end)
{
    int64_t least = 0, most = 0;
    for (int i = 0; set >> i; i++)
        if (set >> i & 1) {
            int64_t units = done_by(&parts[i], &limits[i], work->unit, end);
            if (units < 0)
                return 0;
            least += limits[i].least;
            most += units;
        }
    return least <= work->items / work->unit && work->items / work->unit <= most;
}

static double best_of_all(const struct yk_part *parts, const struct limits *limits, int count,
                          const struct yk_work *work)
{
    double best = INFINITY;
    for (int set = 1; set < 1 << count; set++) {
        double low = 0, high = isinf(best) ? 1e15 : best;
        if (!can_do(parts, limits, set, work, high))
            continue;
        while (high - low > 1e-11 * high) {
            double middle = low + (high - low) / 2;
            if (can_do(parts, limits, set, work, middle))
                high = middle;
            else
                low = middle;
        }
        best = high;
    }
    return best;
}

static void check_parts(const struct yk_part *parts, const struct limits *limits, int count,
                        const struct yk_work *work)
{
    int64_t all = 0;
    for (int i = 0; i < count; i++) {
        int64_t units = parts[i].items / work->unit;
        assert_true(parts[i].items >= 0 && parts[i].items % work->unit == 0);
        assert_true(units == 0 || (units >= limits[i].least && units <= limits[i].most));
        all += parts[i].items;
    }
    assert_int_equal(all, work->items);
}

static int random_machine(struct yk_part *parts, struct limits *limits, struct yk_work *work,
                          int64_t least_most)
{
    int count = 1 + (int)uniform(0, most_devices - 1e-9);
    work->unit = 1 + (int64_t)pow(10, uniform(0, 3));
    work->items = work->unit * (1 + (int64_t)pow(10, uniform(0, 6)));
    for (int i = 0; i < count; i++) {
        struct yk_part *part = &parts[i];
        *part = (struct yk_part){ .line = { pow(10, uniform(-2, 2)),
                                            uniform(0, 1) < 0.3 ? 0 : pow(10, uniform(0, 7)) } };
        limits[i] = (struct limits){ 1, INT64_MAX };
        if (i > 0 && uniform(0, 1) < 0.3) /* equal devices */
            part->line = parts[i - 1].line;
        if (uniform(0, 1) < 0.4)
            limits[i].least = 1 + (int64_t)uniform(0, (double)least_most);
        if (limits[i].least > work->items / work->unit)
            limits[i].least = work->items / work->unit;
        if (uniform(0, 1) < 0.2)
            limits[i].most = limits[i].least + (int64_t)pow(10, uniform(0, 5));
        part->least = (double)(limits[i].least * work->unit);
        part->most = limits[i].most < INT64_MAX ? (double)(limits[i].most * work->unit) : 0;
    }
    return count;
}

static void best_of_all_subsets(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct yk_part parts[most_devices];
        struct limits limits[most_devices];
        struct yk_work work = { 0 };
        int count = random_machine(parts, limits, &work, 1);
        double end = split(parts, count, &work);
        double best = best_of_all(parts, limits, count, &work);
        if (isinf(best) != isinf(end) || end > best * (1 + 1e-8))
            fail_msg("round %d, %d devices: %.12g, and %.12g is best", round, count, end, best);
        if (!isinf(end))
            check_parts(parts, limits, count, &work);
    }
}

/* With leasts of many units, sets exclude each other: a knapsack problem. */
static void near_the_best_with_leasts(void **state)
{
    int worse = 0, rounds = 2000;
    (void)state;
    for (int round = 0; round < rounds; round++) {
        struct yk_part parts[most_devices];
        struct limits limits[most_devices];
        struct yk_work work = { 0 };
        int count = random_machine(parts, limits, &work, 1000);
        double end = split(parts, count, &work);
        double best = best_of_all(parts, limits, count, &work);
        if (isinf(end) && isinf(best))
            continue;
        check_parts(parts, limits, count, &work);
        worse += end > best * (1 + 1e-6);
        if (end > 1.25 * best)
            fail_msg("round %d, %d devices: %.12g, and %.12g is best", round, count, end, best);
    }
    print_message("%d of %d not the best\n", worse, rounds);
    assert_true(worse <= rounds / 1000);
}

/* Every pass over the devices has a small cost; a quadratic algorithm would take ten seconds here.
 */
static void a_thousand_devices(void **state)
{
    enum { count = 1000, rounds = 200 };
    struct yk_part *parts = calloc(count, sizeof *parts);
    struct yk_taker *takers = calloc(count, sizeof *takers);
    const struct yk_work work = { .items = 100000000, .unit = 7 };
    clock_t begun;
    (void)state;
    for (int i = 0; i < count; i++)
        parts[i] = (struct yk_part){ .line = { uniform(0.1, 10), uniform(0, 1e6) } };
    begun = clock();
    for (int i = 0; i < rounds; i++) {
        int64_t all = 0;
        assert_false(isinf(yk_split(&(struct yk_split){ parts, takers, count, work })));
        for (int d = 0; d < count; d++)
            all += parts[d].items;
        assert_int_equal(all, work.items);
    }
    print_message("%.0f us\n", 1e6 * (double)(clock() - begun) / CLOCKS_PER_SEC / rounds);
    free(takers);
    free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_equations),
        cmocka_unit_test(who_starts_after_the_end_gets_nothing),
        cmocka_unit_test(dropped_and_admitted_again),
        cmocka_unit_test(no_place_for_all),
        cmocka_unit_test(whole_units_and_a_short_last_one),
        cmocka_unit_test(curves),
        cmocka_unit_test(a_jump),
        cmocka_unit_test(energy),
        cmocka_unit_test(best_of_all_subsets),
        cmocka_unit_test(near_the_best_with_leasts),
        cmocka_unit_test(a_thousand_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
