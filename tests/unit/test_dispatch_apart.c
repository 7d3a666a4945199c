/* test_dispatch_apart.c - a dispatcher while a device tries another kernel: chunks are bounded;
 * chunks by the slower kernel count as done but not for the speed; and if a kernel turns out
 * faster, all speeds are measured anew. */
#include "dispatch_two.h"

static void ended(struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                  struct yk_chunk_times times)
{
    yk_dispatch_done(dispatch, chunk, chunk->last - chunk->first, &times);
    assert_true(yk_dispatch_check(dispatch));
}

static double rate_of(const struct yk_dispatch *dispatch, int device)
{
    struct yk_split_outcome outcome;
    yk_dispatch_outcome(dispatch, device, &outcome);
    return outcome.rate;
}

/* With every partitioner, until the bound is lifted; all items get done. */
static void chunks_are_bounded(void **state)
{
    static const char *const partitioners[] = { NULL,     "even",  "static", "dynamic:chunk=500",
                                                "guided", "nc-ht", "c-ht",   "demand" };
    (void)state;
    for (int p = 0; p < (int)(sizeof partitioners / sizeof *partitioners); p++) {
        struct yk_dispatch *dispatch = open_two(partitioners[p], 10000, 0);
        struct yk_chunk chunk;
        int64_t now = 1, wake_ns;
        yk_dispatch_bound(dispatch, 0, 30);
        yk_dispatch_bound(dispatch, 1, 20);
        for (int turns = 0; yk_dispatch_left(dispatch) > 0; turns++) {
            const int device = turns % 2;
            assert_true(turns < 20000);
            if (turns == 100)
                yk_dispatch_bound(dispatch, 0, 0);
            if (yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, now }, &chunk,
                                 &wake_ns) != YK_TAKE) {
                now = wake_ns > now ? wake_ns : now + 1000;
                continue;
            }
            if (device == 1 || turns < 100)
                assert_in_range(chunk.last - chunk.first, 1, device ? 20 : 30);
            assert_in_range(chunk.piece, 1, chunk.last - chunk.first);
            now += 1000;
            ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = now - 1000, .ended = now });
        }
        yk_dispatch_close(dispatch);
    }
}

/* Lanes of a CPU share a bounded chunk too. */
static void a_bounded_lease_has_pieces(void **state)
{
    struct yk_dispatch *dispatch = open_two("even", 64000, 0);
    struct yk_chunk chunk;
    (void)state;
    yk_dispatch_bound(dispatch, 0, 640);
    assert_int_equal(next(dispatch, 0, &chunk), YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 640);
    assert_in_range(chunk.piece, 1, 320);
    yk_dispatch_close(dispatch);
}

static void a_slower_kernel_says_nothing(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 0);
    struct yk_split_outcome outcome;
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 1, .ended = 101 });
    assert_int_equal(yk_dispatch_forecast(dispatch, 1, 10), 100);
    yk_dispatch_next(dispatch, &(struct yk_request){ 1, 0, 101 }, &chunk, &(int64_t){ 0 });
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 101, .ended = 5101, .apart = 1 });
    assert_true(rate_of(dispatch, 1) == 0); /* its first chunk, and the only one */
    assert_int_equal(yk_dispatch_forecast(dispatch, 1, 10), 100);
    yk_dispatch_outcome(dispatch, 1, &outcome);
    assert_true(outcome.items == 20 && outcome.chunks == 2 && outcome.busy_ns == 5100);
    yk_dispatch_next(dispatch, &(struct yk_request){ 1, 0, 5101 }, &chunk, &(int64_t){ 0 });
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 5101, .ended = 5201 });
    assert_true(rate_of(dispatch, 1) == 0.1);
    yk_dispatch_close(dispatch);
}

static void a_faster_kernel_is_news(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 0);
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 1, .ended = 5001 });
    yk_dispatch_next(dispatch, &(struct yk_request){ 1, 0, 5001 }, &chunk, &(int64_t){ 0 });
    yk_dispatch_renew(dispatch, 1);
    assert_true(rate_of(dispatch, 1) == 0);
    assert_int_equal(yk_dispatch_forecast(dispatch, 1, 10), 0);
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 5001, .ended = 5101 });
    assert_int_equal(yk_dispatch_forecast(dispatch, 1, 10), 100);
    yk_dispatch_next(dispatch, &(struct yk_request){ 1, 0, 5101 }, &chunk, &(int64_t){ 0 });
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 5101, .ended = 5201 });
    assert_true(rate_of(dispatch, 1) == 0.1);
    yk_dispatch_close(dispatch);
}

/* A device whose work was taken back has no rate. */
static void what_was_taken_back_has_no_rate(void **state)
{
    struct yk_dispatch *dispatch = open_two("dynamic:chunk=10", 100, 1);
    struct yk_chunk chunk;
    (void)state;
    assert_int_equal(next(dispatch, 1, &chunk), YK_TAKE);
    ended(dispatch, &chunk, (struct yk_chunk_times){ .issued = 1, .ended = 101, .apart = 1 });
    yk_dispatch_failed(dispatch, 1, "it is gone");
    assert_true(rate_of(dispatch, 1) == 0);
    assert_int_equal(yk_dispatch_left(dispatch), 100);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_bounded),
        cmocka_unit_test(a_bounded_lease_has_pieces),
        cmocka_unit_test(a_slower_kernel_says_nothing),
        cmocka_unit_test(a_faster_kernel_is_news),
        cmocka_unit_test(what_was_taken_back_has_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
