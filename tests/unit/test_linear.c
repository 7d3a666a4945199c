/* Tests of the partitioner `linear`: each device's part by its line, which device gets nothing, and
 * the reported reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/fit.h"
#include "partition/partitioner.h"

enum { devices = 3 };

static struct yk_split_device cpu(double item_ns, double fixed_ns)
{
    return (struct yk_split_device){ .name = "cpu",
                                     .lanes = 4,
                                     .host_memory = 1,
                                     .fill = 4,
                                     .share = -1,
                                     .line = { item_ns, fixed_ns } };
}
static struct yk_split_device gpu(double item_ns, double fixed_ns)
{
    return (struct yk_split_device){
        .name = "gpu", .lanes = 2, .fill = 1, .share = -1, .line = { item_ns, fixed_ns }
    };
}

static struct yk_dispatch *open_three(const char *partitioner, const struct yk_split_device *known,
                                      int64_t items)
{
    const struct yk_split_spec spec = { .last = items,
                                        .unit = 1,
                                        .devices = known,
                                        .device_count = devices,
                                        .partitioner = partitioner };
    struct yk_dispatch *dispatch;
    if (yk_dispatch_open(&spec, &dispatch) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    for (int d = 0; d < devices; d++)
        yk_dispatch_join(dispatch, d, 0);
    return dispatch;
}

/* Runs all of a device's chunks in turn, each done before the next. */
static void run(struct yk_dispatch *dispatch, int64_t done[devices], int chunks[devices])
{
    struct yk_chunk_times times = { .issued = 1, .ended = 2 };
    struct yk_chunk chunk;
    int64_t wake_ns;
    for (int d = 0; d < devices; d++) {
        done[d] = chunks[d] = 0;
        while (yk_dispatch_next(dispatch, &(struct yk_request){ d, 0, 1 }, &chunk, &wake_ns) ==
               YK_TAKE) {
            chunks[d]++;
            done[d] += chunk.last - chunk.first;
            yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        }
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
}

static void assert_says(struct yk_dispatch *dispatch, int device, const char *words)
{
    const char *reason = yk_dispatch_reason(dispatch, device);
    if (!reason || !strstr(reason, words))
        fail_msg("'%s' is not in '%s'", words, reason ? reason : "(nothing)");
}

static void parts_end_together(void **state)
{
    const struct yk_split_device known[] = { cpu(4, 0), gpu(1, 100000), gpu(2, 50000) };
    struct yk_dispatch *dispatch = open_three("linear", known, 1000000);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    /* 1 / 4 + 1 + 1 / 2 = 7 / 4; T = (1e6 + 1e5 + 25e3) * 4 / 7 */
    const double end = 1125000 * 4.0 / 7;
    assert_true(fabs(yk_dispatch_predicted_ns(dispatch) - end) < 4);
    run(dispatch, done, chunks);
    assert_true(fabs((double)done[0] - end / 4) <= 1);
    assert_true(fabs((double)done[1] - (end - 100000)) <= 1);
    assert_int_equal(chunks[0], 1);
    assert_int_equal(chunks[1], 1);
    assert_says(dispatch, 1,
                "% by its line of 1 ns an item and 100 us: predicted to end after 642.9 us, the "
                "job after ");
    yk_dispatch_close(dispatch);
}

/* The prediction includes the usual lateness. */
static void the_job_is_late(void **state)
{
    const struct yk_split_device known[] = { cpu(4, 0), gpu(1, 100000), gpu(2, 50000) };
    const struct yk_split_spec spec = { .last = 1000000,
                                        .unit = 1,
                                        .devices = known,
                                        .device_count = devices,
                                        .late = 1.02,
                                        .partitioner = "linear" };
    struct yk_dispatch *dispatch;
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    assert_true(fabs(yk_dispatch_predicted_ns(dispatch) - 1.02 * 1125000 * 4 / 7) < 4);
    for (int d = 0; d < devices; d++)
        yk_dispatch_join(dispatch, d, 0);
    run(dispatch, done, chunks);
    assert_says(dispatch, 0, "predicted to end after 642.9 us, the job after 655.7 us");
    yk_dispatch_close(dispatch);
}

static void who_does_not_pay(void **state)
{
    const struct yk_split_device known[] = { cpu(1, 0), gpu(0.001, 2e6), gpu(0, 0) };
    struct yk_dispatch *dispatch = open_three("linear", known, 1000000);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    run(dispatch, done, chunks);
    assert_int_equal(done[0], 1000000);
    assert_says(dispatch, 1, "nothing: its fixed cost of 2 ms is no less than the 1 ms in which");
    assert_says(dispatch, 2, "nothing: its time was never measured");
    yk_dispatch_close(dispatch);
}

/* Its measured time is doubted after many jobs without it. */
static void who_was_passed_over(void **state)
{
    static const struct {
        double fixed_ns;
        int jobs, works;
    } cases[] = { { 1.1e6, 63, 0 }, { 1.1e6, 64, 1 }, { 1.3e6, 64, 0 }, { 0.9e6, 0, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_split_device known[] = { cpu(1, 0), gpu(0.001, cases[i].fixed_ns), gpu(0, 0) };
        struct yk_dispatch *dispatch;
        int64_t done[devices];
        int chunks[devices];
        known[1].passed_over = cases[i].jobs;
        dispatch = open_three("linear", known, 1000000);
        run(dispatch, done, chunks);
        assert_int_equal(done[1] > 0, cases[i].works);
        if (cases[i].jobs > 0 && cases[i].works)
            assert_says(dispatch, 1, "and 880 us, assumed to be faster than it was because it got");
        yk_dispatch_close(dispatch);
    }
}

static void least_part_too_long(void **state)
{
    const struct yk_split_device known[] = { cpu(1, 0), gpu(1000, 990), gpu(1, 0) };
    struct yk_dispatch *dispatch = open_three("linear", known, 2000);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    run(dispatch, done, chunks);
    assert_int_equal(done[0], 1000);
    assert_says(dispatch, 1, "nothing: 1 item, its least part, would take 1.99 us");
    yk_dispatch_close(dispatch);
}

static void nothing_known(void **state)
{
    const struct yk_split_device known[] = { cpu(0, 0), gpu(0, 0), gpu(0, 0) };
    struct yk_dispatch *dispatch = open_three("linear", known, 999);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    assert_float_equal(yk_dispatch_predicted_ns(dispatch), 0, 0);
    run(dispatch, done, chunks);
    assert_int_equal(done[0], 333);
    assert_says(dispatch, 0, "an equal share: no device's time is known");
    yk_dispatch_close(dispatch);
}

static void copies_are_cut_further(void **state)
{
    struct yk_split_device known[] = { cpu(4, 0), gpu(1, 100000), gpu(0, 0) };
    struct yk_dispatch *dispatch;
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    known[1].copy_item_ns = 0.5;
    known[1].fixed_ns = 10000; /* sqrt(0.5 * 820000 / 10000) = 6.4 */
    dispatch = open_three("linear", known, 1000000);
    run(dispatch, done, chunks);
    assert_int_equal(chunks[1], 6);
    yk_dispatch_close(dispatch);
    dispatch = open_three("linear:chunks=3", known, 1000000);
    run(dispatch, done, chunks);
    assert_int_equal(chunks[1], 3);
    yk_dispatch_close(dispatch);
}

static void a_lost_device(void **state)
{
    const struct yk_split_device known[] = { cpu(4, 0), gpu(1, 0), gpu(1, 0) };
    struct yk_dispatch *dispatch = open_three("linear", known, 900);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    yk_dispatch_failed(dispatch, 2, "lost");
    run(dispatch, done, chunks);
    assert_int_equal(done[0] + done[1], 900);
    yk_dispatch_close(dispatch);
}

static void energy(void **state)
{
    const struct yk_split_device known[] = { cpu(1, 0), gpu(1, 0), gpu(1, 0) };
    struct yk_dispatch *dispatch = open_three("linear:energy=9/1/2,slower=0.5", known, 9000);
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    run(dispatch, done, chunks);
    assert_int_equal(done[0], 0);
    assert_int_equal(done[1], 4500);
    assert_int_equal(done[2], 4500);
    assert_says(dispatch, 0, "nothing: its items cost 9 J each");
    yk_dispatch_close(dispatch);
}

/* Device 2 adds a tenth, but beside it the others take twice as long. */
static void who_slows_the_others(void **state)
{
    struct yk_split_device known[] = { cpu(2, 0), gpu(2, 0), gpu(20, 0) };
    struct yk_fit fits[devices] = { 0 };
    struct yk_dispatch *dispatch;
    int64_t done[devices];
    int chunks[devices];
    (void)state;
    for (int d = 0; d < devices; d++) {
        const struct yk_fit_sample all = { 1000, 1000 * known[d].line.item_ns, 0, 7 };
        const struct yk_fit_sample two = { 1000, 1000, 0, 3 };
        yk_fit_add(&fits[d], &all);
        if (d < 2)
            yk_fit_add(&fits[d], &two);
        known[d].fit = &fits[d];
    }
    dispatch = open_three("linear", known, 2000);
    assert_true(fabs(yk_dispatch_predicted_ns(dispatch) - 1000) < 2);
    run(dispatch, done, chunks);
    assert_int_equal(done[0], 1000);
    assert_int_equal(done[2], 0);
    assert_says(dispatch, 2, "nothing: it slows the others, which do all in 1 us without it");
    yk_dispatch_close(dispatch);
}

static void wrong_words(void **state)
{
    static const char *const wrong[] = { "linear:chunks=-1", "linear:slower=0.1",
                                         "linear:energy=1/2,slower=0.1", "linear:energy=1/x/2",
                                         "linear:slower=nan,energy=1/1/1" };
    const struct yk_split_device known[] = { cpu(1, 0), gpu(1, 0), gpu(1, 0) };
    struct yk_split_spec spec = {
        .last = 10, .unit = 1, .devices = known, .device_count = devices
    };
    struct yk_dispatch *dispatch;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        spec.partitioner = wrong[i];
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_end_together),
        cmocka_unit_test(the_job_is_late),
        cmocka_unit_test(who_does_not_pay),
        cmocka_unit_test(least_part_too_long),
        cmocka_unit_test(who_was_passed_over),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(copies_are_cut_further),
        cmocka_unit_test(a_lost_device),
        cmocka_unit_test(energy),
        cmocka_unit_test(who_slows_the_others),
        cmocka_unit_test(wrong_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
