/* test_auto_sole.c - if its neighbours were left out of a job, a CPU device takes it in a few large
 * leases, as if it were alone: short leases cost more to distribute than they last. And a GPU that
 * would end before its neighbour joins takes all at once, if the wait for it would be short. */
#include "dispatch_two.h"

enum { ITEMS = 100000 };

/* Size of the cores' first lease, if a GPU left the job before it began, or did not. */
static int64_t first_lease(int gpu_leaves)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 32, .host_memory = 1, .fill = 32, .rate = 0.05, .share = 0.9 },
        { .name = "gpu", .lanes = 2, .fill = 64, .rate = 0.005, .fixed_ns = 1e4, .share = 0.1 }
    };
    const struct yk_split_spec spec = {
        .last = ITEMS, .unit = 1, .devices = devices, .device_count = 2
    };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    if (gpu_leaves)
        yk_dispatch_leave(dispatch, 1, "");
    else
        yk_dispatch_join(dispatch, 1, 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    yk_dispatch_close(dispatch);
    return chunk.last - chunk.first;
}

static void cores_left_alone_take_large_leases(void **state)
{
    (void)state;
    assert_in_range(first_lease(1), ITEMS * 7 / 10, ITEMS);
}

static void beside_others_they_do_not(void **state)
{
    (void)state;
    assert_in_range(first_lease(0), 1, ITEMS / 2);
}

/* Size of the first chunk of device 0, which is the first to join. */
static int64_t first_chunk_of(const struct yk_split_spec *spec)
{
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    assert_int_equal(yk_dispatch_open(spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    yk_dispatch_close(dispatch);
    return chunk.last - chunk.first;
}

/* First chunk of a job that takes one of two GPUs `items_ns`; the other one has not joined yet. */
static int64_t first_chunk(double items_ns)
{
    const struct yk_split_device gpu = { .name = "gpu",
                                         .lanes = 2,
                                         .fill = 64,
                                         .rate = ITEMS / items_ns,
                                         .fixed_ns = 8e3,
                                         .make = 1,
                                         .share = -1 };
    const struct yk_split_device devices[] = { gpu, gpu };
    const struct yk_split_spec spec = {
        .last = ITEMS, .unit = 1, .devices = devices, .device_count = 2
    };
    return first_chunk_of(&spec);
}

static void a_short_job_is_one_chunk(void **state)
{
    (void)state;
    assert_int_equal(first_chunk(2.2e4), ITEMS);
    assert_int_equal(first_chunk(4e4), ITEMS);
    assert_in_range(first_chunk(1e6), 1, ITEMS * 6 / 10); /* the other one joins in 80 us */
}

/* A filter of 480 rows on a GPU that 317 rows fill: 10 us. A second chunk for the other 163 would
 * take as long as a launch, for cores that are idle otherwise, too. */
static void what_is_no_whole_fill_is_no_second_chunk(void **state)
{
    enum { ROWS = 480 };
    const struct yk_split_device gpu = {
        .name = "gpu", .lanes = 2, .fill = 317, .rate = ROWS / 1e4, .fixed_ns = 8e3, .share = -1
    };
    const struct yk_split_spec spec = {
        .last = ROWS, .unit = 1, .devices = &gpu, .device_count = 1
    };
    (void)state;
    assert_int_equal(first_chunk_of(&spec), ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_left_alone_take_large_leases),
        cmocka_unit_test(beside_others_they_do_not),
        cmocka_unit_test(a_short_job_is_one_chunk),
        cmocka_unit_test(what_is_no_whole_fill_is_no_second_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
