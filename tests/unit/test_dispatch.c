/* Tests of src/partition/dispatch.h: the books, answers of every kind, limits, mistakes, memory
 * that runs out at every point, cost of a decision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "partition/dispatch_state.h"
#include "partition/speed.h"

static const struct yk_split_device cpu2 = {
    .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .share = -1
};
static const struct yk_split_device gpu2 = { .name = "gpu", .lanes = 2, .fill = 1, .share = -1 };

static struct yk_dispatch *open_two(const char *partitioner, int64_t items, int all_or_nothing)
{
    const struct yk_split_device devices[] = { cpu2, gpu2 };
    struct yk_split_spec spec = { .last = items,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = 2,
                                  .partitioner = partitioner,
                                  .all_or_nothing = all_or_nothing };
    struct yk_dispatch *dispatch;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    return dispatch;
}

static enum yk_verdict next(struct yk_dispatch *dispatch, int device, struct yk_chunk *chunk)
{
    int64_t wake_ns;
    enum yk_verdict verdict = yk_dispatch_next(dispatch, device, 0, 1, chunk, &wake_ns);
    assert_true(yk_dispatch_check(dispatch));
    return verdict;
}

static void done(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk,
                 int64_t completed)
{
    struct yk_chunk_times times = { .issued = 1, .ended = 101 };
    yk_dispatch_done(dispatch, device, chunk, completed, &times);
    assert_true(yk_dispatch_check(dispatch));
}

static void assert_chunk(const struct yk_chunk *chunk, int64_t first, int64_t last)
{
    assert_int_equal(chunk->first, first);
    assert_int_equal(chunk->last, last);
}

/* A lane that is held up holds up a chunk, and says little of what the device can do. */
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
    yk_dispatch_done(dispatch, 0, &chunk, chunk.last - chunk.first, &times);
    assert_int_equal(yk_dispatch_forecast(dispatch, 0, chunk.last - chunk.first), 1000);
    yk_dispatch_close(dispatch);
}

static void what_was_not_completed_returns(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 0);
    struct yk_chunk a, b;
    (void)state;
    assert_int_equal(next(dispatch, 1, &a), YK_TAKE);
    assert_chunk(&a, 90, 100);
    done(dispatch, 1, &a, 4); /* 90 .. 93 are done */
    assert_int_equal(yk_dispatch_left(dispatch), 96);
    assert_int_equal(next(dispatch, 1, &b), YK_TAKE);
    assert_chunk(&b, 94, 100);
    done(dispatch, 1, &b, 0);
    assert_int_equal(yk_dispatch_left(dispatch), 96);
    done(dispatch, 1, &b, 6); /* not out any more: ignored */
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
    done(dispatch, 1, &a, 10);
    assert_int_equal(next(dispatch, 1, &b), YK_TAKE);
    yk_dispatch_failed(dispatch, 1, "it caught fire");
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(yk_dispatch_left(dispatch), 90);
    assert_int_equal(yk_dispatch_out(dispatch), 0);
    done(dispatch, 1, &b, 10); /* too late */
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
        done(dispatch, 0, &chunk, chunk.last - chunk.first);
        assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
        done(dispatch, 1, &chunk, chunk.last - chunk.first);
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_FINISHED);
    yk_dispatch_failed(dispatch, 1, "its copy is lost"); /* after all was done */
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(yk_dispatch_left(dispatch), 20);
    while (yk_dispatch_left(dispatch) > 0) {
        assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
        done(dispatch, 0, &chunk, chunk.last - chunk.first);
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
    done(dispatch, 1, &a, 10);
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
    yk_dispatch_returned(dispatch, 1, &chunk, 15);
    assert_true(yk_dispatch_check(dispatch));
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 50, 65);
    yk_dispatch_returned(dispatch, 1, &chunk, 0); /* as before */
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 50, 65);
    yk_dispatch_limit(dispatch, 1, 0);
    done(dispatch, 1, &chunk, 15);
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
            done(dispatch, 0, &chunk, 1);
        else if (next(dispatch, 1, &chunk) == YK_TAKE)
            done(dispatch, 1, &chunk, 1);
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
    done(dispatch, 1, &chunk, 50);
    yk_dispatch_outcome(dispatch, 1, &outcome);
    assert_int_equal(outcome.items, 50);
    assert_int_equal(outcome.busy_ns, 100);
    assert_true(outcome.rate == 0);
    assert_int_equal(yk_dispatch_next(dispatch, 0, 0, 200, &chunk, &wake_ns), YK_TAKE);
    yk_dispatch_done(dispatch, 0, &chunk, 50, &times);
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
    /* 400 of 1000 items in 9000 ns, 1000 of them for the chunk: 20 ns an item */
    known.rate = 400 / 9000.0;
    known.share = 0.4;
    known.fixed_ns = 1000;
    yk_speed_open(&speed, &known, 1000);
    assert_float_equal(speed.item_ns, 20, 1e-9);
}

static void mistakes_name_their_cure(void **state)
{
    static const struct {
        const char *partitioner, *says;
    } cases[] = { { "magic", "auto, even, static, dynamic, guided" },
                  { "", "give one of" },
                  { "even:x=1", "has no option 'x'" },
                  { "dynamic:chunk=-3", "give 1 or more" },
                  { "dynamic:chunks=3", "there are: chunk" },
                  { "guided:k=0", "more than 0" },
                  { "guided:threshold=-1", "give 1 or more" },
                  { "static:shares=1/2/3", "3 shares for 2 devices" },
                  { "static:shares=a/2", "not a number" },
                  { "static:shares=1//2", "missing" },
                  { "static:shares=-1/2", "give 0 or more" },
                  { "static:shares=0/0", "more than 0" },
                  { "static:shares=1.5", "between 0 and 1" },
                  { "static:shares=0.5,chunks=-1", "or more" } };
    const struct yk_split_device devices[] = { cpu2, gpu2 };
    struct yk_split_spec spec = { .last = 10, .unit = 1, .devices = devices, .device_count = 2 };
    struct yk_dispatch *dispatch = NULL;
    int64_t before = yk_alloc_outstanding();
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        spec.partitioner = cases[i].partitioner;
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_EINVAL);
        if (!strstr(yoke_error_text(), cases[i].says))
            fail_msg("'%s' says: %s", cases[i].partitioner, yoke_error_text());
        assert_int_equal(yk_alloc_outstanding(), before);
    }
    spec.device_count = 1;
    spec.devices = &gpu2;
    spec.partitioner = "static:shares=0.3"; /* the only device gets all */
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_close(dispatch);
    yk_dispatch_close(NULL);
}

static void a_bad_spec_is_refused(void **state)
{
    struct yk_split_device device = cpu2;
    struct yk_split_spec good = { .last = 10, .unit = 1, .devices = &device, .device_count = 1 };
    struct yk_split_spec bad = good;
    struct yk_dispatch *dispatch;
    (void)state;
    assert_int_equal(yk_dispatch_open(NULL, &dispatch), YOKE_EINVAL);
    assert_int_equal(yk_dispatch_open(&good, NULL), YOKE_EINVAL);
    bad.first = 11;
    assert_int_equal(yk_dispatch_open(&bad, &dispatch), YOKE_EINVAL);
    bad.first = INT64_MIN;
    assert_int_equal(yk_dispatch_open(&bad, &dispatch), YOKE_EINVAL);
    bad = good;
    bad.unit = 0;
    assert_int_equal(yk_dispatch_open(&bad, &dispatch), YOKE_EINVAL);
    bad = good;
    bad.device_count = 0;
    assert_int_equal(yk_dispatch_open(&bad, &dispatch), YOKE_EINVAL);
    device.lanes = 0;
    assert_int_equal(yk_dispatch_open(&good, &dispatch), YOKE_EINVAL);
    device.lanes = 1;
    device.fill = 0;
    assert_int_equal(yk_dispatch_open(&good, &dispatch), YOKE_EINVAL);
}

/* The whole job with the nth allocation failing: opening may fail, running never does. */
static int survive(const char *partitioner, int all_or_nothing, int64_t nth)
{
    const struct yk_split_device devices[] = { cpu2, gpu2, gpu2 };
    struct yk_split_spec spec = { .last = 3000,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = 3,
                                  .partitioner = partitioner,
                                  .all_or_nothing = all_or_nothing };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    int64_t wake_ns, now = 0;
    yoke_status status;
    int d, failed;
    yk_alloc_fail_at(nth);
    status = yk_dispatch_open(&spec, &dispatch);
    for (d = 0; status == YOKE_OK && d < 3; d++)
        yk_dispatch_join(dispatch, d, 0);
    while (status == YOKE_OK && yk_dispatch_left(dispatch) > 0 && now < 1000000000)
        for (now += 60000, d = 0; d < 3; d++) {
            struct yk_chunk_times times = { .issued = now, .ended = now + 50000 };
            if (yk_dispatch_next(dispatch, d, 0, now, &chunk, &wake_ns) != YK_TAKE)
                continue;
            /* half of each chunk first, so that the free items fall apart */
            yk_dispatch_done(dispatch, d, &chunk, (chunk.last - chunk.first + 1) / 2, &times);
            if (!yk_dispatch_check(dispatch))
                fail_msg("%s, allocation %d: the books are wrong", partitioner, (int)nth);
        }
    failed = yk_alloc_failed();
    yk_alloc_fail_at(0);
    if (status == YOKE_OK) {
        assert_int_equal(yk_dispatch_left(dispatch), 0);
        yk_dispatch_close(dispatch);
    } else {
        assert_int_equal(status, YOKE_ENOMEM);
    }
    return failed;
}

static void memory_may_run_out_anywhere(void **state)
{
    static const char *const names[] = { "auto",
                                         "even",
                                         "static:shares=1/2/3",
                                         "dynamic:chunk=7",
                                         "guided",
                                         "demand:model=given,capability=1/2/3" };
    int64_t before = yk_alloc_outstanding(), nth;
    size_t i;
    int all;
    (void)state;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        for (all = 0; all < 2; all++) {
            for (nth = 1; survive(names[i], all, nth); nth++)
                assert_int_equal(yk_alloc_outstanding(), before);
            assert_true(nth > 5); /* it did fail something */
        }
    assert_int_equal(yk_alloc_outstanding(), before);
}

/* From opening on there is no memory at all: chunks get fewer and larger, and the job ends. */
static void memory_may_stay_out(void **state)
{
    int all, lane, round, d;
    (void)state;
    for (all = 0; all < 2; all++) {
        struct yk_dispatch *dispatch = open_two("dynamic:chunk=3", 2000, all);
        struct yk_chunk out[64];
        int64_t wake_ns;
        int most = 0;
        for (round = 1; yk_dispatch_left(dispatch) > 0; round++) {
            struct yk_chunk_times times = { .issued = round, .ended = round + 1 };
            int count = 0, part = all ? 1 : 2; /* kept parts need memory of their own */
            assert_true(round < 10000);
            for (lane = 0; lane < 64; lane++) {
                yk_alloc_fail_at(1);
                if (yk_dispatch_next(dispatch, lane % 2, lane, round, &out[count], &wake_ns) ==
                    YK_TAKE)
                    count++;
            }
            yk_alloc_fail_at(0);
            assert_true(yk_dispatch_check(dispatch));
            assert_true(count > 0);
            most = count > most ? count : most;
            /* half of it back, so that the free items fall apart */
            for (lane = 0; lane < count; lane++) {
                int64_t items = out[lane].last - out[lane].first;
                for (d = 0; d < 2; d++) /* whose it is not ignores it */
                    yk_dispatch_done(dispatch, d, &out[lane], (items + part - 1) / part, &times);
                assert_true(yk_dispatch_check(dispatch));
            }
        }
        assert_true(most < 64); /* it was short of memory */
        yk_dispatch_close(dispatch);
    }
}

static void refuse(void *state, const struct yk_split_view *view, int device, int lane, int64_t now,
                   struct yk_take *out)
{
    (void)state, (void)view, (void)device, (void)lane, (void)now;
    out->items = 0;
}

/* When everybody who could work was refused and nothing is out, the last one to ask gets the rest;
 * but not while somebody is still to come. */
static void a_miser_does_not_stop_the_job(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic", 1000, 0);
    const struct yk_partitioner *real = dispatch->partitioner;
    struct yk_partitioner miser = *real;
    struct yk_chunk chunk;
    (void)state;
    miser.take = refuse;
    dispatch->partitioner = &miser;
    assert_int_equal(next(dispatch, 0, &chunk), YK_WAIT);
    assert_int_equal(next(dispatch, 0, &chunk), YK_WAIT);
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    assert_chunk(&chunk, 0, 1000);
    assert_string_equal(chunk.reason, "nobody else");
    done(dispatch, 1, &chunk, 900);
    assert_int_equal(next(dispatch, 1, &chunk), YK_WAIT);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_chunk(&chunk, 900, 1000);
    assert_int_equal(chunk.piece, 51); /* for two lanes */
    dispatch->partitioner = real;
    yk_dispatch_close(dispatch);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ns of processor time for a next and its done. */
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
            if (yk_dispatch_next(dispatch, d, 0, now, &chunk, &wake_ns) != YK_TAKE)
                continue;
            now += 1000 / device_count + 1;
            chunks++;
            yk_dispatch_done(dispatch, d, &chunk, chunk.last - chunk.first, &times);
        }
    began = seconds() - began;
    assert_int_equal(yk_dispatch_out(dispatch), 0);
    assert_true(yk_dispatch_check(dispatch));
    yk_dispatch_close(dispatch);
    free(devices);
    return began * 1e9 / (double)chunks;
}

/* Every item is handed out, to three devices and to a thousand. What a decision costs is printed,
 * not judged: that depends on the machine. */
static void many_devices_are_served(void **state)
{
    static const char *const names[] = { "auto",   "even",
                                         "static", "dynamic:chunk=1000",
                                         "guided", "nc-ht:grains=1000",
                                         "c-ht",   "demand" };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        double few = pair_ns(names[i], 3, 100000000), many = pair_ns(names[i], 1000, 100000000);
        print_message("%-20s %5.0f ns with 3 devices, %5.0f ns with 1,000\n", names[i], few, many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_chunks_count_by_the_work),
        cmocka_unit_test(what_was_not_completed_returns),
        cmocka_unit_test(a_failed_device_loses_what_is_out),
        cmocka_unit_test(all_or_nothing_takes_back_what_was_completed),
        cmocka_unit_test(a_leaving_device_finishes_what_is_out),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(bounds_are_multiples_of_the_unit),
        cmocka_unit_test(small_ranges),
        cmocka_unit_test(every_decision_is_kept),
        cmocka_unit_test(one_first_chunk_is_no_verdict),
        cmocka_unit_test(speeds_are_lines),
        cmocka_unit_test(mistakes_name_their_cure),
        cmocka_unit_test(a_bad_spec_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_stay_out),
        cmocka_unit_test(a_miser_does_not_stop_the_job),
        cmocka_unit_test(many_devices_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
