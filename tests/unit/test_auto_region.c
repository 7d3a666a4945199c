/* test_auto_region.c - `auto` beside other jobs: equal GPUs keep their parts of the range, so that
 * rows stay where they are, and no device takes over the part of one that is busy with another job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"

enum { ITEMS = 1000000, HALF = ITEMS / 2, NEARLY = ITEMS / 1000, PAIR = 2 };

/* 1 ns per item; the shares of the last jobs were unequal. */
static const struct yk_split_device pair[PAIR] = {
    { .name = "a", .lanes = 4, .fill = 1, .make = 1, .rate = 1, .fixed_ns = 1000, .share = 0.3 },
    { .name = "b", .lanes = 4, .fill = 1, .make = 1, .rate = 1, .fixed_ns = 1000, .share = 0.7 },
};

static struct yk_dispatch *opened(const struct yk_split_device *devices, int crowded)
{
    const struct yk_split_spec spec = {
        .last = ITEMS, .unit = 1, .devices = devices, .device_count = PAIR, .crowded = crowded
    };
    struct yk_dispatch *dispatch;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    return dispatch;
}

/* Gives chunks to the device's lanes at one time until it gets no more; returns the items,
 * from..to. */
static int64_t take_all(struct yk_dispatch *dispatch, int device, int64_t now, int64_t *from,
                        int64_t *to)
{
    int64_t items = 0, wake;
    struct yk_chunk chunk;
    int lane;
    *from = ITEMS;
    *to = 0;
    for (lane = 0; lane < 4; lane++) {
        if (yk_dispatch_next(dispatch, &(struct yk_request){ device, lane, now }, &chunk, &wake) !=
            YK_TAKE)
            break;
        items += chunk.last - chunk.first;
        *from = chunk.first < *from ? chunk.first : *from;
        *to = chunk.last > *to ? chunk.last : *to;
        assert_true(yk_dispatch_check(dispatch));
    }
    return items;
}

/* Whichever asks first: the first device has the low half. */
static void halves_in_the_order_of_devices(void **state)
{
    int64_t from, to;
    int first;
    (void)state;
    for (first = 0; first < PAIR; first++) {
        struct yk_dispatch *dispatch = opened(pair, 1);
        yk_dispatch_join(dispatch, first, 0);
        assert_in_range(take_all(dispatch, first, 0, &from, &to), 1, HALF + NEARLY);
        assert_true(first ? from >= HALF - NEARLY : to <= HALF + NEARLY);
        yk_dispatch_join(dispatch, !first, 100000);
        assert_in_range(take_all(dispatch, !first, 100000, &from, &to), 1, HALF + NEARLY);
        assert_true(first ? to <= HALF + NEARLY : from >= HALF - NEARLY);
        yk_dispatch_close(dispatch);
    }
}

/* The half of a late device stays its own until four times the job's expected time have passed. */
static void who_is_busy_elsewhere_keeps_its_part(void **state)
{
    static const int64_t late[] = { 60000, 500000, 1900000 };
    struct yk_dispatch *dispatch = opened(pair, 1);
    int64_t from, to, wake = 0;
    struct yk_chunk chunk;
    size_t i;
    (void)state;
    yk_dispatch_join(dispatch, 0, 0);
    while (take_all(dispatch, 0, 0, &from, &to) > 0)
        ;
    for (i = 0; i < sizeof late / sizeof *late; i++)
        assert_int_equal(take_all(dispatch, 0, late[i], &from, &to), 0);
    /* the waiting device asks again by then, without any event */
    assert_int_equal(
        yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 1900000 }, &chunk, &wake), YK_WAIT);
    assert_in_range(wake, 1900001, 6000000);
    assert_true(take_all(dispatch, 0, 6000000, &from, &to) > 0);
    assert_true(from >= HALF - NEARLY);
    yk_dispatch_close(dispatch);
}

/* A job that runs alone may be best done by one device. Unequal devices do not keep parts, nor do
 * devices whose items differed in cost. */
static void not_where_it_does_not_matter(void **state)
{
    struct yk_split_device unlike[PAIR] = { pair[0], pair[1] }, uneven[PAIR];
    const struct yk_split_device *const machines[] = { pair, unlike, uneven };
    int64_t from, to;
    int m;
    (void)state;
    uneven[0] = uneven[1] = pair[0];
    unlike[1].make = 2;
    uneven[1].spread = 2;
    for (m = 0; m < 3; m++) {
        struct yk_dispatch *dispatch = opened(machines[m], m > 0);
        yk_dispatch_join(dispatch, 0, 0);
        assert_true(take_all(dispatch, 0, 0, &from, &to) > 0);
        assert_int_equal(to, ITEMS); /* from the high end, like GPUs beside cores */
        yk_dispatch_close(dispatch);
    }
}

/* The first of several jobs: no other runs yet, but the last job like it ran among others. */
static void a_crowd_is_remembered(void **state)
{
    struct yk_split_device before[PAIR] = { pair[0], pair[1] };
    struct yk_dispatch *dispatch;
    int64_t from, to;
    (void)state;
    before[0].crowded = before[1].crowded = 1;
    dispatch = opened(before, 0);
    yk_dispatch_join(dispatch, 0, 0);
    assert_true(take_all(dispatch, 0, 0, &from, &to) > 0);
    assert_true(to <= HALF + NEARLY);
    yk_dispatch_close(dispatch);
}

/* One device did all of the last job because the other was late; the little that the late one did
 * makes it look slow. Both get their parts again. */
static void who_came_late_once_is_not_left_out_for_good(void **state)
{
    struct yk_split_device late[PAIR] = { pair[0], pair[1] };
    struct yk_dispatch *dispatch;
    int64_t from, to;
    (void)state;
    late[0].share = 0;
    late[1].share = 1;
    late[0].fill = late[1].fill = ITEMS;
    late[0].rate = 0.05;
    dispatch = opened(late, 1);
    yk_dispatch_join(dispatch, 0, 0);
    assert_in_range(take_all(dispatch, 0, 0, &from, &to), HALF / 2, HALF + NEARLY);
    assert_int_equal(from, 0);
    yk_dispatch_close(dispatch);
}

/* A job that runs alone keeps parts too, if rows are copied in every job and links are equal,
 * whatever items seemed to cost while memory was being prepared. */
static void who_streams_keeps_its_rows(void **state)
{
    static const double rates[] = { 1.4, 0.4 }, links[] = { 0.5, 0.5, 0.1 };
    int64_t from, to;
    int m;
    (void)state;
    for (m = 0; m < 3; m++) {
        struct yk_split_device streams[PAIR] = { pair[0], pair[1] };
        struct yk_dispatch *dispatch;
        streams[0].copy_item_ns = streams[1].copy_item_ns = links[m];
        streams[1].rate = rates[m == 1];
        streams[0].spread = streams[1].spread = 3;
        dispatch = opened(streams, 0);
        yk_dispatch_join(dispatch, 0, 0);
        assert_true(take_all(dispatch, 0, 0, &from, &to) > 0);
        assert_true(m == 0 ? to <= HALF + NEARLY : to == ITEMS);
        yk_dispatch_close(dispatch);
    }
}

/* The sums of a device go home with its last chunk, so it must be told from the others, also while
 * another device has not begun its part. */
static void the_last_chunk_of_a_part_closes(void **state)
{
    struct yk_split_device halves[PAIR] = { pair[0], pair[1] };
    int device;
    (void)state;
    halves[0].share = halves[1].share = 0.5;
    for (device = 0; device < PAIR; device++) {
        struct yk_dispatch *dispatch = opened(halves, 0);
        struct yk_chunk chunk;
        int64_t wake, done = 0;
        yk_dispatch_join(dispatch, 0, 0);
        yk_dispatch_join(dispatch, 1, 0);
        do {
            assert_int_equal(
                yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, 0 }, &chunk, &wake),
                YK_TAKE);
            done += chunk.last - chunk.first;
            assert_int_equal(chunk.closes, done == HALF);
        } while (done < HALF);
        yk_dispatch_close(dispatch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_in_the_order_of_devices),
        cmocka_unit_test(who_is_busy_elsewhere_keeps_its_part),
        cmocka_unit_test(not_where_it_does_not_matter),
        cmocka_unit_test(a_crowd_is_remembered),
        cmocka_unit_test(who_came_late_once_is_not_left_out_for_good),
        cmocka_unit_test(who_streams_keeps_its_rows),
        cmocka_unit_test(the_last_chunk_of_a_part_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
