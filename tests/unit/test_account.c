/* test_account.c - what a dispatcher reports of devices when a job is done: their lines, and the
 * job's time without one of them. */
#include <math.h>

#include "dispatch_two.h"
#include "partition/device_account.h"

/* Each device takes its region at time 1, at 2 and 1 ns per item. */
static void run(struct yk_dispatch *dispatch, int64_t *ns)
{
    const int64_t item_ns[] = { 2, 1 };
    struct yk_chunk chunks[2];
    int out[2], d;
    for (d = 0; d < 2; d++)
        out[d] = next(dispatch, d, &chunks[d]) == YK_TAKE;
    *ns = 0;
    for (d = 0; d < 2; d++) {
        const int64_t items = out[d] ? chunks[d].last - chunks[d].first : 0;
        struct yk_chunk_times times = { .issued = 1, .ended = 1 + item_ns[d] * items };
        if (out[d])
            yk_dispatch_done(dispatch, &chunks[d], items, &times);
        *ns = item_ns[d] * items > *ns ? item_ns[d] * items : *ns;
    }
    assert_int_equal(yk_dispatch_left(dispatch), 0);
}

static void without_one_the_others_do_its_part(void **state)
{
    struct yk_dispatch *dispatch = open_two("static:shares=1/2,chunks=1", 3000, 0);
    struct yk_account accounts[2];
    int64_t ns;
    (void)state;
    run(dispatch, &ns);
    assert_int_equal(ns, 2000);
    assert_int_equal(yk_dispatch_account(dispatch, ns, 0, accounts), YOKE_OK);
    assert_float_equal(accounts[0].line.item_ns, 2, 1e-9);
    assert_float_equal(accounts[1].line.item_ns, 1, 1e-9);
    assert_float_equal(accounts[1].grain, 2000, 0);
    assert_float_equal(accounts[0].without_ns, 3000, 1);
    assert_float_equal(accounts[1].without_ns, 6000, 1);
    yk_dispatch_close(dispatch);
}

/* A failed device cannot help; the other one is the only one left. */
static void who_is_gone_does_not_help(void **state)
{
    struct yk_dispatch *dispatch = open_two("static:shares=1/2,chunks=1", 3000, 0);
    struct yk_account accounts[2];
    int64_t ns;
    (void)state;
    run(dispatch, &ns);
    assert_int_equal(yk_dispatch_account(dispatch, ns, 2, accounts), YOKE_OK);
    assert_true(isinf(accounts[0].without_ns));
    assert_true(accounts[1].line.item_ns == 0);
    yk_dispatch_close(dispatch);
}

/* A device that did nothing is not missed, and the speed of a device that was never measured is
 * unknown. */
static void who_did_nothing_is_not_missed(void **state)
{
    struct yk_dispatch *dispatch = open_two("static:shares=1/0", 1000, 0);
    struct yk_account accounts[2];
    int64_t ns;
    (void)state;
    run(dispatch, &ns);
    assert_int_equal(yk_dispatch_account(dispatch, ns, 0, accounts), YOKE_OK);
    assert_true(accounts[1].line.item_ns == 0 && accounts[1].grain == 0);
    assert_float_equal(accounts[1].without_ns, (double)ns, 0);
    assert_true(accounts[0].without_ns == 0);
    yk_dispatch_close(dispatch);
}

/* If a partitioner splits by a line, the report says that whole jobs follow it. */
static void lines_of_jobs_are_told_apart(void **state)
{
    struct yk_split_device devices[] = { cpu2, gpu2 };
    const struct yk_split_spec spec = { .last = 1000,
                                        .unit = 1,
                                        .devices = devices,
                                        .device_count = 2,
                                        .partitioner = "static:shares=1/1,chunks=1" };
    struct yk_account accounts[2];
    struct yk_dispatch *dispatch;
    int64_t ns;
    (void)state;
    devices[1].line = (struct yk_line){ 3, 500 };
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    yk_dispatch_join(dispatch, 1, 0);
    run(dispatch, &ns);
    assert_int_equal(yk_dispatch_account(dispatch, ns, 0, accounts), YOKE_OK);
    assert_int_equal(accounts[0].of_jobs, 0);
    assert_int_equal(accounts[1].of_jobs, 1);
    assert_float_equal(accounts[1].line.fixed_ns, 500, 0);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_one_the_others_do_its_part),
        cmocka_unit_test(who_is_gone_does_not_help),
        cmocka_unit_test(who_did_nothing_is_not_missed),
        cmocka_unit_test(lines_of_jobs_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
