/* test_balance.c - all devices end together, except those that could not do their smallest part in
 * time. Left out is one that is slow at it, and never a fast device whose part the others would
 * take far longer for. */
#include "dispatch_two.h"
#include "draw.h"
#include "partition/balance.h"

static void quotas_by_hand(void **state)
{
    struct yk_taker loads[3] = { { .item = 1 }, { .item = 3 }, { .item = 1, .ready = 500 } };
    (void)state;
    /* T + T / 3 = 400 */
    assert_float_equal(yk_balance(loads, 3, 400), 300, 1e-9);
    assert_float_equal(loads[0].items, 300, 1e-9);
    assert_float_equal(loads[1].items, 100, 1e-9);
    assert_float_equal(loads[2].items, 0, 0);
    /* the third one joins: T + T / 3 + T - 500 = 1833.3 */
    assert_float_equal(yk_balance(loads, 3, 5500.0 / 3), 1000, 1e-9);
    assert_float_equal(loads[2].items, 500, 1e-9);
    /* its smallest part takes too long */
    loads[2].least = 501;
    assert_float_equal(yk_balance(loads, 3, 5500.0 / 3), 1375, 1e-9);
    loads[0].item = loads[1].item = loads[2].item = 0;
    assert_true(isinf(yk_balance(loads, 3, 1)));
}

static void quotas_by_force(void **state)
{
    int round, d;
    (void)state;
    draw_seed = 7;
    for (round = 0; round < 2000; round++) {
        struct yk_taker loads[6];
        double items = draw_whole(1, 100000), total = 0, end;
        for (d = 0; d < 6; d++)
            loads[d] = (struct yk_taker){ .item = draw_whole(0, 99) / 7.0,
                                          .ready = draw_whole(0, 2999),
                                          .fixed = draw_whole(0, 999) };
        end = yk_balance(loads, 6, items);
        for (d = 0; d < 6; d++) {
            const struct yk_taker *load = &loads[d];
            double start = load->ready + load->fixed;
            total += load->items;
            assert_true(load->items >= 0);
            if (load->items > 0)
                assert_float_equal(start + load->item * load->items, end, 1e-6 * end);
            else
                assert_true(load->item <= 0 || start >= end * (1 - 1e-9));
        }
        assert_true(isinf(end) || fabs(total - items) < 1e-6 * items);
    }
}

/* When the last one of them ends, if a part below the smallest one takes as long as the smallest.
 */
static double latest_end(const struct yk_taker *loads, int count)
{
    double latest = 0;
    for (int d = 0; d < count; d++) {
        const struct yk_taker *load = &loads[d];
        if (load->items > 0)
            latest = fmax(latest,
                          load->ready + fmax(load->least, load->fixed + load->item * load->items));
    }
    return latest;
}

/* A GPU has half a millisecond of work left after its present chunk (40 us), and needs 0.6 ms for
 * its smallest part. Cores can do arbitrarily small parts, but at a thousandth of its speed: they
 * would need half a second. */
static void the_fast_one_does_the_rest(void **state)
{
    struct yk_taker loads[] = { { .item = 1e6, .least = 1e4 },
                                { .item = 1e3, .ready = 4e4, .least = 6e5 } };
    const double end = yk_balance(loads, 2, 500);
    (void)state;
    assert_true(end < 6e5);
    assert_true(loads[1].items > 499);
    assert_true(loads[0].items < 1);
    assert_true(latest_end(loads, 2) < 6.5e5);
}

/* Of two devices that the others need, one can be left out. */
static void one_of_two_alike_is_enough(void **state)
{
    struct yk_taker loads[] = { { .item = 1e6, .least = 1e3 },
                                { .item = 1e3, .least = 1e6 },
                                { .item = 1e3, .least = 1e6 } };
    (void)state;
    yk_balance(loads, 3, 500);
    assert_true(loads[1].items == 0);
    assert_true(loads[2].items > 499);
}

/* Cores whose smallest part takes far longer than the GPU takes for everything are left out. */
static void slow_ones_go(void **state)
{
    struct yk_taker loads[] = { { .item = 1e6, .least = 4e6 },
                                { .item = 1e3, .ready = 4e4, .least = 6e5 } };
    (void)state;
    yk_balance(loads, 2, 500);
    assert_true(loads[0].items == 0);
    assert_float_equal(loads[1].items, 500, 1e-6);
}

/* The best end over all subsets, with the same cost model. */
static double best_of_sets(const struct yk_taker *loads, int count, double items)
{
    double best = INFINITY;
    for (unsigned set = 1; set < 1u << count; set++) {
        struct yk_taker some[6];
        for (int d = 0; d < count; d++) {
            some[d] = loads[d];
            some[d].items = set >> d & 1 && loads[d].item > 0 ? YK_TAKER_IN : YK_TAKER_NEVER;
        }
        const double end = yk_finish(some, count, items);
        for (int d = 0; d < count; d++)
            some[d].items = some[d].items == YK_TAKER_IN ? yk_finish_part(&some[d], end) : 0;
        if (!isinf(end))
            best = fmin(best, latest_end(some, count));
    }
    return best;
}

/* Devices are left out greedily; the result is at most 1.5 times the best of all subsets. (Without
 * the check whether they can be spared it was up to 400 times.) */
static void nearly_as_good_as_the_best_set(void **state)
{
    double worst = 1;
    (void)state;
    draw_seed = 11;
    for (int round = 0; round < 5000; round++) {
        struct yk_taker loads[6];
        const double items = draw_whole(1, 10000);
        for (int d = 0; d < 6; d++) {
            const double item = exp(draw_real(0, 10));
            const double fixed = draw_whole(0, 999);
            loads[d] = (struct yk_taker){ .item = item,
                                          .ready = draw_whole(0, 2999),
                                          .fixed = fixed,
                                          .least = fixed + item * draw_whole(1, 5000) };
        }
        const double best = best_of_sets(loads, 6, items);
        yk_balance(loads, 6, items);
        worst = fmax(worst, latest_end(loads, 6) / best);
    }
    assert_true(worst < 1.5 + 1e-6);
}

/* --- a job's end --- */

/* A GPU that did nearly all of the last job, and whose link is saturated, gets it in small chunks,
 * as during a comparison of two kernels. What it may do in one chunk is then less than the rest.
 * Cores that are 1,250 times slower once got 2,604 of 200,000 items, which took 16 times as long as
 * the whole job. */
static void slow_cores_get_no_more_than_their_part(void **state)
{
    enum { ITEMS = 200000, CPU = 0, GPU = 1 };
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 4, .host_memory = 1, .fill = 4, .rate = 8e-7, .share = 0.001 },
        { .name = "gpu",
          .lanes = 2,
          .fill = ITEMS,
          .busy = 1,
          .rate = 1e-3,
          .fixed_ns = 5000,
          .copy_item_ns = 0.7,
          .busier_part = 0.5,
          .share = 0.999 }
    };
    const struct yk_split_spec spec = {
        .last = ITEMS, .unit = 1, .devices = devices, .device_count = 2
    };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk, lease;
    int64_t now = 1, wake_ns;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, CPU, now);
    yk_dispatch_join(dispatch, GPU, now);
    while (yk_dispatch_next(dispatch, &(struct yk_request){ GPU, 0, now }, &chunk, &wake_ns) ==
           YK_TAKE) {
        struct yk_chunk_times times = { .issued = now };
        now += 5000 + 1000 * (chunk.last - chunk.first);
        if (yk_dispatch_next(dispatch, &(struct yk_request){ CPU, 0, now - 1 }, &lease, &wake_ns) ==
            YK_TAKE) {
            assert_in_range(lease.last - lease.first, 1, 200);
            yk_dispatch_returned(dispatch, &lease, 0);
        }
        times.ended = now;
        yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        assert_true(yk_dispatch_check(dispatch));
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotas_by_hand),
        cmocka_unit_test(quotas_by_force),
        cmocka_unit_test(the_fast_one_does_the_rest),
        cmocka_unit_test(one_of_two_alike_is_enough),
        cmocka_unit_test(slow_ones_go),
        cmocka_unit_test(nearly_as_good_as_the_best_set),
        cmocka_unit_test(slow_cores_get_no_more_than_their_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
