/* test_auto_probe.c - the first chunks of `auto` beside a GPU that promises nearly all of the peak:
 * it gets half at once, cores wait for it if their next piece would end after it, and one-time
 * uploads in its first chunk do not make it look slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"

/* A core's smallest piece lasts PIECE_NS: n-body's rows are as expensive. */
enum { ITEMS = 10000, PIECE = 16, PIECE_NS = 1000000, CPU = 0, GPU = 1 };

static const struct yk_split_device promising[] = {
    { .name = "cpu",
      .lanes = 1,
      .host_memory = 1,
      .fill = 1,
      .lane_fill = PIECE,
      .peak = 0.3,
      .share = -1 },
    { .name = "gpu", .lanes = 2, .fill = 1000, .peak = 97, .fixed_ns = 1000, .share = -1 },
};

static struct yk_dispatch *opened_with(const struct yk_split_device *devices, int64_t items)
{
    const struct yk_split_spec spec = {
        .last = items, .unit = 1, .devices = devices, .device_count = 2
    };
    struct yk_dispatch *dispatch;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, CPU, 0);
    yk_dispatch_join(dispatch, GPU, 0);
    return dispatch;
}

static struct yk_dispatch *opened(const struct yk_split_device *devices)
{
    return opened_with(devices, ITEMS);
}

static enum yk_verdict ask(struct yk_dispatch *dispatch, int device, int64_t now,
                           struct yk_chunk *chunk, int64_t *wake)
{
    *wake = 0;
    enum yk_verdict verdict =
        yk_dispatch_next(dispatch, &(struct yk_request){ device, 0, now }, chunk, wake);
    assert_true(yk_dispatch_check(dispatch));
    return verdict;
}

static void answer(struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                   struct yk_chunk_times times)
{
    yk_dispatch_done(dispatch, chunk, chunk->last - chunk->first, &times);
    assert_true(yk_dispatch_check(dispatch));
}

/* The cores' chunk runs since 0, the GPU's since 60 us. Returns its number of items. */
static int64_t begin(struct yk_dispatch *dispatch, struct yk_chunk *cores, struct yk_chunk *gpu)
{
    int64_t wake;
    assert_int_equal(ask(dispatch, CPU, 0, cores, &wake), YK_TAKE);
    assert_int_equal(ask(dispatch, GPU, 60000, gpu, &wake), YK_TAKE);
    return gpu->last - gpu->first;
}

static struct yk_chunk_times took(int64_t from, int64_t to)
{
    return (struct yk_chunk_times){ .issued = from, .ended = to };
}

static void half_of_what_is_free_is_promised(void **state)
{
    struct yk_split_device modest[] = { promising[CPU], promising[GPU] };
    struct yk_chunk cores, gpu;
    struct yk_dispatch *dispatch = opened(promising);
    (void)state;
    assert_in_range(begin(dispatch, &cores, &gpu), ITEMS / 2 - ITEMS / 16, ITEMS / 2);
    yk_dispatch_close(dispatch);
    modest[GPU].peak = 2;
    dispatch = opened(modest);
    assert_in_range(begin(dispatch, &cores, &gpu), 1, 1250);
    yk_dispatch_close(dispatch);
}

/* Another piece would take as long as the GPU has run. Cores get it only when the GPU has run that
 * long, or four times its promised duration. */
static void cores_wait_for_it(void **state)
{
    struct yk_dispatch *dispatch = opened(promising);
    struct yk_chunk cores, gpu, more;
    int64_t wake;
    (void)state;
    begin(dispatch, &cores, &gpu);
    assert_int_equal(cores.last - cores.first, PIECE);
    answer(dispatch, &cores, took(0, PIECE_NS));
    assert_int_equal(ask(dispatch, CPU, PIECE_NS, &more, &wake), YK_WAIT);
    assert_true(wake > PIECE_NS);
    assert_int_equal(ask(dispatch, CPU, wake - 1, &more, &wake), YK_WAIT);
    assert_int_equal(ask(dispatch, CPU, wake, &more, &wake), YK_TAKE);
    yk_dispatch_close(dispatch);
}

/* Its first chunk has ended: it does the rest in less time than a core needs for a piece. */
static void who_kept_its_promise_does_the_rest(void **state)
{
    struct yk_dispatch *dispatch = opened(promising);
    struct yk_chunk cores, gpu, more;
    int64_t wake, now = PIECE_NS, last;
    (void)state;
    begin(dispatch, &cores, &gpu);
    answer(dispatch, &cores, took(0, PIECE_NS));
    answer(dispatch, &gpu, took(60000, 400000));
    while (yk_dispatch_free(dispatch) > 0) {
        assert_int_equal(ask(dispatch, CPU, now, &more, &wake), YK_WAIT);
        assert_int_equal(ask(dispatch, GPU, now, &more, &wake), YK_TAKE);
        last = now + (more.last - more.first) * 68;
        answer(dispatch, &more, took(now, last));
        now = last;
    }
    yk_dispatch_close(dispatch);
}

/* Cores do not wait for a GPU that is gone or whose copies take long, nor if pieces are small:
 * those end in time whatever the GPU does. */
static void cores_go_on_where_it_does_no_harm(void **state)
{
    enum { IS_GONE, COPIES, ENDS_SOON, CASES };
    int which;
    (void)state;
    for (which = 0; which < CASES; which++) {
        struct yk_split_device devices[] = { promising[CPU], promising[GPU] };
        struct yk_chunk cores, gpu, more;
        struct yk_dispatch *dispatch;
        int64_t wake, ended;
        if (which == COPIES) /* without pins copies take five times as long: for half the range,
                                longer than a piece */
            devices[GPU].copy_item_ns = 500;
        if (which == ENDS_SOON)
            devices[CPU].lane_fill = 1;
        dispatch = opened(devices);
        begin(dispatch, &cores, &gpu);
        if (which == IS_GONE)
            yk_dispatch_failed(dispatch, GPU, "gone");
        ended = (cores.last - cores.first) * PIECE_NS / PIECE;
        answer(dispatch, &cores, took(0, ended));
        assert_int_equal(ask(dispatch, CPU, ended, &more, &wake), YK_TAKE);
        yk_dispatch_close(dispatch);
    }
}

/* 2 ms for data that all chunks read, 2 ms for its half: it gets more of the rest than a GPU that
 * took 4 ms for the half. */
static void what_is_brought_once_is_no_items_cost(void **state)
{
    static const int64_t once[] = { 0, 2000000 };
    int64_t got[2], wake;
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        struct yk_split_device finer[] = { promising[CPU], promising[GPU] };
        struct yk_chunk cores, gpu, more;
        struct yk_chunk_times times = took(60000, 4060000);
        struct yk_dispatch *dispatch;
        finer[CPU].lane_fill = 1;
        dispatch = opened(finer);
        begin(dispatch, &cores, &gpu);
        answer(dispatch, &cores, took(0, 62500 * (cores.last - cores.first)));
        times.once_ns = once[i];
        answer(dispatch, &gpu, times);
        for (got[i] = 0; ask(dispatch, GPU, 4100000, &more, &wake) == YK_TAKE;)
            got[i] += more.last - more.first;
        yk_dispatch_close(dispatch);
    }
    assert_true(got[1] > got[0]);
}

/* The speed of the cores is unknown, because their first chunk is still running: if it ended now,
 * each of 16 lanes would take 160 us per item, the GPU 20 us. If the range is shorter than a GPU's
 * fill, the GPU gets all of it. */
static void who_ends_first_leaves_the_others_their_part(void **state)
{
    enum { FEW = 48 };
    static const struct yk_split_device both[] = {
        { .name = "cpu", .lanes = 16, .host_memory = 1, .fill = 1, .share = -1 },
        { .name = "gpu", .lanes = 2, .fill = 64, .fixed_ns = 1000, .share = -1 },
    };
    struct yk_dispatch *dispatch = opened_with(both, FEW);
    struct yk_chunk cores, gpu, more;
    int64_t wake, items;
    (void)state;
    items = begin(dispatch, &cores, &gpu);
    assert_in_range(items, 1, FEW / 4);
    answer(dispatch, &gpu, took(60000, 60000 + items * 20000));
    assert_int_equal(ask(dispatch, GPU, 160000, &more, &wake), YK_TAKE);
    assert_in_range(yk_dispatch_free(dispatch), FEW / 8, FEW / 2);
    yk_dispatch_close(dispatch);
}

/* The GPU was left out and its speed forgotten, and only one round of the cores' pieces is left.
 * The cores leave this round until the GPU's thread is awake, but not for long if that does not
 * happen. */
static void cores_let_it_come(void **state)
{
    struct yk_split_device devices[] = { promising[CPU], promising[GPU] };
    const struct yk_split_spec spec = {
        .last = PIECE, .unit = 1, .devices = devices, .device_count = 2
    };
    int comes;
    (void)state;
    devices[CPU].rate = PIECE / (double)PIECE_NS;
    for (comes = 0; comes < 2; comes++) {
        struct yk_dispatch *dispatch;
        struct yk_chunk chunk;
        int64_t wake, gpus;
        assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
        yk_dispatch_join(dispatch, CPU, 0);
        assert_int_equal(ask(dispatch, CPU, 0, &chunk, &wake), YK_WAIT);
        assert_in_range(wake, YK_WAKE_NS, PIECE_NS / 10);
        if (comes) {
            yk_dispatch_join(dispatch, GPU, wake - 1);
            assert_int_equal(ask(dispatch, GPU, wake - 1, &chunk, &gpus), YK_TAKE);
        }
        assert_int_equal(ask(dispatch, CPU, wake, &chunk, &wake), comes ? YK_WAIT : YK_TAKE);
        yk_dispatch_close(dispatch);
    }
}

/* Returns what cores of known speed get at 100 us, when the GPU has not come. */
static enum yk_verdict cores_get(int crowded, int64_t *wake)
{
    struct yk_split_device devices[] = { promising[CPU], promising[GPU] };
    const struct yk_split_spec spec = {
        .last = 4000, .unit = 1, .devices = devices, .device_count = 2, .crowded = crowded
    };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    enum yk_verdict verdict;
    devices[CPU].rate = (double)PIECE / PIECE_NS;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, CPU, 0);
    assert_int_equal(ask(dispatch, CPU, 0, &chunk, wake), YK_WAIT);
    verdict = ask(dispatch, CPU, 100000, &chunk, wake);
    yk_dispatch_close(dispatch);
    return verdict;
}

/* Its thread may drive it for other jobs. Cores wait as long as their piece would take. */
static void beside_other_jobs_it_may_come_later(void **state)
{
    int64_t wake;
    (void)state;
    assert_int_equal(cores_get(0, &wake), YK_TAKE);
    assert_int_equal(cores_get(1, &wake), YK_WAIT);
    assert_int_equal(wake, PIECE_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_other_jobs_it_may_come_later),
        cmocka_unit_test(cores_let_it_come),
        cmocka_unit_test(half_of_what_is_free_is_promised),
        cmocka_unit_test(cores_wait_for_it),
        cmocka_unit_test(who_kept_its_promise_does_the_rest),
        cmocka_unit_test(cores_go_on_where_it_does_no_harm),
        cmocka_unit_test(what_is_brought_once_is_no_items_cost),
        cmocka_unit_test(who_ends_first_leaves_the_others_their_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
