/* Tests of src/partition/dispatch.h: misuse, allocations that fail at every point, a partitioner
 * that gives nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "dispatch_two.h"
#include "partition/dispatch_state.h"

static void mistakes_name_their_cure(void **state)
{
    static const struct {
        const char *partitioner, *says;
    } cases[] = { { "magic", "auto, alone, even, static, dynamic, guided" },
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

/* Runs a whole job with the nth allocation failing: opening may fail, running never does. */
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
            if (yk_dispatch_next(dispatch, &(struct yk_request){ d, 0, now }, &chunk, &wake_ns) !=
                YK_TAKE)
                continue;
            /* half of each chunk first, so that the free items are in many pieces */
            yk_dispatch_done(dispatch, &chunk, (chunk.last - chunk.first + 1) / 2, &times);
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
            assert_true(nth > 5); /* at least some allocations were made to fail */
        }
    assert_int_equal(yk_alloc_outstanding(), before);
}

/* After opening there is no memory at all: chunks get fewer and larger, and the job ends. */
static void memory_may_stay_out(void **state)
{
    int all, lane, round;
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
                if (yk_dispatch_next(dispatch, &(struct yk_request){ lane % 2, lane, round },
                                     &out[count], &wake_ns) == YK_TAKE)
                    count++;
            }
            yk_alloc_fail_at(0);
            assert_true(yk_dispatch_check(dispatch));
            assert_true(count > 0);
            most = count > most ? count : most;
            /* returns half of it, so that the free items are in many pieces */
            for (lane = 0; lane < count; lane++) {
                int64_t items = out[lane].last - out[lane].first;
                yk_dispatch_done(dispatch, &out[lane], (items + part - 1) / part, &times);
                assert_true(yk_dispatch_check(dispatch));
            }
        }
        assert_true(most < 64); /* it was short of memory */
        yk_dispatch_close(dispatch);
    }
}

static void refuse(void *state, const struct yk_request *request, struct yk_take *out)
{
    (void)state, (void)request;
    out->items = 0;
}

/* If every device that could work was refused and nothing is in progress, the last one to ask gets
 * the rest; but not while another device is still expected. */
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
    assert_string_equal(chunk.reason, "no other device");
    done(dispatch, &chunk, 900);
    assert_int_equal(next(dispatch, 1, &chunk), YK_WAIT);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_chunk(&chunk, 900, 1000);
    assert_int_equal(chunk.piece, 51); /* for two lanes */
    dispatch->partitioner = real;
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_name_their_cure),      cmocka_unit_test(a_bad_spec_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),   cmocka_unit_test(memory_may_stay_out),
        cmocka_unit_test(a_miser_does_not_stop_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
