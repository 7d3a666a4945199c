/* test_coherence.c - cases worked out by hand. (Edge cases, misuse and the cost of a call:
 * test_coherence_edges.c; test_coherence_random.c compares histories with the brute-force model.)
 */
#include "coherence_text.h"

/* The user's array: a GPU reads a part of it and writes there, and the rows come home. */
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

/* The source is the host if it has the rows; otherwise one source for as many rows as possible. */
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

/* Rows that were never written need no copy and cannot be a source; written ones can. */
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

/* A write during a copy: the end of that copy changes nothing, even if a second copy of the same
 * rows has begun since; the end of the second copy does. */
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

    /* The writer is the destination of the copy. */
    assert_int_equal(yk_coherence_copy_begun(c, OTHER, HOST, rows(0, 2)), YOKE_OK);
    written(c, OTHER, rows(0, 1));
    assert_int_equal(yk_coherence_copy_done(c, OTHER, rows(0, 2)), YOKE_OK);
    assert_states(c, OTHER, "MSSS..");
    assert_states(c, HOST, ".S..SS");
    close_rows(c);
}

/* The same rows are copied twice: the first end makes them current. A failure does not invalidate
 * rows that are current, and leaves no row arriving. */
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

/* Rows that only this place has stay; the others are dropped, together with copies from and to it.
 */
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
    /* The last place that has rows keeps them and reports that they are the only ones. */
    assert_int_equal(yk_coherence_drop(c, GPU, rows(0, 8), &kept), YOKE_OK);
    assert_int_equal(kept, 0);
    assert_states(c, OTHER, "..MM....");
    assert_int_equal(yk_coherence_drop(c, HOST, rows(0, 2), &kept), YOKE_OK);
    assert_int_equal(kept, 2);
    assert_states(c, HOST, "MM..MMSS");
    close_rows(c);
}

/* Rows of which others have copies survive; an only copy is lost until it is written again; a copy
 * from the failed place never counts. */
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

static uint32_t bits(int a, int b)
{
    return UINT32_C(1) << a | UINT32_C(1) << b;
}

/* Row 0 is everywhere except GPU; rows 1 and 2 are on devices, row 3 on the host and OTHER. */
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
    /* requests are spread: the source is the next place after the requester, in a ring */
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
    /* an overtaken copy brings nothing, but is still in progress */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
