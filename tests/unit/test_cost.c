/* test_cost.c - what is learned of a device's time: it finds slope and cost, takes one odd job for
 * what it is, follows a device that changes, takes equal devices for equal, and survives clocks
 * that jump.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cost.h"

static double noise(uint64_t *seed)
{
    double sum = 0;
    int i;
    for (i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*seed >> 11) / 9007199254740992.0;
    }
    return sum - 6; /* standard normal, nearly */
}

static enum yk_cost_news job(struct yk_cost *cost, double items, double ns)
{
    return yk_cost_observe(cost, &(struct yk_cost_sample){ .items = items, .chunks = 1, .ns = ns });
}

static void finds_slope_and_cost(void **state)
{
    struct yk_cost cost;
    uint64_t seed = 1;
    int i;
    (void)state;
    yk_cost_open(&cost, 5000);
    assert_true(isinf(yk_cost_ns(&cost, 1)));
    for (i = 0; i < 400; i++) {
        const double items = i % 2 ? 1e5 : 3e5;
        job(&cost, items, (8000 + 0.1 * items) * (1 + 0.03 * noise(&seed)));
    }
    assert_true(fabs(cost.item_ns - 0.1) < 0.005);
    assert_true(fabs(cost.fixed_ns - 8000) < 1500);
    assert_true(sqrt(cost.noise2) > 0.01 && sqrt(cost.noise2) < 0.06);
    assert_true(fabs(yk_cost_ns(&cost, 2e5) / 28000 - 1) < 0.03);
}

static void one_odd_job_teaches_nothing(void **state)
{
    struct yk_cost cost;
    double before;
    int i;
    (void)state;
    yk_cost_open(&cost, 0);
    for (i = 0; i < 20; i++)
        job(&cost, 1000, 1000 + i % 3);
    before = cost.item_ns;
    assert_int_equal(job(&cost, 1000, 5000), YK_COST_NONE);
    assert_true(cost.item_ns == before);
    assert_int_equal(job(&cost, 1000, 1001), YK_COST_LEARNED);
    assert_int_equal(job(&cost, 1000, 5000), YK_COST_NONE);
}

/* The device took 1000 ns for 1000 items in each of many jobs. */
static void open_steady(struct yk_cost *cost)
{
    yk_cost_open(cost, 0);
    for (int i = 0; i < 20; i++)
        job(cost, 1000, 1000);
}

static void a_change_is_followed_at_the_third_job(void **state)
{
    struct yk_cost cost;
    (void)state;
    open_steady(&cost);
    assert_int_equal(job(&cost, 1000, 2000), YK_COST_NONE);
    assert_int_equal(job(&cost, 1000, 2000), YK_COST_NONE);
    assert_int_equal(job(&cost, 1000, 2000), YK_COST_CHANGED);
    assert_true(cost.item_ns > 1.8);
}

/* Disturbances make jobs take longer, not shorter, so two shorter ones show a change. */
static void a_faster_device_is_followed_at_the_second_job(void **state)
{
    struct yk_cost cost;
    (void)state;
    open_steady(&cost);
    assert_int_equal(job(&cost, 1000, 500), YK_COST_NONE);
    assert_int_equal(job(&cost, 1000, 500), YK_COST_CHANGED);
    assert_true(cost.item_ns < 0.6);
}

/* Measured on two H100s: times of a job's halves in us. The program paused for 36 ms before the
 * fourth job and before the last one. */
static void a_pause_is_no_change(void **state)
{
    static const double first[] = { 194.5, 194.0, 195.6, 368.5, 199.5, 195.2,
                                    197.9, 198.5, 194.9, 194.3, 214.5, 350.1 };
    static const double second[] = { 194.5, 194.9, 191.4, 272.3, 261.1, 192.2,
                                     192.2, 192.4, 193.9, 194.0, 194.7, 264.5 };
    struct yk_cost cost[2];
    size_t i;
    (void)state;
    yk_cost_open(&cost[0], 5000);
    yk_cost_open(&cost[1], 5000);
    for (i = 0; i < 20; i++) {
        job(&cost[0], 134217728, 1e3 * (194 + i % 3));
        job(&cost[1], 134217728, 1e3 * (192 + i % 3));
    }
    for (i = 0; i < sizeof first / sizeof *first; i++) {
        assert_int_not_equal(job(&cost[0], 134217728, 1e3 * first[i]), YK_COST_CHANGED);
        assert_int_not_equal(job(&cost[1], 134217728, 1e3 * second[i]), YK_COST_CHANGED);
        assert_true(fabs(cost[0].item_ns / cost[1].item_ns - 1) < 0.05);
    }
}

/* A step of two standard deviations, and then 0.1 % more from job to job, which no single job
 * shows.
 */
static void small_changes_are_followed(void **state)
{
    struct yk_cost cost;
    uint64_t seed = 3;
    int i;
    (void)state;
    yk_cost_open(&cost, 0);
    for (i = 0; i < 100; i++)
        job(&cost, 1000, 1000 * (1 + 0.05 * noise(&seed)));
    for (i = 0; i < 40; i++)
        job(&cost, 1000, 1060 * (1 + 0.05 * noise(&seed)));
    assert_true(fabs(cost.item_ns - 1.06) < 0.03);
    for (i = 0; i < 300; i++)
        job(&cost, 1000, 1060 * (1 + 0.001 * i) * (1 + 0.05 * noise(&seed)));
    assert_true(fabs(cost.item_ns - 1.378) < 0.04);
}

static const double told[4] = { 10, 10, 10, 10 };

static void equal_devices_are_equal(void **state)
{
    struct yk_cost cost[4];
    const int make[4] = { 2, 2, 2, 0 };
    const double peak[4] = { 0 };
    uint64_t seed = 5;
    int i, d;
    (void)state;
    for (d = 0; d < 4; d++)
        yk_cost_open(&cost[d], 10);
    for (i = 0; i < 10; i++)
        for (d = 0; d < 2; d++)
            job(&cost[d], 1000, 1000 * (1 + 0.05 * noise(&seed)));
    job(&cost[3], 1000, 7000);
    yk_cost_pool(cost, &(struct yk_cost_pool){ make, peak, told, 4 });
    assert_true(fabs(cost[0].item_ns / cost[1].item_ns - 1) < 0.005);
    assert_true(fabs(cost[2].item_ns / cost[0].item_ns - 1) < 0.01); /* never measured */
    assert_true(cost[2].item_var > cost[0].item_var);
    assert_true(fabs(cost[3].item_ns - 7) < 0.1);
}

struct part {
    double items, us;
    int jobs;
};

static void do_parts(struct yk_cost *cost, const struct part *parts)
{
    yk_cost_open(cost, 15000);
    for (; parts->jobs > 0; parts++)
        for (int i = 0; i < parts->jobs; i++)
            job(cost, parts->items, 1000 * parts->us);
}

/* Times of two H200s, the first jobs with cold code and caches. Each takes 43 us for
 * half of the items, whatever sizes its parts had. */
static void equal_devices_are_equal_after_unequal_parts(void **state)
{
    static const struct part first[] = { { 8.39e6, 81, 1 }, { 4.92e6, 27.5, 20 }, { 0, 0, 0 } };
    static const struct part second[] = {
        { 8.39e6, 58, 1 }, { 16.78e6, 77, 1 }, { 16.78e6, 72, 2 }, { 11.86e6, 57, 20 }, { 0, 0, 0 }
    };
    static const int make[2] = { 1, 1 };
    static const double peak[2] = { 0, 0 }, overhead[2] = { 15000, 15000 };
    const struct yk_cost_pool pool = { make, peak, overhead, 2 };
    struct yk_cost cost[2];
    double ns[2];
    (void)state;
    do_parts(&cost[0], first);
    do_parts(&cost[1], second);
    yk_cost_pool(cost, &pool);
    for (int d = 0; d < 2; d++)
        ns[d] = yk_cost_ns(&cost[d], 8.39e6);
    assert_true(fabs(ns[0] / 43000 - 1) < 0.1 && fabs(ns[1] / 43000 - 1) < 0.1);
}

static void a_loaded_one_is_not(void **state)
{
    struct yk_cost cost[3];
    const int make[3] = { 1, 1, 1 };
    const double peak[3] = { 10, 10, 10 };
    int i, d;
    (void)state;
    for (d = 0; d < 3; d++)
        yk_cost_open(&cost[d], 0);
    for (i = 0; i < 30; i++)
        for (d = 0; d < 3; d++)
            job(&cost[d], 1000, d == 2 ? 3000 : 1000);
    yk_cost_pool(cost, &(struct yk_cost_pool){ make, peak, told, 3 });
    assert_true(cost[2].item_ns > 2.7);
    assert_true(cost[0].item_ns < 1.1);
}

/* Of other makes: what was never measured, or only beside copies, is as the peaks say, and what
 * has been measured well is as measured, however far from its peak. */
static void peaks_count_where_nothing_else_does(void **state)
{
    struct yk_cost cost[4];
    const int make[4] = { 1, 2, 3, 4 };
    const double peak[4] = { 1, 10, 20, 5 };
    int i;
    (void)state;
    for (i = 0; i < 4; i++)
        yk_cost_open(&cost[i], 10);
    for (i = 0; i < 20; i++) {
        job(&cost[0], 1000, 40000);
        job(&cost[3], 1000, 40000); /* five times as slow as its peak */
    }
    yk_cost_observe(&cost[1], &(struct yk_cost_sample){
                                  .items = 1000, .chunks = 1, .ns = 100, .unsure_ns = 100000 });
    yk_cost_pool(cost, &(struct yk_cost_pool){ make, peak, told, 4 });
    assert_true(fabs(cost[0].item_ns / 40 - 1) < 0.02);
    assert_true(fabs(cost[3].item_ns / 40 - 1) < 0.02);
    assert_true(fabs(cost[1].item_ns / cost[2].item_ns - 2) < 0.1);
    assert_true(cost[2].item_ns > 2 && cost[2].item_ns < 10);
    assert_true(sqrt(cost[2].item_var) > 0.5 * cost[2].item_ns);
}

/* Times of nothing, of less, of for ever; a thousand times too fast once. */
static void nonsense_is_harmless(void **state)
{
    const double odd[] = { 0, -5, NAN, INFINITY, 1, 1e-3 };
    struct yk_cost cost;
    size_t i;
    (void)state;
    yk_cost_open(&cost, 100);
    for (i = 0; i < sizeof odd / sizeof *odd; i++)
        job(&cost, 1000, odd[i]);
    job(&cost, 0, 1000);
    job(&cost, NAN, 1000);
    for (i = 0; i < 20; i++)
        job(&cost, 1000, 1000);
    assert_true(isfinite(cost.item_ns) && cost.item_ns > 0);
    assert_true(fabs(yk_cost_ns(&cost, 1000) / 1000 - 1) < 0.1);
    job(&cost, 1000, 1);
    assert_true(fabs(yk_cost_ns(&cost, 1000) / 1000 - 1) < 0.1);
}

static int is_sane(const struct yk_cost *cost)
{
    return isfinite(cost->item_ns) && cost->item_ns > 0 && isfinite(cost->fixed_ns) &&
           cost->fixed_ns >= 0 && isfinite(cost->item_var) && cost->item_var > 0 &&
           isfinite(cost->noise2) && cost->noise2 >= 0;
}

/* Jobs of one length do not tell a chunk's cost from that of its items, and now and then a device
 * is faster or slower for a while: rounding must not turn certainty into nonsense. */
static void jobs_of_one_length_stay_sane(void **state)
{
    const int makes[] = { 1, 1 };
    const double peaks[] = { 0, 0 };
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct yk_cost costs[2];
        uint64_t drawn = seed;
        yk_cost_open(&costs[0], 7500);
        yk_cost_open(&costs[1], 7500);
        for (int i = 0; i < 400; i++)
            for (int d = 0; d < 2; d++) {
                const double factor = i % 37 < 2 ? 4 : i % 53 < 3 ? 0.3 : 1;
                job(&costs[d], 5e5, 22e3 * factor * fmax(0.34, 1 + 0.1 * noise(&drawn)));
                assert_true(is_sane(&costs[d]));
            }
        yk_cost_pool(costs, &(struct yk_cost_pool){
                                .make = makes, .peak = peaks, .told = told, .count = 2 });
        assert_true(is_sane(&costs[0]) && is_sane(&costs[1]));
    }
}

/* --- from process to process --- */

/* Parts of one size: a and b are known badly, their sum well. */
/* A part of few items takes as long as waking the device. The time of an item stays as larger parts
 * have shown it. */
static void a_small_part_is_all_overhead(void **state)
{
    struct yk_cost cost;
    (void)state;
    yk_cost_open(&cost, 20000);
    job(&cost, 1e6, 20000 + 1e5);
    for (int i = 0; i < 5; i++)
        job(&cost, 1e4, 20000);
    assert_true(cost.item_ns > 0.09 && cost.item_ns < 0.11);
}

static void live(struct yk_cost *cost)
{
    uint64_t seed = 11;
    int i;
    yk_cost_open(cost, 5000);
    for (i = 0; i < 40; i++)
        job(cost, 1e5, 20000 * (1 + 0.05 * noise(&seed)));
}

static double part_of(const struct yk_cost *cost, double items)
{
    const double var =
        cost->item_var * items * items + 2 * cost->both_var * items + cost->fixed_var;
    return sqrt(var) / yk_cost_ns(cost, items);
}

static void what_is_kept_comes_back(void **state)
{
    struct yk_cost cost, later;
    struct yk_kept_cost kept, again;
    (void)state;
    live(&cost);
    yk_cost_keep(&cost, &kept);
    yk_cost_recall(&later, &kept);
    assert_true(later.item_ns == cost.item_ns && later.fixed_ns == cost.fixed_ns);
    assert_float_equal(later.noise2, cost.noise2, 1e-12);
    assert_true(part_of(&later, 1e5) > part_of(&cost, 1e5));
    assert_true(part_of(&later, 1e5) < 0.06);
    yk_cost_keep(&later, &again);
    assert_true(again.error > kept.error);
    yk_cost_open(&cost, 5000);
    yk_cost_keep(&cost, &kept);
    assert_true(kept.item_ns == 0 && kept.error == 0);
    yk_cost_recall(&later, &kept);
    assert_int_equal(yk_cost_is_known(&later), 0);
}

static void a_machine_that_has_changed_is_found(void **state)
{
    struct yk_cost cost;
    struct yk_kept_cost kept;
    int i;
    (void)state;
    live(&cost);
    yk_cost_keep(&cost, &kept);
    yk_cost_recall(&cost, &kept);
    for (i = 0; i < 3; i++)
        job(&cost, 1e5, 40000);
    assert_true(fabs(yk_cost_ns(&cost, 1e5) / 40000 - 1) < 0.1);
    yk_cost_recall(&cost, &kept);
    for (i = 0; i < 6; i++)
        job(&cost, 1e5, 22000); /* a tenth is within the noise: half of it is believed soon */
    assert_true(yk_cost_ns(&cost, 1e5) > 21000);
}

static void impossible_figures_are_unknown(void **state)
{
    static const struct yk_kept_cost wrong[] = {
        { -1, 0, 0, 0 },    { NAN, 0, 0, 0 },      { INFINITY, 0, 0, 0 }, { 1e-300, 0, 0, 0 },
        { 1e300, 0, 0, 0 }, { 1, -1, 0, 0 },       { 1, NAN, 0, 0 },      { 1, 1e300, 0, 0 },
        { 1, 1, 2, 0 },     { 1, 1, NAN, 0 },      { 1, 1, -0.1, 0 },     { 1, 1, 0, 2 },
        { 1, 1, 0, NAN },   { 1, 1, 0, INFINITY },
    };
    struct yk_cost cost;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        yk_cost_recall(&cost, &wrong[i]);
        assert_int_equal(yk_cost_is_known(&cost), 0);
    }
    yk_cost_recall(&cost, &(struct yk_kept_cost){ 1, 0, 0, 0 }); /* without any doubt */
    for (i = 0; i < 3; i++)
        job(&cost, 1000, 2000);
    assert_true(fabs(yk_cost_ns(&cost, 1000) / 2000 - 1) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_one_length_stay_sane),
        cmocka_unit_test(a_small_part_is_all_overhead),
        cmocka_unit_test(finds_slope_and_cost),
        cmocka_unit_test(one_odd_job_teaches_nothing),
        cmocka_unit_test(a_change_is_followed_at_the_third_job),
        cmocka_unit_test(a_faster_device_is_followed_at_the_second_job),
        cmocka_unit_test(a_pause_is_no_change),
        cmocka_unit_test(small_changes_are_followed),
        cmocka_unit_test(equal_devices_are_equal),
        cmocka_unit_test(equal_devices_are_equal_after_unequal_parts),
        cmocka_unit_test(a_loaded_one_is_not),
        cmocka_unit_test(peaks_count_where_nothing_else_does),
        cmocka_unit_test(nonsense_is_harmless),
        cmocka_unit_test(what_is_kept_comes_back),
        cmocka_unit_test(a_machine_that_has_changed_is_found),
        cmocka_unit_test(impossible_figures_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
