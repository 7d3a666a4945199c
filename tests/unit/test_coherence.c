/* test_coherence.c - cases worked out by hand, and what a call costs. (test_coherence_random.c
 * plays histories against the brute-force model.)
 *
 * States are written as text, a letter a row: S shared, M modified, A arriving, . invalid. Needs
 * are written "first-last<source", with ~ for < where the rows are arriving already; source ! is
 * lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "array/coherence.h"
#include "base/alloc.h"

enum { HOST = YK_HOST, GPU = 1, OTHER = 2, THIRD = 3 };

static int64_t held_before;

static struct yk_interval rows(int64_t first, int64_t last)
{
    return (struct yk_interval){ first, last };
}

static struct yk_coherence *open_rows(int64_t count, enum yk_coherence_start start)
{
    struct yk_coherence *coherence;
    held_before = yk_alloc_outstanding();
    assert_int_equal(yk_coherence_open(rows(0, count), start, &coherence), YOKE_OK);
    return coherence;
}

static void close_rows(struct yk_coherence *coherence)
{
    assert_true(yk_coherence_check(coherence));
    yk_coherence_close(coherence);
    assert_int_equal(yk_alloc_outstanding(), held_before);
}

static void assert_states(const struct yk_coherence *coherence, int place, const char *expected)
{
    char got[64] = "";
    int row, count = (int)strlen(expected);
    for (row = 0; row < count; row++)
        got[row] = ".SMA"[yk_coherence_state(coherence, place, row, NULL)];
    assert_string_equal(got, expected);
    assert_true(yk_coherence_check(coherence));
}

static uint32_t bits(int a, int b)
{
    return UINT32_C(1) << a | UINT32_C(1) << b;
}

/* With these wishes. */
static void assert_lacks_from(const struct yk_coherence *coherence, int place,
                              struct yk_interval of, const char *expected, uint32_t nearer,
                              uint32_t direct)
{
    struct yk_copy_needs needs = { .nearer = nearer, .direct = direct };
    char got[256] = "", source[16];
    int i, used = 0;
    assert_int_equal(yk_coherence_lacks(coherence, place, of, &needs), YOKE_OK);
    for (i = 0; i < needs.count; i++) {
        const struct yk_copy_need *need = &needs.items[i];
        snprintf(source, sizeof source, need->source < 0 ? "!" : "%d", need->source);
        used += snprintf(got + used, sizeof got - (size_t)used, "%s%d-%d%c%s", i ? " " : "",
                         (int)need->rows.first, (int)need->rows.last, need->arriving ? '~' : '<',
                         source);
    }
    yk_copy_needs_close(&needs);
    assert_string_equal(got, expected);
}

static void assert_lacks(const struct yk_coherence *coherence, int place, struct yk_interval of,
                         const char *expected)
{
    assert_lacks_from(coherence, place, of, expected, 0, 0);
}

static void copy(struct yk_coherence *coherence, int place, int source, struct yk_interval of)
{
    assert_int_equal(yk_coherence_copy_begun(coherence, place, source, of), YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(coherence, place, of), YOKE_OK);
}

static void written(struct yk_coherence *coherence, int place, struct yk_interval of)
{
    assert_int_equal(yk_coherence_written(coherence, place, of), YOKE_OK);
}

/* --- by hand --- */

/* An array of the user, read by a GPU in part, written there, and brought home. */
static void test_there_and_back(void **state)
{
    struct yk_coherence *c = open_rows(10, YK_START_HOST);
    struct yk_interval extent;
    (void)state;
    assert_states(c, HOST, "SSSSSSSSSS");
    assert_lacks(c, HOST, rows(0, 10), "");
    assert_lacks(c, GPU, rows(2, 8), "2-8<0");
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(2, 8)), YOKE_OK);
    assert_states(c, GPU, "..AAAAAA..");
    assert_lacks(c, GPU, rows(0, 10), "0-2<0 2-8~0 8-10<0");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(2, 8)), YOKE_OK);
    assert_states(c, GPU, "..SSSSSS..");
    assert_int_equal(yk_coherence_current(c, GPU, rows(0, 5)), 3);
    written(c, GPU, rows(3, 6));
    assert_int_equal(yk_coherence_version(c), 1);
    assert_states(c, GPU, "..SMMMSS..");
    assert_states(c, HOST, "SSS...SSSS");
    assert_int_equal(yk_coherence_state(c, GPU, 4, &extent), YK_MODIFIED);
    assert_int_equal(extent.first, 3);
    assert_int_equal(extent.last, 6);
    assert_lacks(c, HOST, rows(0, 10), "3-6<1");
    copy(c, HOST, GPU, rows(3, 6));
    assert_states(c, GPU, "..SSSSSS..");
    assert_states(c, HOST, "SSSSSSSSSS");
    close_rows(c);
}

/* The host where it has the rows; else one source for as many rows as it can serve. */
static void test_sources(void **state)
{
    struct yk_coherence *c = open_rows(12, YK_START_HOST);
    (void)state;
    written(c, OTHER, rows(2, 10));
    copy(c, GPU, OTHER, rows(6, 10));
    assert_lacks(c, THIRD, rows(0, 12), "0-2<0 2-10<2 10-12<0");
    written(c, GPU, rows(4, 6));
    assert_lacks(c, THIRD, rows(0, 12), "0-2<0 2-4<2 4-10<1 10-12<0");
    assert_lacks(c, OTHER, rows(3, 12), "4-6<1 10-12<0");
    copy(c, HOST, GPU, rows(5, 8));
    assert_lacks(c, THIRD, rows(4, 9), "4-5<1 5-8<0 8-9<1");
    close_rows(c);
}

/* Rows nobody wrote need no copy and cannot be a source; written ones can. */
static void test_fresh(void **state)
{
    struct yk_coherence *c = open_rows(8, YK_START_FRESH);
    (void)state;
    assert_states(c, HOST, "........");
    assert_lacks(c, HOST, rows(0, 8), "");
    assert_lacks(c, GPU, rows(0, 8), "");
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(0, 8)), YOKE_EINVAL);
    written(c, GPU, rows(2, 4));
    assert_lacks(c, HOST, rows(0, 8), "2-4<1");
    assert_int_equal(yk_coherence_copy_begun(c, HOST, GPU, rows(1, 4)), YOKE_EINVAL);
    copy(c, HOST, GPU, rows(2, 4));
    assert_states(c, HOST, "..SS....");
    close_rows(c);
}

/* A write while a copy is under way: that copy's end changes nothing, not even where a second copy
 * of the same rows was begun since; the second one's does. */
static void test_overtaken(void **state)
{
    struct yk_coherence *c = open_rows(6, YK_START_HOST);
    (void)state;
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(0, 6)), YOKE_OK);
    written(c, OTHER, rows(2, 4));
    assert_states(c, GPU, "AA..AA");
    assert_lacks(c, GPU, rows(0, 6), "0-2~0 2-4<2 4-6~0");
    assert_int_equal(yk_coherence_copy_begun(c, GPU, OTHER, rows(2, 4)), YOKE_OK);
    assert_states(c, GPU, "AAAAAA");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(0, 6)), YOKE_OK);
    assert_states(c, GPU, "SSAASS");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(2, 4)), YOKE_OK);
    assert_states(c, GPU, "SSSSSS");
    assert_states(c, OTHER, "..SS..");

    /* The writer is the place the copy goes to. */
    assert_int_equal(yk_coherence_copy_begun(c, OTHER, HOST, rows(0, 2)), YOKE_OK);
    written(c, OTHER, rows(0, 1));
    assert_int_equal(yk_coherence_copy_done(c, OTHER, rows(0, 2)), YOKE_OK);
    assert_states(c, OTHER, "MSSS..");
    assert_states(c, HOST, ".S..SS");
    close_rows(c);
}

/* The same rows twice: the first end makes them current; a failure makes no row less current that
 * is so already, and leaves nothing arriving. */
static void test_twice_and_failing(void **state)
{
    struct yk_coherence *c = open_rows(4, YK_START_HOST);
    (void)state;
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(0, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(0, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(0, 2)), YOKE_OK);
    assert_states(c, GPU, "SSAA");
    assert_int_equal(yk_coherence_copy_failed(c, GPU, rows(0, 4)), YOKE_OK);
    assert_states(c, GPU, "SS..");
    assert_lacks(c, GPU, rows(0, 4), "2-4<0");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(2, 4)), YOKE_OK);
    assert_states(c, GPU, "SS..");
    copy(c, GPU, HOST, rows(0, 4));
    assert_states(c, GPU, "SSSS");
    /* Ends without a beginning. */
    assert_int_equal(yk_coherence_copy_done(c, OTHER, rows(0, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_failed(c, GPU, rows(0, 4)), YOKE_OK);
    assert_states(c, OTHER, "....");
    assert_states(c, GPU, "SSSS");
    close_rows(c);
}

/* What only this place has stays; the rest goes, with the copies from it and to it. */
static void test_drop(void **state)
{
    struct yk_coherence *c = open_rows(8, YK_START_HOST);
    int64_t kept = -1;
    (void)state;
    copy(c, GPU, HOST, rows(0, 6));
    written(c, GPU, rows(2, 4));
    assert_int_equal(yk_coherence_copy_begun(c, OTHER, GPU, rows(1, 6)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(6, 8)), YOKE_OK);
    assert_int_equal(yk_coherence_drop(c, GPU, rows(0, 8), &kept), YOKE_OK);
    assert_int_equal(kept, 2);
    assert_states(c, GPU, "..MM....");
    assert_states(c, OTHER, "..AA....");
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(6, 8)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(c, OTHER, rows(1, 6)), YOKE_OK);
    assert_states(c, GPU, "..SS....");
    assert_states(c, OTHER, "..SS....");
    /* The last one that has rows keeps them, and says that they are the only ones. */
    assert_int_equal(yk_coherence_drop(c, GPU, rows(0, 8), &kept), YOKE_OK);
    assert_int_equal(kept, 0);
    assert_states(c, OTHER, "..MM....");
    assert_int_equal(yk_coherence_drop(c, HOST, rows(0, 2), &kept), YOKE_OK);
    assert_int_equal(kept, 2);
    assert_states(c, HOST, "MM..MMSS");
    close_rows(c);
}

/* Rows that others have survive; the only copy is lost until somebody writes; a copy from the
 * failed place never counts. */
static void test_place_failed(void **state)
{
    struct yk_coherence *c = open_rows(10, YK_START_HOST);
    int64_t lost = -1;
    (void)state;
    copy(c, GPU, HOST, rows(0, 6));
    written(c, GPU, rows(2, 5));
    copy(c, OTHER, GPU, rows(2, 3));
    assert_int_equal(yk_coherence_copy_begun(c, HOST, GPU, rows(3, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(8, 9)), YOKE_OK);
    assert_int_equal(yk_coherence_place_failed(c, GPU, &lost), YOKE_OK);
    assert_int_equal(lost, 2);
    assert_states(c, GPU, "..........");
    assert_states(c, OTHER, "..M.......");
    assert_states(c, HOST, "MM...MSSSS");
    assert_lacks(c, HOST, rows(0, 10), "2-3<2 3-5<!");
    assert_lacks(c, OTHER, rows(0, 10), "0-2<0 3-5<! 5-10<0");
    assert_int_equal(yk_coherence_copy_done(c, HOST, rows(3, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(8, 9)), YOKE_OK);
    assert_states(c, HOST, "MM...MSSSS");
    assert_states(c, GPU, "..........");
    written(c, HOST, rows(4, 5));
    assert_lacks(c, HOST, rows(0, 10), "2-3<2 3-4<!");
    assert_int_equal(yk_coherence_place_failed(c, GPU, &lost), YOKE_OK);
    assert_int_equal(lost, 0);
    close_rows(c);
}

/* --- edges and mistakes --- */

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

/* Copies that are begun and never ended are a leak in the caller: it hears of it, and no count
 * wraps round. */
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

enum { CHUNKS = 8, CHUNK_ROWS = 1000, ALL_ROWS = CHUNKS * CHUNK_ROWS, CALLS_PER_CYCLE = 4 };
#if defined(__OPTIMIZE__) && !defined(YK_CHECKED)
enum { CYCLES = 1000000 };
#else
enum { CYCLES = 50000 };
#endif

/* A chunk with a row of halo on each side goes to one of two devices and is written there; in each
 * round every chunk changes its device, so that neighbours never merge. Returns calls made. */
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

/* The bound is far above what is expected (under 200 ns), for slow machines and checking builds;
 * what it catches is a cost that grows with rows, or with every call. */
static void test_cost(void **state)
{
    struct yk_coherence *c = open_rows(ALL_ROWS, YK_START_HOST);
    struct yk_copy_needs needs = { 0 };
    struct timespec begin, end;
    int64_t calls = 0, made, held;
    double ns;
    int i;
    (void)state;
    for (i = 0; i < 4 * CHUNKS; i++)
        assert_true(cycle(c, &needs, i) > 0);
    held = yk_alloc_outstanding();
    yk_alloc_fail_at(1); /* from here on nothing allocates */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (i = 0; i < CYCLES; i++, calls += made) {
        made = cycle(c, &needs, i);
        if (made < 0)
            fail_msg("cycle %d failed: %s", i, yoke_error_text());
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_false(yk_alloc_failed());
    yk_alloc_fail_at(0);
    assert_int_equal(yk_alloc_outstanding(), held);
    ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    print_message("%d cycles of %.1f calls on %d intervals: %.0f ns a call\n", CYCLES,
                  (double)calls / CYCLES, CHUNKS, ns / (double)calls);
    assert_true(calls >= (int64_t)CALLS_PER_CYCLE * CYCLES);
    assert_true(ns / (double)calls < 20000);
    yk_copy_needs_close(&needs);
    close_rows(c);
}

/* Row 0 is everywhere but at GPU, 1 and 2 at devices, 3 at the host and at OTHER. */
static void test_wishes(void **state)
{
    struct yk_coherence *c = open_rows(4, YK_START_HOST);
    (void)state;
    copy(c, OTHER, HOST, rows(0, 4));
    copy(c, THIRD, HOST, rows(0, 3));
    int64_t kept;
    assert_int_equal(yk_coherence_drop(c, HOST, rows(1, 3), &kept), YOKE_OK);
    assert_lacks(c, GPU, rows(0, 4), "0-1<0 1-3<2 3-4<0");
    assert_lacks_from(c, GPU, rows(0, 4), "0-3<3 3-4<0", bits(THIRD, THIRD), 0);
    assert_lacks_from(c, GPU, rows(0, 4), "0-4<2", bits(OTHER, THIRD), 0);
    assert_lacks_from(c, GPU, rows(0, 4), "0-1<0 1-3<3 3-4<0", 0, bits(THIRD, THIRD));
    assert_lacks_from(c, GPU, rows(0, 4), "0-3<3 3-4<0", bits(THIRD, THIRD), bits(OTHER, THIRD));
    /* not all ask the same one: the next behind the one that asks, in a ring */
    assert_int_equal(yk_coherence_written(c, GPU, rows(0, 1)), YOKE_OK);
    copy(c, OTHER, GPU, rows(0, 1));
    assert_lacks_from(c, THIRD, rows(0, 1), "0-1<1", bits(GPU, OTHER), 0);
    assert_lacks_from(c, THIRD + 1, rows(0, 2), "0-1<1 1-2<2", bits(GPU, OTHER), 0);
    close_rows(c);
}

static void assert_where(const struct yk_coherence *c, int64_t row, struct yk_whereabouts expected)
{
    struct yk_whereabouts got;
    yk_coherence_whereabouts(c, row, &got);
    assert_int_equal(got.holders, expected.holders);
    assert_int_equal(got.arriving, expected.arriving);
    assert_int_equal(got.rows.first, expected.rows.first);
    assert_int_equal(got.rows.last, expected.rows.last);
}

static void test_whereabouts(void **state)
{
    struct yk_coherence *c = open_rows(10, YK_START_HOST);
    int64_t lost;
    (void)state;
    assert_where(c, 4, (struct yk_whereabouts){ .holders = 1, .rows = { 0, 10 } });
    assert_int_equal(yk_coherence_flying(c, GPU, rows(0, 10)), 0);
    assert_int_equal(yk_coherence_copy_begun(c, GPU, HOST, rows(2, 6)), YOKE_OK);
    assert_int_equal(yk_coherence_copy_begun(c, OTHER, HOST, rows(4, 8)), YOKE_OK);
    assert_where(
        c, 5,
        (struct yk_whereabouts){ .holders = 1, .arriving = bits(GPU, OTHER), .rows = { 4, 6 } });
    assert_where(
        c, 7,
        (struct yk_whereabouts){ .holders = 1, .arriving = bits(OTHER, OTHER), .rows = { 6, 8 } });
    assert_int_equal(yk_coherence_copy_done(c, GPU, rows(2, 6)), YOKE_OK);
    assert_where(c, 2, (struct yk_whereabouts){ .holders = bits(HOST, GPU), .rows = { 2, 4 } });
    /* an overtaken copy brings nothing, and is under way all the same */
    assert_int_equal(yk_coherence_copy_begun(c, THIRD, GPU, rows(2, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_place_failed(c, GPU, &lost), YOKE_OK);
    assert_where(c, 2, (struct yk_whereabouts){ .holders = 1, .rows = { 2, 4 } });
    assert_int_equal(yk_coherence_flying(c, THIRD, rows(0, 3)), 1);
    assert_int_equal(yk_coherence_flying(c, THIRD, rows(4, 10)), 0);
    assert_int_equal(yk_coherence_copy_failed(c, THIRD, rows(2, 4)), YOKE_OK);
    assert_int_equal(yk_coherence_flying(c, THIRD, rows(0, 10)), 0);
    assert_where(c, 10, (struct yk_whereabouts){ .rows = { 10, 10 } });
    assert_where(c, -1, (struct yk_whereabouts){ .rows = { -1, -1 } });
    assert_int_equal(yk_coherence_copy_failed(c, OTHER, rows(4, 8)), YOKE_OK);
    close_rows(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_whereabouts),
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_overtaken),
        cmocka_unit_test(test_twice_and_failing),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_place_failed),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_endless_copies),
        cmocka_unit_test(test_open_without_memory),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
