/* test_coherence_edges.c - coherence of no rows, misuse, copies that never end, no memory; and the
 * cost of a call. */

#include "coherence_text.h"

/* --- edge cases and misuse --- */

static void test_no_rows(void **state)
{
    struct yk_coherence *c;
    int64_t count = -1;
    (void)state;
    held_before = yk_alloc_outstanding();
    assert_int_equal(yk_coherence_open(rows(7, 7), YK_START_HOST, &c), YOKE_OK);
    assert_lacks(c, GPU, rows(7, 7), "");
    written(c, GPU, rows(7, 7));
    copy(c, GPU, HOST, rows(7, 7));
    assert_int_equal(yk_coherence_copy_failed(c, GPU, rows(7, 7)), YOKE_OK);
    assert_int_equal(yk_coherence_drop(c, GPU, rows(7, 7), &count), YOKE_OK);
    assert_int_equal(count, 0);
    assert_int_equal(yk_coherence_place_failed(c, GPU, &count), YOKE_OK);
    assert_int_equal(count, 0);
    assert_int_equal(yk_coherence_current(c, HOST, rows(0, 100)), 0);
    assert_int_equal(yk_coherence_state(c, HOST, 7, NULL), YK_INVALID);
    assert_int_equal(yk_coherence_written(c, GPU, rows(7, 8)), YOKE_EINVAL);
    assert_int_equal(yk_coherence_version(c), 0);
    close_rows(c);
}

static void assert_refused(struct yk_coherence *c, int place, struct yk_interval of)
{
    struct yk_copy_needs needs = { 0 };
    int64_t count = 77;
    assert_int_equal(yk_coherence_lacks(c, place, of, &needs), YOKE_EINVAL);
    assert_int_equal(needs.count, 0);
    assert_int_equal(yk_coherence_written(c, place, of), YOKE_EINVAL);
    assert_int_equal(yk_coherence_copy_begun(c, place, HOST, of), YOKE_EINVAL);
    assert_int_equal(yk_coherence_copy_done(c, place, of), YOKE_EINVAL);
    assert_int_equal(yk_coherence_copy_failed(c, place, of), YOKE_EINVAL);
    assert_int_equal(yk_coherence_drop(c, place, of, &count), YOKE_EINVAL);
    assert_int_equal(count, 77);
    assert_int_equal(yk_coherence_version(c), 0);
    assert_states(c, HOST, "SSSSSSSS");
}

static void test_mistakes(void **state)
{
    struct yk_coherence *c = open_rows(8, YK_START_HOST), *none = NULL;
    struct yk_interval extent;
    int64_t lost = 77;
    (void)state;
    assert_refused(c, GPU, rows(-1, 3));
    assert_refused(c, GPU, rows(3, 9));
    assert_refused(c, GPU, rows(5, 3));
    assert_refused(c, GPU, rows(INT64_MIN, INT64_MAX));
    assert_refused(c, -1, rows(0, 3));
    assert_refused(c, YK_PLACES, rows(0, 3));
    assert_non_null(strstr(yoke_error_text(), "there is no place 32"));
    assert_int_equal(yk_coherence_copy_begun(c, GPU, OTHER, rows(0, 3)), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "no current copy"));
    assert_int_equal(yk_coherence_copy_begun(c, HOST, HOST, rows(0, 3)), YOKE_EINVAL);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, YK_PLACES, rows(0, 3)), YOKE_EINVAL);
    assert_int_equal(yk_coherence_place_failed(c, HOST, &lost), YOKE_EINVAL);
    assert_int_equal(yk_coherence_place_failed(c, YK_PLACES, &lost), YOKE_EINVAL);
    assert_int_equal(lost, 77);
    assert_int_equal(yk_coherence_state(c, HOST, 8, &extent), YK_INVALID);
    assert_int_equal(extent.last - extent.first, 0);
    assert_int_equal(yk_coherence_state(c, -1, 0, NULL), YK_INVALID);
    assert_int_equal(yk_coherence_current(c, YK_PLACES, rows(0, 8)), 0);
    assert_int_equal(yk_coherence_current(c, HOST, rows(-5, 50)), 8);
    assert_int_equal(yk_coherence_open(rows(4, 3), YK_START_HOST, &none), YOKE_EINVAL);
    assert_int_equal(yk_coherence_open(rows(INT64_MIN, 3), YK_START_HOST, &none), YOKE_EINVAL);
    assert_null(none);
    yk_coherence_close(NULL);
    close_rows(c);
}

/* Copies that begin and never end are a leak of the caller: it gets an error, and no counter
 * overflows. */
static void test_endless_copies(void **state)
{
    struct yk_coherence *c = open_rows(4, YK_START_HOST);
    int i;
    (void)state;
    for (i = 0; i < UINT16_MAX; i++)
        assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(1, 3)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(0, 4)), YOKE_EBUSY);
    assert_states(c, GPU, ".AA.");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(1, 3)), YOKE_OK);
    copy(c, GPU, HOST, rows(0, 4));
    assert_states(c, GPU, "SSSS");
    close_rows(c);
}

static void test_open_without_memory(void **state)
{
    struct yk_coherence *c = NULL;
    int64_t held = yk_alloc_outstanding();
    int nth = 0;
    (void)state;
    do {
        yk_alloc_fail_at(++nth);
        if (yk_coherence_open(rows(0, 5), YK_START_HOST, &c) != YOKE_OK) {
            assert_null(c);
            assert_int_equal(yk_alloc_outstanding(), held);
        }
    } while (yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_int_equal(nth, 3);
    assert_non_null(c);
    yk_coherence_close(c);
    assert_int_equal(yk_alloc_outstanding(), held);
}

/* --- cost --- */

/* --- cost --- */

enum { CHUNKS = 8, CHUNK_ROWS = 1000, ALL_ROWS = CHUNKS * CHUNK_ROWS, CALLS_PER_CYCLE = 4 };
enum { CYCLES = 20000 };

/* A chunk with one row of halo on each side goes to one of two devices and is written there. In
 * each round every chunk changes devices, so that neighbours never merge. Returns the number of
 * calls. */
static int64_t cycle(struct yk_coherence *c, struct yk_copy_needs *needs, int number)
{
    int chunk = number % CHUNKS, place = 1 + (number / CHUNKS + chunk) % 2, i;
    int64_t first = chunk * CHUNK_ROWS, last = first + CHUNK_ROWS;
    struct yk_interval reads = { first - (chunk > 0), last + (chunk < CHUNKS - 1) };
    needs->count = 0;
    if (yk_coherence_lacks(c, place, reads, needs) != YOKE_OK)
        return -1;
    for (i = 0; i < needs->count; i++) {
        const struct yk_copy_need *need = &needs->items[i];
        if (yk_coherence_copy_begun(c, place, need->source, need->rows) != YOKE_OK ||
            yk_coherence_copy_done(c, place, need->rows) != YOKE_OK)
            return -1;
    }
    if (yk_coherence_written(c, place, rows(first, last)) != YOKE_OK)
        return -1;
    return 2 + 2 * needs->count;
}

/* The limit is far above the expected cost (below 200 ns), for slow machines and checking builds;
 * it catches a cost that grows with rows, or with every call. */
static void test_no_allocation(void **state)
{
    struct yk_coherence *c = open_rows(ALL_ROWS, YK_START_HOST);
    struct yk_copy_needs needs = { 0 };
    int64_t calls = 0, made, held;
    int i;
    (void)state;
    for (i = 0; i < 4 * CHUNKS; i++)
        assert_true(cycle(c, &needs, i) > 0);
    held = yk_alloc_outstanding();
    yk_alloc_fail_at(1); /* from here on no call allocates */
    for (i = 0; i < CYCLES; i++, calls += made) {
        made = cycle(c, &needs, i);
        if (made < 0)
            fail_msg("cycle %d failed: %s", i, yoke_error_text());
    }
    assert_false(yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_int_equal(yk_alloc_outstanding(), held);
    assert_true(calls >= (int64_t)CALLS_PER_CYCLE * CYCLES);
    yk_copy_needs_close(&needs);
    close_rows(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_rows),        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_endless_copies), cmocka_unit_test(test_open_without_memory),
        cmocka_unit_test(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
