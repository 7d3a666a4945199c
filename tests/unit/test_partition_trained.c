/* Tests of the partitioner `trained`: regions from known speeds, and what is recorded of a job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partition/partitioner.h"

enum { CPU, GPU, COUNT };

static struct yk_split_device devices[COUNT];

static void know(double cpu_share, double gpu_share)
{
    devices[CPU] = (struct yk_split_device){
        .name = "cpu", .lanes = 1, .host_memory = 1, .fill = 1, .rate = 1, .share = cpu_share
    };
    devices[GPU] = (struct yk_split_device){
        .name = "gpu", .lanes = 1, .fill = 1, .rate = 3, .share = gpu_share
    };
}

static struct yk_dispatch *open_known(const char *partitioner, const struct yk_adjust *adjust)
{
    struct yk_split_spec spec = { .last = 100,
                                  .unit = 1,
                                  .devices = devices,
                                  .device_count = COUNT,
                                  .partitioner = partitioner,
                                  .adjust = adjust };
    struct yk_dispatch *dispatch = NULL;
    if (yk_dispatch_open(&spec, &dispatch) != YOKE_OK)
        return NULL;
    yk_dispatch_join(dispatch, CPU, 0);
    yk_dispatch_join(dispatch, GPU, 0);
    return dispatch;
}

/* The device does all that it gets in `ns`, after everything done before. */
static void work(struct yk_dispatch *dispatch, int device, int64_t ns)
{
    static int64_t now;
    struct yk_chunk chunk;
    int64_t wake_ns;
    assert_int_equal(
        yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, now }, &chunk, &wake_ns),
        YK_TAKE);
    yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first,
                     &(struct yk_chunk_times){ .issued = now, .ended = now + ns });
    now += ns;
}

static int64_t items_of(const struct yk_dispatch *dispatch, int device)
{
    struct yk_split_outcome outcome;
    yk_dispatch_outcome(dispatch, device, &outcome);
    return outcome.items;
}

static void shares_are_those_of_the_last_run(void **state)
{
    struct yk_dispatch *dispatch;
    (void)state;
    know(0.4, 0.6);
    dispatch = open_known("trained", NULL);
    work(dispatch, CPU, 100);
    work(dispatch, GPU, 100);
    assert_int_equal(items_of(dispatch, CPU), 40);
    assert_string_equal(yk_dispatch_reason(dispatch, CPU), "its learned share was 40.0 %");
    yk_dispatch_close(dispatch);
}

static void speeds_stand_in_for_shares(void **state)
{
    struct yk_dispatch *dispatch;
    (void)state;
    know(-1, 0.6);
    dispatch = open_known("trained", NULL);
    work(dispatch, CPU, 100);
    work(dispatch, GPU, 100);
    assert_int_equal(items_of(dispatch, CPU), 25);
    yk_dispatch_close(dispatch);
}

static void a_run_is_noted_when_it_is_over(void **state)
{
    struct yk_adjust adjust = { .lbt = 0.85 };
    struct yk_dispatch *dispatch;
    double shares[COUNT] = { 0 };
    (void)state;
    know(0.4, 0.6);
    dispatch = open_known("trained:w=0.5", &adjust);
    work(dispatch, CPU, 1000);
    assert_int_equal(yk_dispatch_adjust(dispatch, &adjust, shares), 0); /* nothing is adjusted */
    work(dispatch, GPU, 400);
    assert_int_equal(yk_dispatch_adjust(dispatch, &adjust, shares), 1);
    assert_int_equal(adjust.level, 2);
    /* 0.4 in 1000 and 0.6 in 400 */
    assert_float_equal(shares[CPU], 0.0004 / (0.0004 + 0.0015), 1e-9);
    assert_float_equal(shares[CPU] + shares[GPU], 1, 1e-9);
    yk_dispatch_close(dispatch);
    dispatch = open_known("trained", &adjust);
    work(dispatch, CPU, 1000);
    work(dispatch, GPU, 1000);
    assert_string_equal(yk_dispatch_reason(dispatch, GPU),
                        "its learned share was 60.0 %; the run before: dev 0.40, lbt 0.93, level 2 "
                        "(shares fitted to its times)");
    yk_dispatch_close(dispatch);
}

static void a_lost_device_says_nothing_of_shares(void **state)
{
    struct yk_adjust adjust = { .lbt = 0.85 };
    struct yk_dispatch *dispatch;
    double shares[COUNT];
    (void)state;
    know(0.4, 0.6);
    dispatch = open_known("trained", &adjust);
    yk_dispatch_failed(dispatch, GPU, "gone");
    work(dispatch, CPU, 1000);
    work(dispatch, CPU, 1000);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    assert_int_equal(yk_dispatch_adjust(dispatch, &adjust, shares), 0);
    assert_float_equal(adjust.lbt, 0.85, 0);
    yk_dispatch_close(dispatch);
}

static void who_was_not_asked_does_not_matter(void **state)
{
    struct yk_adjust adjust = { .lbt = 0.85 };
    struct yk_dispatch *dispatch;
    double shares[COUNT];
    (void)state;
    know(1, 0);
    dispatch = open_known("trained", &adjust);
    yk_dispatch_leave(dispatch, GPU, "");
    work(dispatch, CPU, 1000);
    assert_int_equal(yk_dispatch_adjust(dispatch, &adjust, shares), 0);
    assert_float_equal(adjust.lbt, 0.425, 1e-9); /* a balanced run */
    yk_dispatch_close(dispatch);
}

static void others_are_not_adjusted(void **state)
{
    struct yk_adjust adjust = { .lbt = 0.95 };
    struct yk_dispatch *dispatch;
    double shares[COUNT];
    (void)state;
    know(0.4, 0.6);
    dispatch = open_known("static:shares=1/1", &adjust);
    work(dispatch, CPU, 1000);
    work(dispatch, GPU, 10);
    assert_int_equal(yk_dispatch_adjust(dispatch, &adjust, shares), 0);
    assert_float_equal(adjust.lbt, 0.95, 0);
    yk_dispatch_close(dispatch);
}

static void wrong_settings_are_told(void **state)
{
    static const char *const wrong[] = { "trained:w=0",    "trained:w=1.1",  "trained:dev=0",
                                         "trained:dev=2",  "trained:step=0", "trained:step=0.6",
                                         "trained:w=-0.5", "trained:level=1" };
    size_t i;
    (void)state;
    know(0.4, 0.6);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(open_known(wrong[i], NULL));
    assert_null(open_known("trained:w=0", NULL));
    assert_string_equal(yoke_error_text(), "trained: dev=0.88, w=0, step=0.1; dev and w may be "
                                           "above 0 to 1, step above 0 to 0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_the_last_run),
        cmocka_unit_test(speeds_stand_in_for_shares),
        cmocka_unit_test(a_run_is_noted_when_it_is_over),
        cmocka_unit_test(a_lost_device_says_nothing_of_shares),
        cmocka_unit_test(who_was_not_asked_does_not_matter),
        cmocka_unit_test(others_are_not_adjusted),
        cmocka_unit_test(wrong_settings_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
