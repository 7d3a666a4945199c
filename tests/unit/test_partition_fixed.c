/* Tests of even, static, dynamic and guided: sequences worked out by hand, decision by decision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/dispatch.h"

/* The chunk that a lane gets; a wait is {0, 0}. */
struct step {
    int device;
    int64_t first, last, piece;
    const char *reason;
};

static struct yk_dispatch *open_three(const char *partitioner, int64_t items)
{
    const struct yk_split_device devices[] = {
        { .name = "cpu", .lanes = 4, .host_memory = 1, .fill = 4, .share = -1 },
        { .name = "gpu0", .lanes = 2, .fill = 1, .share = -1 },
        { .name = "gpu1", .lanes = 2, .fill = 1, .share = -1 }
    };
    struct yk_split_spec spec = {
        .last = items, .unit = 1, .devices = devices, .device_count = 3, .partitioner = partitioner
    };
    struct yk_dispatch *dispatch;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    return dispatch;
}

static void join(struct yk_dispatch *dispatch, int from, int to)
{
    for (; from <= to; from++)
        yk_dispatch_join(dispatch, from, 0);
}

/* Each chunk is done before the next is requested. */
static void walk(struct yk_dispatch *dispatch, const struct step *steps, size_t count)
{
    struct yk_chunk_times times = { .issued = 1, .ended = 2 };
    size_t i;
    for (i = 0; i < count; i++) {
        struct yk_chunk chunk;
        int64_t wake_ns;
        enum yk_verdict verdict = yk_dispatch_next(
            dispatch, &(struct yk_request){ steps[i].device, 0, 1 }, &chunk, &wake_ns);
        if (verdict != (steps[i].last ? YK_TAKE : YK_WAIT))
            fail_msg("step %d: verdict %d", (int)i, (int)verdict);
        if (verdict != YK_TAKE)
            continue;
        if (chunk.first != steps[i].first || chunk.last != steps[i].last ||
            chunk.piece != steps[i].piece)
            fail_msg("step %d: [%d, %d) in pieces of %d", (int)i, (int)chunk.first, (int)chunk.last,
                     (int)chunk.piece);
        assert_string_equal(chunk.reason, steps[i].reason);
        yk_dispatch_done(dispatch, &chunk, chunk.last - chunk.first, &times);
        assert_true(yk_dispatch_check(dispatch));
    }
}
#define WALK(dispatch, steps) walk(dispatch, steps, sizeof(steps) / sizeof *(steps))

static void even_gives_thirds(void **state)
{
    struct yk_dispatch *dispatch = open_three("even", 300);
    static const struct step steps[] = { { 2, 200, 300, 100, "share" },
                                         { 0, 0, 100, 1, "share" },
                                         { 0, 0, 0, 0, NULL },
                                         { 1, 100, 200, 100, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    yk_dispatch_close(dispatch);
}

/* Lanes of a CPU balance a fixed share among themselves: 32 pieces per lane. */
static void a_cpu_share_comes_in_pieces(void **state)
{
    struct yk_dispatch *dispatch = open_three("static:shares=1/1/2", 51200);
    static const struct step steps[] = { { 0, 0, 12800, 100, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void even_rounds_to_items(void **state)
{
    struct yk_dispatch *dispatch = open_three("even", 10); /* bounds 3.33 and 6.67 */
    static const struct step steps[] = { { 0, 0, 3, 1, "share" },
                                         { 1, 3, 7, 4, "share" },
                                         { 2, 7, 10, 3, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void static_gives_what_is_asked(void **state)
{
    struct yk_dispatch *dispatch = open_three("static:shares=0.2/0.5/0.3,chunks=1", 100);
    static const struct step steps[] = { { 0, 0, 20, 1, "share" },
                                         { 1, 20, 70, 50, "share" },
                                         { 2, 70, 100, 30, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void static_numbers_are_normalised(void **state)
{
    struct yk_dispatch *dispatch = open_three("static:shares=1/2/1", 100);
    /* by default a GPU's share has as many chunks as the GPU has lanes */
    static const struct step steps[] = { { 0, 0, 25, 1, "share" },   { 1, 25, 50, 25, "share" },
                                         { 1, 50, 75, 25, "share" }, { 1, 0, 0, 0, NULL },
                                         { 2, 75, 88, 13, "share" }, { 2, 88, 100, 12, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void static_takes_a_cpu_weight(void **state)
{
    struct yk_dispatch *dispatch = open_three("static:shares=0.4:chunks=1", 100);
    static const struct step steps[] = { { 0, 0, 40, 1, "share" },
                                         { 1, 40, 70, 30, "share" },
                                         { 2, 70, 100, 30, "share" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void a_lost_share_is_shared_out(void **state)
{
    struct yk_dispatch *dispatch = open_three("static:shares=0.2/0.5/0.3,chunks=1", 100);
    /* 20 .. 69 go to the others in the ratio 2 : 3 */
    static const struct step steps[] = { { 0, 0, 20, 1, "share" },
                                         { 0, 20, 40, 1, "share of a lost device" },
                                         { 2, 70, 100, 30, "share" },
                                         { 2, 40, 70, 30, "share of a lost device" } };
    (void)state;
    join(dispatch, 0, 2);
    yk_dispatch_failed(dispatch, 1, "gone");
    WALK(dispatch, steps);
    assert_int_equal(yk_dispatch_left(dispatch), 0);
    yk_dispatch_close(dispatch);
}

static void a_share_waits_for_its_device(void **state)
{
    struct yk_dispatch *dispatch = open_three("even", 300);
    static const struct step before[] = { { 0, 0, 100, 1, "share" },
                                          { 1, 100, 200, 100, "share" },
                                          { 0, 0, 0, 0, NULL },
                                          { 2, 0, 0, 0, NULL } };
    static const struct step after[] = { { 2, 200, 300, 100, "share" } };
    (void)state;
    join(dispatch, 0, 1);
    WALK(dispatch, before);
    yk_dispatch_join(dispatch, 2, 5);
    WALK(dispatch, after);
    yk_dispatch_close(dispatch);
}

static void dynamic_works_from_both_ends(void **state)
{
    struct yk_dispatch *dispatch = open_three("dynamic:chunk=10", 200);
    /* The CPU's four lanes get a lease of four chunks while 16 or more are left, then single
     * chunks. */
    static const struct step steps[] = { { 0, 0, 40, 10, "chunk" },    { 1, 190, 200, 10, "chunk" },
                                         { 0, 40, 50, 10, "chunk" },   { 2, 180, 190, 10, "chunk" },
                                         { 1, 170, 180, 10, "chunk" }, { 0, 50, 60, 10, "chunk" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

static void dynamic_has_a_default(void **state)
{
    struct yk_dispatch *dispatch = open_three("dynamic", 51200); /* / (64 * 8 lanes) = 100 */
    static const struct step steps[] = { { 1, 51100, 51200, 100, "chunk" } };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

/* Cores that would ask again after 100 ns get a lease of 20 us of single chunks, but no more than
 * leaves enough for the others. */
static void small_chunks_come_many_at_once(void **state)
{
    const struct yk_split_device cpu = {
        .name = "cpu", .lanes = 4, .host_memory = 1, .fill = 4, .rate = 0.1, .share = -1
    };
    struct yk_split_spec spec = { .last = 3000,
                                  .unit = 1,
                                  .devices = &cpu,
                                  .device_count = 1,
                                  .partitioner = "dynamic:chunk=1" };
    struct yk_dispatch *dispatch;
    struct yk_chunk chunk;
    int64_t wake_ns;
    (void)state;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 1 }, &chunk, &wake_ns),
                     YK_TAKE);
    assert_int_equal(chunk.last, 748); /* 20 us: 2000 items; 3000 / 4 in whole chunks for 4 lanes */
    assert_int_equal(chunk.piece, 1);
    assert_true(chunk.parts >= 65535) /* one by one */;
    assert_int_equal(yk_dispatch_next(dispatch, &(struct yk_request){ 0, 1, 1 }, &chunk, &wake_ns),
                     YK_TAKE);
    assert_int_equal(chunk.last - chunk.first, 560); /* 2252 / 4 in the same way */
    yk_dispatch_close(dispatch);
    spec.last = 100000;
    assert_int_equal(yk_dispatch_open(&spec, &dispatch), YOKE_OK);
    yk_dispatch_join(dispatch, 0, 0);
    assert_int_equal(yk_dispatch_next(dispatch, &(struct yk_request){ 0, 0, 1 }, &chunk, &wake_ns),
                     YK_TAKE);
    assert_int_equal(chunk.last, 2000);
    yk_dispatch_close(dispatch);
}

static void guided_shrinks(void **state)
{
    struct yk_dispatch *dispatch = open_three("guided:k=1,threshold=50", 800); /* rest / 8 */
    static const struct step steps[] = {
        { 1, 700, 800, 100, "part of the rest" }, /* 800 / 8 */
        { 1, 613, 700, 87, "part of the rest" },  /* 700 / 8 */
        { 0, 0, 76, 76, "part of the rest" },     /* 613 / 8 */
        { 2, 546, 613, 67, "part of the rest" },  /* 537 / 8 */
        { 0, 76, 134, 58, "part of the rest" },   /* 470 / 8 */
        { 1, 495, 546, 51, "part of the rest" },  /* 412 / 8 */
        { 0, 134, 184, 50, "threshold" },         /* 361 / 8 is 45 */
    };
    (void)state;
    join(dispatch, 0, 2);
    WALK(dispatch, steps);
    yk_dispatch_close(dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_gives_thirds),
        cmocka_unit_test(a_cpu_share_comes_in_pieces),
        cmocka_unit_test(even_rounds_to_items),
        cmocka_unit_test(static_gives_what_is_asked),
        cmocka_unit_test(static_numbers_are_normalised),
        cmocka_unit_test(static_takes_a_cpu_weight),
        cmocka_unit_test(a_lost_share_is_shared_out),
        cmocka_unit_test(a_share_waits_for_its_device),
        cmocka_unit_test(dynamic_works_from_both_ends),
        cmocka_unit_test(dynamic_has_a_default),
        cmocka_unit_test(small_chunks_come_many_at_once),
        cmocka_unit_test(guided_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
