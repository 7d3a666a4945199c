/* Tests of the partitioner `weight`: position of each part, number of chunks, and which device
 * takes over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "partition/dispatch.h"

static const struct yk_split_device cores = {
    .name = "cpu", .lanes = 2, .host_memory = 1, .fill = 2, .share = -1
};
static const struct yk_split_device gpu = { .name = "gpu", .lanes = 1, .fill = 1, .share = -1 };

/* Devices as letters: c for cores, g for a GPU. */
static struct yk_dispatch *open_devices(const char *letters, const char *partitioner, int64_t items)
{
    struct yk_split_device devices[8];
    int d, count = (int)strlen(letters);
    struct yk_split_spec spec = { .last = items,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = count,
                                  .partitioner = partitioner };
    struct yk_dispatch *dispatch = NULL;
    for (d = 0; d < count; d++)
        devices[d] = letters[d] == 'c' ? cores : gpu;
    if (yk_dispatch_open(&spec, &dispatch) != YOKE_OK)
        return NULL;
    for (d = 0; d < count; d++)
        yk_dispatch_join(dispatch, d, 0);
    return dispatch;
}

/* The chunk of the device's lane 0, as "0-20 share"; "" for none. */
static const char *next(struct yk_dispatch *dispatch, int device)
{
    static char text[64];
    struct yk_chunk_times times = { .issued = 1, .ended = 2 };
    struct yk_chunk chunk;
    int64_t wake_ns;
    text[0] = '\0';
    if (yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, 1 }, &chunk, &wake_ns) !=
        YK_TAKE)
        return text;
    snprintf(text, sizeof text, "%d-%d %s", (int)chunk.first, (int)chunk.last, chunk.reason);
    yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
    assert_true(yk_dispatch_check(dispatch));
    return text;
}

static void the_low_end_is_the_cores(void **state)
{
    struct yk_dispatch *dispatch = open_devices("gcg", "weight:cpu=0.2", 100);
    (void)state;
    assert_string_equal(next(dispatch, 1), "0-20 share");
    assert_string_equal(next(dispatch, 0), "20-60 share");
    assert_string_equal(next(dispatch, 2), "60-100 share");
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    assert_string_equal(yk_dispatch_reason(dispatch, 1), "its fixed share is 20.0 %");
    yk_dispatch_close(dispatch);
}

static void each_side_comes_in_the_chunks_asked_for(void **state)
{
    struct yk_dispatch *dispatch =
        open_devices("cg", "weight:cpu=0.3,cpu-chunks=3,gpu-chunks=2", 100);
    (void)state;
    assert_string_equal(next(dispatch, 0), "0-10 share");
    assert_string_equal(next(dispatch, 0), "10-20 share");
    assert_string_equal(next(dispatch, 1), "30-65 share");
    assert_string_equal(next(dispatch, 1), "65-100 share");
    assert_string_equal(next(dispatch, 0), "20-30 share");
    yk_dispatch_close(dispatch);
}

/* Three chunks for both: two for each. */
static void who_is_done_takes_over_on_his_side(void **state)
{
    struct yk_dispatch *dispatch = open_devices("cgg", "weight:cpu=0.2,gpu-chunks=3", 100);
    (void)state;
    assert_string_equal(next(dispatch, 1), "20-40 share");
    assert_string_equal(next(dispatch, 1), "40-60 share");
    assert_string_equal(next(dispatch, 1), "80-100 taken over");
    assert_string_equal(next(dispatch, 2), "60-80 share");
    assert_string_equal(next(dispatch, 2), "");
    assert_string_equal(next(dispatch, 0), "0-20 share");
    yk_dispatch_close(dispatch);
}

static void zero_and_one_leave_a_side_out(void **state)
{
    struct yk_dispatch *dispatch = open_devices("cg", "weight:cpu=0", 100);
    (void)state;
    assert_string_equal(next(dispatch, 0), "");
    assert_string_equal(next(dispatch, 1), "0-100 share");
    yk_dispatch_close(dispatch);
    dispatch = open_devices("cg", "weight:cpu=1", 100);
    assert_string_equal(next(dispatch, 1), "");
    assert_string_equal(next(dispatch, 0), "0-100 share");
    yk_dispatch_close(dispatch);
}

static void whoever_there_is_does_all(void **state)
{
    static const struct {
        const char *devices, *partitioner;
    } cases[] = { { "c", "weight:cpu=0" },
                  { "c", "weight:cpu=0.3" },
                  { "g", "weight:cpu=1" },
                  { "g", "weight:cpu=0.3" } };
    size_t c;
    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct yk_dispatch *dispatch = open_devices(cases[c].devices, cases[c].partitioner, 100);
        assert_string_equal(next(dispatch, 0), "0-100 share");
        yk_dispatch_close(dispatch);
    }
}

/* Even if its own share is 0. */
static void a_lost_side_is_done_by_the_other(void **state)
{
    struct yk_dispatch *dispatch = open_devices("cg", "weight:cpu=0", 100);
    (void)state;
    yk_dispatch_failed(dispatch, 1, "gone");
    assert_string_equal(next(dispatch, 0), "0-100 share of a lost device");
    yk_dispatch_close(dispatch);
}

static void bounds_are_whole_units(void **state)
{
    struct yk_split_device devices[] = { cores, gpu };
    struct yk_split_spec spec = { .last = 100,
                                  .unit = 16,
                                  .devices = devices,
                                  .device_count = 2,
                                  .partitioner = "weight:cpu=0.25" };
    struct yk_dispatch *dispatch;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    assert_string_equal(next(dispatch, 0), "0-32 share"); /* 25 is nearer to 32 than to 16 */
    assert_string_equal(next(dispatch, 1), "32-100 share");
    yk_dispatch_close(dispatch);
}

static void a_wrong_weight_is_told(void **state)
{
    static const struct {
        const char *partitioner, *text;
    } cases[] = { { "weight:cpu=1.5", "weight: cpu is 1.5; it may be 0 to 1" },
                  { "weight:cpu=-0.1", "weight: cpu is -0.1; it may be 0 to 1" },
                  { "weight:cpu-chunks=-1",
                    "weight: cpu-chunks is -1, gpu-chunks 0; they are 0 or more" } };
    size_t c;
    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_null(open_devices("cg", cases[c].partitioner, 100));
        assert_string_equal(yoke_error_text(), cases[c].text);
    }
    assert_null(open_devices("cg", "weight:cpu=nan", 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_low_end_is_the_cores),
        cmocka_unit_test(each_side_comes_in_the_chunks_asked_for),
        cmocka_unit_test(who_is_done_takes_over_on_his_side),
        cmocka_unit_test(zero_and_one_leave_a_side_out),
        cmocka_unit_test(whoever_there_is_does_all),
        cmocka_unit_test(a_lost_side_is_done_by_the_other),
        cmocka_unit_test(bounds_are_whole_units),
        cmocka_unit_test(a_wrong_weight_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
