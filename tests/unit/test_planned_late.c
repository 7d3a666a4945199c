/* test_planned_late.c - devices of a planned job that are late. Cores take over the rows of another
 * device only if that ends the job sooner although results have to return, and then in one piece
 * for each lane. A core that is late does less of the cores' own rows. */
#include "dispatch_two.h"

enum { ITEMS = 100000, LANES = 8, OWN = ITEMS / 10 };

/* What the test varies. */
struct late {
    double back_ns; /* for one item of the GPU */
    int64_t now;    /* when the cores have done their part and the GPU has not come */
};

/* What the cores are told then. */
static enum yk_verdict ask(const struct late *late, struct yk_chunk *chunk)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = LANES, .host_memory = 1, .fill = LANES, .rate = 1, .share = 0.1 },
        { .name = "gpu",
          .lanes = 1,
          .fill = 64,
          .rate = 10,
          .fixed_ns = 1e4,
          .back_ns = late->back_ns,
          .share = 0.9 }
    };
    const struct yk_split_spec spec = { .last = ITEMS,
                                        .unit = 1,
                                        .devices = devices,
                                        .device_count = 2,
                                        .planned = 1,
                                        .planned_ns = 2e4 };
    struct yk_dispatch *dispatch;
    struct yk_chunk_times times = { 0 };
    enum yk_verdict verdict;
    int64_t wake_ns, done;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    for (done = 0; done < OWN; done = chunk->last) {
        const struct yk_request request = { 0, 0, done };
        assert_int_equal(yk_dispatch_next(dispatch, &request, chunk, &wake_ns), YK_TAKE);
        assert_true(chunk->first == done && chunk->last <= OWN);
        times.issued = done;
        times.ended = chunk->last;
        yk_dispatch_done(dispatch, chunk, chunk->last - done, &times);
    }
    verdict = yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, late->now }, chunk, &wake_ns);
    yk_dispatch_close(dispatch);
    return verdict;
}

static void not_if_results_take_longer_to_return(void **state)
{
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(ask(&(struct late){ 100, 200000 }, &chunk), YK_WAIT);
}

static void not_if_it_should_come_any_moment(void **state)
{
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(ask(&(struct late){ 10, OWN }, &chunk), YK_WAIT);
}

static void in_one_piece_for_each_lane(void **state)
{
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(ask(&(struct late){ 0, 200000 }, &chunk), YK_TAKE);
    assert_string_equal(chunk.reason, "taken over");
    assert_true(chunk.piece >= (chunk.last - chunk.first) / LANES);
}

/* Each core does its own rows, here 75 us, in pieces of at least 20 us. The cores that are done
 * first do the last quarter. */
static void a_core_that_is_late_does_less(void **state)
{
    const struct yk_split_device cores = {
        .name = "cpu", .lanes = LANES, .host_memory = 1, .fill = LANES, .rate = 1, .share = 1
    };
    const struct yk_split_spec spec = { .last = ITEMS,
                                        .unit = 1,
                                        .devices = &cores,
                                        .device_count = 1,
                                        .planned = 1,
                                        .planned_ns = ITEMS };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, ITEMS - ITEMS / 4);
    assert_int_equal(chunk.piece, (ITEMS - ITEMS / 4) / LANES / 3);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, ITEMS / 4);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_if_results_take_longer_to_return),
        cmocka_unit_test(not_if_it_should_come_any_moment),
        cmocka_unit_test(in_one_piece_for_each_lane),
        cmocka_unit_test(a_core_that_is_late_does_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
