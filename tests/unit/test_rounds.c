/* Tests of splits in whole rounds: against every possible part of the cores, where a round that is
 * not full costs as much as a full one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/rounds.h"

enum { devices = 3 };

static uint64_t seed = 88172645463325252u;
static double uniform(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* When the cores really end this many items. */
static double cores_ns(const struct yk_part *cores, double items)
{
    return items > 0 ? yk_line_ns(&cores->line, ceil(items / cores->round) * cores->round) : 0;
}

static double end_of(const struct yk_part *parts)
{
    return fmax(cores_ns(&parts[0], (double)parts[0].items), fmax(parts[1].ns, parts[2].ns));
}

/* The earliest end of all devices, over every number of items for the cores. */
static double best_of(const struct yk_part *given, const struct yk_work *work)
{
    double best = INFINITY;
    int64_t items;
    for (items = 0; items <= work->items; items++) {
        struct yk_part others[] = { given[1], given[2] };
        struct yk_taker takers[2];
        const struct yk_work rest = { .items = work->items - items, .unit = 1 };
        const double end =
            rest.items > 0 ? yk_split(&(struct yk_split){ others, takers, 2, rest }) : 0;
        best = fmin(best, fmax(end, cores_ns(&given[0], (double)items)));
    }
    return best;
}

static void as_good_as_any_part(void **state)
{
    int turn, few, ragged = 0;
    (void)state;
    for (turn = 0; turn < 200; turn++) {
        const struct yk_part given[devices] = {
            { .line = { uniform(1, 20), uniform(0, 50) }, .least = 32, .round = 32 },
            { .line = { uniform(0.5, 2), uniform(0, 300) } },
            { .line = { uniform(0.5, 2), uniform(0, 300) } },
        };
        const struct yk_work work = { .items = (int64_t)uniform(100, 2000), .unit = 1 };
        struct yk_part parts[] = { given[0], given[1], given[2] };
        struct yk_taker takers[devices];
        const struct yk_split split = { parts, takers, devices, work };
        double end, free;
        yk_split(&split);
        free = end_of(parts);
        end = yk_split_in_rounds(&split);
        few = parts[0].items < 16 * 32;
        assert_int_equal(parts[0].items + parts[1].items + parts[2].items, work.items);
        assert_true(end_of(parts) <= best_of(given, &work) * (few ? 1.001 : 1 + 1.0 / 16) + 2);
        assert_true(end_of(parts) <= free * 1.001 + 2);
        if (few && parts[1].items + parts[2].items > 0) {
            assert_int_equal(parts[0].items % 32, 0);
            assert_true(fabs(end - end_of(parts)) < 1e-6 * end);
        }
        ragged += end_of(parts) < 0.9 * free;
    }
    assert_true(ragged > 20); /* rounding made a difference in some cases */
}

static void alone_they_have_all(void **state)
{
    struct yk_part parts[devices] = { { .line = { 5, 0 }, .least = 32, .round = 32 } };
    struct yk_taker takers[devices];
    const struct yk_work work = { .items = 100, .unit = 1 };
    (void)state;
    assert_float_equal(yk_split_in_rounds(&(struct yk_split){ parts, takers, devices, work }), 500,
                       1e-9);
    assert_int_equal(parts[0].items, 100);
}

static void many_rounds_are_a_line(void **state)
{
    struct yk_part parts[devices] = { { .line = { 1, 0 }, .least = 32, .round = 32 },
                                      { .line = { 1, 0 } } };
    struct yk_taker takers[devices];
    const struct yk_work work = { .items = 2010, .unit = 1 };
    (void)state;
    yk_split_in_rounds(&(struct yk_split){ parts, takers, devices, work });
    assert_int_equal(parts[0].items, 1005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_good_as_any_part),
        cmocka_unit_test(alone_they_have_all),
        cmocka_unit_test(many_rounds_are_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
