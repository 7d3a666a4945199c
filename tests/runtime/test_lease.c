/* test_lease.c - many threads cut leases that are replaced all the time: every item is cut exactly
 * once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "platform/thread.h"
#include "runtime/lease.h"

enum { THREADS = 4, ITEMS = 200000 };

static struct yk_leases leases;
static yk_mutex lock = YK_MUTEX_INITIAL;
static int64_t next_item;
static atomic_uchar cut[ITEMS];
static atomic_int completed;

/* Leases and pieces of varying size, as a dispatcher would give them. */
static int publish_next(void)
{
    struct yk_chunk chunk = { .first = next_item, .last = next_item + 1 + next_item % 97 };
    if (next_item == ITEMS)
        return 0;
    if (chunk.last > ITEMS)
        chunk.last = ITEMS;
    chunk.piece = 1 + next_item % 7;
    next_item = chunk.last;
    yk_lease_publish(&leases, &chunk, 5);
    return 1;
}

static void do_piece(const struct yk_chunk *piece, int slot)
{
    const struct yk_lease *lease;
    int64_t i;
    for (i = piece->first; i < piece->last; i++)
        atomic_fetch_add(&cut[i], 1);
    lease = yk_lease_piece_done(&leases, slot);
    if (!lease)
        return;
    yk_lock(&lock);
    atomic_fetch_add(&completed, (int)(lease->chunk.last - lease->chunk.first));
    yk_lease_free(&leases, slot);
    yk_unlock(&lock);
}

static void cutter(void *context)
{
    struct yk_chunk piece;
    int slot, more = 1;
    (void)context;
    while (more) {
        while (yk_lease_cut(&leases, &piece, &slot))
            do_piece(&piece, slot);
        yk_lock(&lock);
        if (yk_lease_cut(&leases, &piece, &slot)) {
            yk_unlock(&lock);
            do_piece(&piece, slot);
            continue;
        }
        more = publish_next();
        yk_unlock(&lock);
    }
}

static void every_item_is_cut_once(void **state)
{
    struct yk_thread threads[THREADS];
    struct yk_thread_spec spec = { .name = "cutter", .cpu = -1, .run = cutter };
    int i;
    (void)state;
    assert_int_equal(yk_leases_open(THREADS, &leases), YOKE_OK);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(yk_thread_open(&spec, &threads[i]), YOKE_OK);
    for (i = 0; i < THREADS; i++)
        yk_thread_join(&threads[i]);
    for (i = 0; i < ITEMS; i++)
        assert_int_equal(atomic_load(&cut[i]), 1);
    assert_int_equal(atomic_load(&completed), ITEMS);
    yk_leases_close(&leases);
}

static void a_new_lease_set_is_empty(void **state)
{
    struct yk_leases empty;
    struct yk_chunk piece;
    int slot;
    (void)state;
    assert_int_equal(yk_leases_open(3, &empty), YOKE_OK);
    assert_false(yk_lease_cut(&empty, &piece, &slot));
    yk_leases_close(&empty);
}

/* A lease of one piece, and one whose last piece is short. */
static void pieces_cover_the_chunk(void **state)
{
    struct yk_chunk chunk = { .first = 10, .last = 20, .piece = 4 }, piece;
    int slot, i;
    static const int64_t want[][2] = { { 10, 14 }, { 14, 18 }, { 18, 20 } };
    (void)state;
    assert_int_equal(yk_leases_open(1, &leases), YOKE_OK);
    yk_lease_publish(&leases, &chunk, 7);
    for (i = 0; i < 3; i++) {
        assert_true(yk_lease_cut(&leases, &piece, &slot));
        assert_int_equal(piece.first, want[i][0]);
        assert_int_equal(piece.last, want[i][1]);
        assert_true((yk_lease_piece_done(&leases, slot) != NULL) == (i == 2));
    }
    assert_false(yk_lease_cut(&leases, &piece, &slot));
    yk_leases_close(&leases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_lease_set_is_empty),
        cmocka_unit_test(pieces_cover_the_chunk),
        cmocka_unit_test(every_item_is_cut_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
