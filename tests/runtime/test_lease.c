/* test_lease.c - lanes cut leases that are replaced all the time: every item is cut exactly once,
 * whichever lanes take part, and equally busy lanes get the same rows in every run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "partition/lease.h"
#include "platform/thread.h"

enum { THREADS = 8, ITEMS = 60000 };

static struct yk_leases leases;
static yk_mutex lock = YK_MUTEX_INITIAL;
static int64_t next_item;
static atomic_uchar cut[ITEMS];
static atomic_int completed;

static void publish(struct yk_leases *to, const struct yk_chunk *chunk, int64_t now)
{
    struct yk_lease *lease = yk_lease_next(to);
    lease->rows = YK_LEASE_ASKS;
    yk_lease_publish(to, lease, chunk, now);
}

/* Leases and pieces of varying size, as a dispatcher would give them: from one piece to several for
 * each lane. */
static int publish_next(void)
{
    struct yk_chunk chunk = { .first = next_item,
                              .last = next_item + 1 + next_item % 97 * (next_item % 5) };
    if (next_item == ITEMS)
        return 0;
    if (chunk.last > ITEMS)
        chunk.last = ITEMS;
    chunk.piece = next_item % 8; /* 0: not to be cut */
    chunk.parts = (int)(next_item % 7);
    next_item = chunk.last;
    publish(&leases, &chunk, 5);
    return 1;
}

static void do_piece(const struct yk_chunk *piece, int slot)
{
    const struct yk_lease *lease;
    int64_t i;
    for (i = piece->first; i < piece->last; i++)
        atomic_fetch_add(&cut[i], 1);
    lease = yk_lease_done(&leases, slot, piece->last - piece->first);
    if (!lease)
        return;
    yk_lock(&lock);
    atomic_fetch_add(&completed, (int)(lease->chunk.last - lease->chunk.first));
    yk_lease_free(&leases, slot);
    yk_unlock(&lock);
}

static void cutter(void *context)
{
    int lane = *(const int *)context;
    struct yk_chunk piece;
    int slot, more = 1;
    while (more) {
        while (yk_lease_cut(&leases, lane, &piece, &slot))
            do_piece(&piece, slot);
        yk_lock(&lock);
        if (yk_lease_cut(&leases, lane, &piece, &slot)) {
            yk_unlock(&lock);
            do_piece(&piece, slot);
            continue;
        }
        more = publish_next();
        yk_unlock(&lock);
    }
}

/* `threads` of the lanes show up, far apart. */
static void cut_all(int lanes, int threads)
{
    struct yk_thread handles[THREADS];
    int at[THREADS], i;
    next_item = 0;
    atomic_store(&completed, 0);
    memset((void *)cut, 0, sizeof cut);
    assert_int_equal(yk_leases_open(lanes, &leases), YOKE_OK);
    for (i = 0; i < threads; i++) {
        struct yk_thread_spec spec = {
            .name = "cutter", .cpu = -1, .run = cutter, .context = &at[i]
        };
        at[i] = (int)((int64_t)(i + 1) * lanes / threads) - 1;
        assert_int_equal(yk_thread_open(&spec, &handles[i]), YOKE_OK);
    }
    for (i = 0; i < threads; i++)
        yk_thread_join(&handles[i]);
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(atomic_load(&cut[i]), 1);
    assert_int_equal(atomic_load(&completed), ITEMS);
    yk_leases_close(&leases);
}

static void every_item_is_cut_once(void **state)
{
    static const int lanes[] = { 1, 2, 4, 8, 13, 64, 65, 200 };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        cut_all(lanes[i], lanes[i] < THREADS ? lanes[i] : THREADS);
        cut_all(lanes[i], 1);
    }
}

static void a_new_lease_set_is_empty(void **state)
{
    struct yk_leases empty;
    struct yk_chunk piece;
    int slot;
    (void)state;
    assert_int_equal(yk_leases_open(3, &empty), YOKE_OK);
    assert_false(yk_lease_cut(&empty, 2, &piece, &slot));
    yk_leases_close(&empty);
}

static void no_memory_is_told(void **state)
{
    int64_t before = yk_alloc_outstanding();
    struct yk_leases none = { 0 };
    (void)state;
    yk_alloc_fail_at(1);
    assert_int_equal(yk_leases_open(3, &none), YOKE_ENOMEM);
    yk_alloc_fail_at(0);
    yk_leases_close(&none);
    assert_int_equal(yk_alloc_outstanding(), before);
}

struct cut {
    int lane;
    int64_t first, last;
};

/* Makes the cuts in turn and compares; the lease's last one completes it. */
static void expect_cuts(const struct cut *want, int count)
{
    struct yk_chunk piece;
    int slot, i;
    for (i = 0; i < count; i++) {
        assert_true(yk_lease_cut(&leases, want[i].lane, &piece, &slot));
        assert_int_equal(piece.first, want[i].first);
        assert_int_equal(piece.last, want[i].last);
        assert_true((yk_lease_done(&leases, slot, piece.last - piece.first) != NULL) ==
                    (i == count - 1));
    }
    assert_false(yk_lease_cut(&leases, want[0].lane, &piece, &slot));
    yk_lease_free(&leases, slot);
}

/* Half of what is left of its own section at a time, the last piece short. */
static void pieces_cover_the_chunk(void **state)
{
    struct yk_chunk chunk = { .first = 10, .last = 28, .piece = 4 };
    static const struct cut want[] = { { 0, 10, 22 }, { 0, 22, 26 }, { 0, 26, 28 } };
    (void)state;
    assert_int_equal(yk_leases_open(1, &leases), YOKE_OK);
    publish(&leases, &chunk, 7);
    expect_cuts(want, 3);
    yk_leases_close(&leases);
}

/* Own rows from the front, then the neighbours' from the back, the nearest first. */
static void who_is_done_steals_from_the_nearest(void **state)
{
    struct yk_chunk chunk = { .first = 0, .last = 16, .piece = 1 };
    static const struct cut want[] = {
        { 1, 4, 6 },   { 1, 6, 7 },   { 1, 7, 8 },  /* its own */
        { 1, 10, 12 }, { 2, 8, 9 },   { 1, 9, 10 }, /* lane 2 takes what is left */
        { 1, 2, 4 },   { 1, 1, 2 },   { 0, 0, 1 },  /* lane 0 comes late */
        { 1, 14, 16 }, { 3, 12, 13 }, { 0, 13, 14 },
    };
    (void)state;
    assert_int_equal(yk_leases_open(4, &leases), YOKE_OK);
    publish(&leases, &chunk, 7);
    expect_cuts(want, sizeof want / sizeof *want);
    yk_leases_close(&leases);
}

/* A lease of four lanes, of which the first two have a section: a half each. */
static void expect_two_of_four(const struct cut *want, int count)
{
    struct yk_chunk chunk = { .first = 0, .last = 16, .piece = 1 };
    assert_int_equal(yk_leases_open(4, &leases), YOKE_OK);
    atomic_store(&leases.cutters, 2);
    publish(&leases, &chunk, 7);
    expect_cuts(want, count);
    yk_leases_close(&leases);
}

static void the_first_lanes_cut(void **state)
{
    static const struct cut want[] = {
        { 1, 8, 12 }, { 0, 0, 4 },   { 0, 4, 6 },   { 0, 6, 7 },
        { 0, 7, 8 },  { 1, 12, 14 }, { 0, 15, 16 }, { 1, 14, 15 },
    };
    (void)state;
    expect_two_of_four(want, sizeof want / sizeof *want);
}

/* The fourth lane's job was called by its thread: it has the last section for its own, too. */
static void others_share_the_last_section(void **state)
{
    static const struct cut want[] = {
        { 3, 8, 12 }, { 1, 12, 14 }, { 3, 14, 15 }, { 0, 0, 4 },
        { 0, 4, 6 },  { 0, 6, 7 },   { 0, 7, 8 },   { 3, 15, 16 },
    };
    (void)state;
    expect_two_of_four(want, sizeof want / sizeof *want);
}

static void pieces_come_one_by_one_if_asked(void **state)
{
    struct yk_chunk chunk = { .first = 0, .last = 31, .piece = 4, .parts = 100 };
    static const struct cut want[] = {
        { 1, 16, 20 }, { 1, 20, 24 }, { 1, 24, 28 }, { 1, 28, 31 }, /* its own */
        { 1, 12, 16 }, { 0, 0, 4 },   { 1, 8, 12 },  { 0, 4, 8 },
    };
    (void)state;
    assert_int_equal(yk_leases_open(2, &leases), YOKE_OK);
    publish(&leases, &chunk, 7);
    expect_cuts(want, sizeof want / sizeof *want);
    yk_leases_close(&leases);
}

/* Neighbours share a section, and each piece lies with the lanes of its part of the machine. */
static void more_lanes_than_pieces(void **state)
{
    struct yk_chunk chunk = { .first = 0, .last = 3, .piece = 1 };
    static const struct cut want[] = { { 199, 2, 3 }, { 0, 0, 1 }, { 70, 1, 2 } };
    static const struct cut alone[] = { { 130, 1, 2 }, { 130, 2, 3 }, { 130, 0, 1 } };
    (void)state;
    assert_int_equal(yk_leases_open(200, &leases), YOKE_OK);
    publish(&leases, &chunk, 7);
    expect_cuts(want, 3);
    publish(&leases, &chunk, 8);
    expect_cuts(alone, 3);
    yk_leases_close(&leases);
}

/* From its word's lanes to those of the other words of the bit map. */
static void stealing_reaches_every_section(void **state)
{
    struct yk_chunk chunk = { .first = 0, .last = 200, .piece = 1 }, piece;
    int64_t order[200];
    int slot, i, lane = 150;
    (void)state;
    assert_int_equal(yk_leases_open(200, &leases), YOKE_OK);
    publish(&leases, &chunk, 7);
    for (i = 0; i < 200; i++) {
        assert_true(yk_lease_cut(&leases, lane, &piece, &slot));
        order[i] = piece.first;
        yk_lease_done(&leases, slot, piece.last - piece.first);
    }
    assert_false(yk_lease_cut(&leases, lane, &piece, &slot));
    assert_int_equal(order[0], 150);
    assert_int_equal(order[1], 151);
    assert_int_equal(order[2], 149);
    assert_int_equal(order[64], 192);
    assert_int_equal(order[72], 127);
    assert_int_equal(order[199], 0);
    yk_leases_close(&leases);
}

enum { ROWS = 96 * 512 };

/* All lanes work at the same pace on leases of a half of what is left. */
static void run_evenly(int lanes, int64_t rows, unsigned char *lane_of)
{
    struct yk_chunk chunk = { .last = 0 }, piece;
    int64_t row = 0;
    int slot, lane, got;
    assert_int_equal(yk_leases_open(lanes, &leases), YOKE_OK);
    while (row < rows) {
        chunk = (struct yk_chunk){ .first = row, .last = row + (rows - row + 1) / 2 };
        chunk.piece = (chunk.last - row - 1) / (4 * lanes) + 1;
        row = chunk.last;
        publish(&leases, &chunk, 0);
        do
            for (lane = got = 0; lane < lanes; lane++) {
                const struct yk_lease *lease;
                if (!yk_lease_cut(&leases, lane, &piece, &slot))
                    continue;
                memset(lane_of + piece.first, lane, (size_t)(piece.last - piece.first));
                lease = yk_lease_done(&leases, slot, piece.last - piece.first);
                if (lease)
                    yk_lease_free(&leases, slot);
                got = 1;
            }
        while (got);
    }
    yk_leases_close(&leases);
}

static void rows_go_to_the_same_lanes_in_every_run(void **state)
{
    static const int lanes[] = { 1, 2, 7, 16, 96 };
    static unsigned char once[ROWS], again[ROWS];
    size_t i;
    int r;
    (void)state;
    for (i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        int half = lanes[i] * 256;
        run_evenly(lanes[i], 2 * half - 5, once);
        run_evenly(lanes[i], 2 * half - 5, again);
        assert_memory_equal(once, again, (size_t)(2 * half - 5));
        run_evenly(lanes[i], 2 * half, once);
        for (r = 0; r < half; r++) /* of the first lease each its own part, nothing stolen */
            assert_int_equal(once[r], r / 256);
    }
}

static int64_t cut_alone(int lane, const struct yk_chunk *chunk)
{
    struct yk_chunk piece;
    int64_t items = 0;
    const struct yk_lease *lease = NULL;
    int slot;
    publish(&leases, chunk, 0);
    while (yk_lease_cut(&leases, lane, &piece, &slot)) {
        assert_true(piece.first >= chunk->first && piece.last <= chunk->last);
        assert_int_equal((piece.first - chunk->first) % chunk->piece, 0);
        assert_null(lease);
        items += piece.last - piece.first;
        lease = yk_lease_done(&leases, slot, piece.last - piece.first);
    }
    assert_non_null(lease);
    yk_lease_free(&leases, slot);
    return items;
}

/* More pieces than fit into a section's word: larger ones, of whole units still. */
static void huge_leases_stay_in_bounds(void **state)
{
    struct yk_chunk chunk = { .first = 0, .last = INT64_MAX, .piece = 3 };
    (void)state;
    assert_int_equal(yk_leases_open(3, &leases), YOKE_OK);
    assert_int_equal(cut_alone(1, &chunk), INT64_MAX);
    chunk = (struct yk_chunk){ .first = -5, .last = 3 * 65535 * 2 - 5, .piece = 2 };
    assert_int_equal(cut_alone(2, &chunk), 3 * 65535 * 2);
    chunk.last++;
    assert_int_equal(cut_alone(0, &chunk), 3 * 65535 * 2 + 1);
    chunk = (struct yk_chunk){ .first = INT64_MAX - 10, .last = INT64_MAX, .piece = 4 };
    assert_int_equal(cut_alone(0, &chunk), 10);
    yk_leases_close(&leases);
}

/* Sections that have not been used for a long time are not taken for later ones, and 0 stays the
 * number of no lease. */
static void generations_may_wrap(void **state)
{
    struct yk_chunk one = { .first = 0, .last = 1, .piece = 1 };
    struct yk_chunk all = { .first = 0, .last = 8, .piece = 1 };
    uint32_t starts[] = { (1u << 31) - 2, UINT32_MAX - 2 };
    size_t s;
    int i;
    (void)state;
    assert_int_equal(yk_leases_open(4, &leases), YOKE_OK);
    for (s = 0; s < 2; s++) {
        /* as if all leases since the last one with pieces for every lane had one piece */
        leases.generation = starts[s] - starts[s] % (1u << 24);
        assert_int_equal(cut_alone(0, &one), 1);
        leases.generation = starts[s];
        for (i = 0; i < 4; i++)
            assert_int_equal(cut_alone(3, &one), 1);
        assert_int_equal(cut_alone(3, &all), 8);
        assert_true(leases.generation != 0);
    }
    yk_leases_close(&leases);
}

/* A lane cuts a piece of the next lease before it reports the last one: so two leases a lane are in
 * use at once, and one more is published. */
static void each_lane_may_have_two(void **state)
{
    enum { LANES = 16, HELD = 2 * LANES };
    struct yk_leases many;
    struct yk_chunk piece;
    int slots[HELD], n;
    (void)state;
    assert_int_equal(yk_leases_open(LANES, &many), YOKE_OK);
    for (n = 0; n < HELD; n++) {
        const struct yk_chunk chunk = { .first = n, .last = n + 1, .piece = 1 };
        assert_in_range(yk_lease_next(&many) - many.slots, 0, HELD);
        publish(&many, &chunk, 5);
        assert_int_equal(yk_lease_cut(&many, n % LANES, &piece, &slots[n]), 1);
    }
    assert_in_range(yk_lease_next(&many) - many.slots, 0, HELD);
    for (n = 0; n < HELD; n++) {
        const struct yk_lease *lease = yk_lease_done(&many, slots[n], 1);
        assert_ptr_equal(lease, &many.slots[slots[n]]);
        assert_int_equal(lease->chunk.first, n);
        yk_lease_free(&many, slots[n]);
    }
    yk_leases_close(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_lease_set_is_empty),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(pieces_cover_the_chunk),
        cmocka_unit_test(who_is_done_steals_from_the_nearest),
        cmocka_unit_test(pieces_come_one_by_one_if_asked),
        cmocka_unit_test(the_first_lanes_cut),
        cmocka_unit_test(others_share_the_last_section),
        cmocka_unit_test(more_lanes_than_pieces),
        cmocka_unit_test(stealing_reaches_every_section),
        cmocka_unit_test(rows_go_to_the_same_lanes_in_every_run),
        cmocka_unit_test(huge_leases_stay_in_bounds),
        cmocka_unit_test(generations_may_wrap),
        cmocka_unit_test(each_lane_may_have_two),
        cmocka_unit_test(every_item_is_cut_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
