/* Tests of src/partition/dispatch.h: the bookkeeping, reports of every kind, limits, cost of a
 * decision. For failures see test_dispatch_trouble.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "dispatch_two.h"
#include "partition/speed.h"

/* A delayed lane delays a whole chunk, and says little about the device's speed. */
static void shared_chunks_count_by_the_work(void **state)
{
    struct yk_split_device device = {
        .name = "cpu", .lanes = 4, .host_memory = 1, .fill = 1, .share = -1
    };
    struct yk_split_spec spec = { .last = 1000, .unit = 1, .devices = &device, .device_count = 1 };
    struct yk_chunk_times times = { .issued = 1, .ended = 100001, .work_ns = 4000 };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
    assert_int_equal(yk_dispatch_forecast(dispatch, 0, chunk.last - chunk.first), 1000);
    yk_dispatch_close(dispatch);
}

/* 10 items queued behind another job's chunk that ended at 900: they took 100 ns, not 1000. */
static void waiting_behind_other_jobs_is_not_work(void **state)
{
    struct yk_split_device device = { .name = "gpu", .lanes = 2, .fill = 1, .share = 0.5 };
    struct yk_split_spec spec = { .last = 20,
                                  .unit = 1,
                                  .devices = &device,
                                  .device_count = 1,
                                  .partitioner = "dynamic:chunk=10" };
    struct yk_chunk_times times = { .issued = 1, .ended = 1000, .free_ns = 900 };
    struct yk_split_outcome outcome;
    struct yk_dispatch *dispatch;
    struct yk_chunk first, second;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 1);
    assert_int_equal(next(dispatch, 0, &first), YK_TAKE);
    assert_int_equal(next(dispatch, 0, &second), YK_TAKE);
    yk_dispatch_done(dispatch, &first, 10, &times);
    yk_dispatch_outcome(dispatch, 0, &outcome);
    assert_int_equal(outcome.busy_ns, 100);
    assert_true(outcome.rate == 0.1 && outcome.waited);
    /* The chunk before the second one is of the same job: nothing more is subtracted. */
    times = (struct yk_chunk_times){ .issued = 1, .ended = 1200, .free_ns = 1000 };
    yk_dispatch_done(dispatch, &second, 10, &times);
    yk_dispatch_outcome(dispatch, 0, &outcome);
    assert_int_equal(outcome.busy_ns, 300);
    yk_dispatch_close(dispatch);
}

static void what_was_not_completed_returns(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 0);
    struct yk_chunk a, b;
    (void)state;
    assert_int_equal(next(dispatch, 1, &a), YK_TAKE);
    assert_chunk(&a, 90, 100);
    done(dispatch, &a, 4); /* 90 .. 93 are done */
    assert_int_equal(yk_dispatch_left(dispatch), 96);
    assert_int_equal(next(dispatch, 1, &b), YK_TAKE);
    assert_chunk(&b, 94, 100);
    done(dispatch, &b, 0);
    assert_int_equal(yk_dispatch_left(dispatch), 96);
    done(dispatch, &b, 6); /* no longer in progress: ignored */
    assert_int_equal(yk_dispatch_left(dispatch), 96);
    yk_dispatch_close(dispatch);
}

static void a_failed_device_loses_what_is_out(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 0);
    struct yk_split_outcome outcome;
    struct yk_chunk a, b;
    (void)state;
    assert_int_equal(next(dispatch, 1, &a), YK_TAKE);
    done(dispatch, &a, 10);
    assert_int_equal(next(dispatch, 1, &b), YK_TAKE);
    yk_dispatch_failed(dispatch, 1, "it caught fire");
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(yk_dispatch_left(dispatch), 90);
    assert_int_equal(yk_dispatch_out(dispatch), 0);
    done(dispatch, &b, 10); /* too late */
    assert_int_equal(yk_dispatch_left(dispatch), 90);
    assert_int_equal(next(dispatch, 1, &a), YK_WAIT);
    yk_dispatch_outcome(dispatch, 1, &outcome);
    assert_int_equal(outcome.items, 10);
    assert_int_equal(outcome.active, 0);
    assert_string_equal(yk_dispatch_reason(dispatch, 1), "it caught fire");
    yk_dispatch_failed(dispatch, 0, "it as well");
    assert_int_equal(next(dispatch, 0, &a), YK_FINISHED);
    yk_dispatch_close(dispatch);
}

static void all_or_nothing_takes_back_what_was_completed(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 40, 1);
    struct yk_chunk chunk;
    int round;
    (void)state;
    for (round = 0; round < 2; round++) {
        assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
        done(dispatch, &chunk, chunk.last - chunk.first);
        assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
        done(dispatch, &chunk, chunk.last - chunk.first);
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_FINISHED);
    yk_dispatch_failed(dispatch, 1, "its copy is lost"); /* after all was done */
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(yk_dispatch_left(dispatch), 20);
    while (yk_dispatch_left(dispatch) > 0) {
        assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
        done(dispatch, &chunk, chunk.last - chunk.first);
    }
    yk_dispatch_close(dispatch);
}

/* A device whose share is handed out closes with that chunk, whatever the others have; without
 * shares the last free items close. */
static void the_last_chunk_of_a_device_closes(void **state)
{
    struct yk_dispatch *dispatch = open_two("even", 100, 0);
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_true(chunk.closes);
    yk_dispatch_close(dispatch);
    dispatch = open_two("dynamic:chunk=40", 100, 0);
    for (int taken = 0; taken < 100; taken += (int)(chunk.last - chunk.first)) {
        assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
        assert_int_equal(chunk.closes, chunk.last - chunk.first + taken == 100);
    }
    yk_dispatch_close(dispatch);
}

static void a_leaving_device_finishes_what_is_out(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 20, 0);
    struct yk_chunk a, b;
    (void)state;
    assert_int_equal(next(dispatch, 1, &a), YK_TAKE);
    yk_dispatch_leave(dispatch, 1, "no memory for more");
    assert_int_equal(yk_dispatch_out(dispatch), 1);
    assert_int_equal(next(dispatch, 1, &b), YK_WAIT);
    done(dispatch, &a, 10);
    assert_int_equal(yk_dispatch_left(dispatch), 10);
    yk_dispatch_close(dispatch);
}

static void limits_hold(void **state)
{
    struct yk_dispatch *dispatch = open_two("even", 100, 0);
    struct yk_chunk chunk;
    (void)state;
    yk_dispatch_limit(dispatch, 1, 30);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 50, 80);
    yk_dispatch_returned(dispatch, &chunk, 15);
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 50, 65);
    yk_dispatch_returned(dispatch, &chunk, 0); /* as before */
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 50, 65);
    yk_dispatch_limit(dispatch, 1, 0);
    done(dispatch, &chunk, 15);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 65, 100);
    yk_dispatch_close(dispatch);
}

static void bounds_are_multiples_of_the_unit(void **state)
{
    const struct yk_split_device devices[] = { cpu2, gpu2 };
    struct yk_split_spec spec = { .first = -7,
                                  .last = 36,
                                  .unit = 10,
                                  .devices = devices,
                                  .device_count = 2,
                                  .partitioner = "dynamic:chunk=4" };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 33, 36); /* the short last unit */
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_chunk(&chunk, -7, 3);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 23, 33);
    yk_dispatch_close(dispatch);
}

static void small_ranges(void **state)
{
    static const char *const names[] = { "auto",   "even",  "static",           "dynamic:chunk=1M",
                                         "guided", "nc-ht", "c-ht:threshold=1", "demand" };
    struct yk_chunk chunk;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        struct yk_dispatch *dispatch = open_two(names[i], 0, 0);
        assert_int_equal(next(dispatch, 0, &chunk), YK_FINISHED);
        yk_dispatch_close(dispatch);
        dispatch = open_two(names[i], 1, 0);
        if (next(dispatch, 0, &chunk) == YK_TAKE)
            done(dispatch, &chunk, 1);
        else if (next(dispatch, 1, &chunk) == YK_TAKE)
            done(dispatch, &chunk, 1);
        assert_int_equal(yk_dispatch_left(dispatch), 0);
        assert_int_equal(next(dispatch, 1, &chunk), YK_FINISHED);
        yk_dispatch_close(dispatch);
    }
}

static void every_decision_is_kept(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 30, 0);
    const struct yk_decision *decisions;
    struct yk_chunk chunk;
    size_t count;
    (void)state;
    assert_string_equal(yk_dispatch_partitioner(dispatch), "dynamic:chunk=10");
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    decisions = yk_dispatch_decisions(dispatch, &count);
    assert_int_equal(count, 2);
    assert_int_equal(decisions[0].device, 0);
    assert_int_equal(decisions[1].first, 20);
    assert_string_equal(decisions[1].reason, "chunk");
    yk_dispatch_close(dispatch);
}

static void one_first_chunk_is_no_verdict(void **state)
{
    struct yk_dispatch *dispatch = open_two("even", 100, 0);
    struct yk_chunk_times times = { .issued = 200, .ended = 300 };
    struct yk_split_outcome outcome;
    struct yk_chunk chunk;
    int64_t wake_ns;
    (void)state;
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    done(dispatch, &chunk, 50);
    yk_dispatch_outcome(dispatch, 1, &outcome);
    assert_int_equal(outcome.items, 50);
    assert_int_equal(outcome.busy_ns, 100);
    assert_true(outcome.rate == 0);
    assert_int_equal(
        yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 200 }, &chunk, &wake_ns), YK_TAKE);
    yk_dispatch_done(dispatch, &chunk, 50, &times);
    yk_dispatch_outcome(dispatch, 0, &outcome);
    assert_true(outcome.rate == 0.5);
    yk_dispatch_close(dispatch);
}

static void speeds_are_lines(void **state)
{
    struct yk_speed speed;
    struct yk_split_device known = { .name = "gpu", .lanes = 2, .fill = 1, .share = -1 };
    int i;
    (void)state;
    yk_speed_open(&speed, &known, 1000);
    assert_true(speed.item_ns == 0);
    for (i = 1; i <= 6; i++)
        yk_speed_add(&speed, 100 * i, 5000 + 20 * 100 * i);
    assert_float_equal(speed.item_ns, 20, 1e-6);
    assert_float_equal(speed.fixed_ns, 5000, 1e-3);
    /* 400 of 1000 items in 9000 ns, 1000 of them for the chunk: 20 ns per item */
    known.rate = 400 / 9000.0;
    known.share = 0.4;
    known.fixed_ns = 1000;
    yk_speed_open(&speed, &known, 1000);
    assert_float_equal(speed.item_ns, 20, 1e-9);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Processor time in ns of one next and its done. */
static double pair_ns(const char *partitioner, int device_count, int64_t items)
{
    struct yk_split_device *devices = calloc((size_t)device_count, sizeof *devices);
    struct yk_split_spec spec = { .last = items,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = device_count,
                                  .partitioner = partitioner };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    int64_t wake_ns, now = 0, chunks = 0;
    double began;
    int d;
    for (d = 0; d < device_count; d++) {
        devices[d] = gpu2;
        devices[d].limit = 1000;
        devices[d].rate = 1;
    }
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    for (d = 0; d < device_count; d++)
        yk_dispatch_join(dispatch, d, 0);
    began = seconds();
    while (yk_dispatch_left(dispatch) > 0)
        for (d = 0; d < device_count; d++) {
            struct yk_chunk_times times = { .issued = now, .ended = now + 1000 };
            if (yk_dispatch_next(dispatch, &(struct yk_request){ d, 0, now }, &chunk, &wake_ns) !=
                YK_TAKE)
                continue;
            now += 1000 / device_count + 1;
            chunks++;
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        }
    began = seconds() - began;
    assert_int_equal(yk_dispatch_out(dispatch), 0);
    assert_true(yk_dispatch_check(dispatch));
    yk_dispatch_close(dispatch);
    free(devices);
    return began * 1e9 / (double)chunks;
}

/* Every item is given out, to three devices and to a thousand. The cost of a decision is printed,
 * not checked: it depends on the machine. */
static void many_devices_are_served(void **state)
{
    static const char *const names[] = { "auto",   "even",
                                         "static", "dynamic:chunk=1000",
                                         "guided", "nc-ht:grains=1000",
                                         "c-ht",   "demand" };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        double few = pair_ns(names[i], 3, 10000000), many = pair_ns(names[i], 1000, 10000000);
        print_message("%-20s %5.0f ns with 3 devices, %5.0f ns with 1,000\n", names[i], few, many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_chunks_count_by_the_work),
        cmocka_unit_test(waiting_behind_other_jobs_is_not_work),
        cmocka_unit_test(what_was_not_completed_returns),
        cmocka_unit_test(a_failed_device_loses_what_is_out),
        cmocka_unit_test(all_or_nothing_takes_back_what_was_completed),
        cmocka_unit_test(the_last_chunk_of_a_device_closes),
        cmocka_unit_test(a_leaving_device_finishes_what_is_out),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(bounds_are_multiples_of_the_unit),
        cmocka_unit_test(small_ranges),
        cmocka_unit_test(every_decision_is_kept),
        cmocka_unit_test(one_first_chunk_is_no_verdict),
        cmocka_unit_test(speeds_are_lines),
        cmocka_unit_test(many_devices_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
