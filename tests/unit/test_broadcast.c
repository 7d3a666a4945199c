/* test_broadcast.c - which member takes which rows from which: the order of pieces, each decision,
 * and whole broadcasts whose members act in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array/broadcast.h"
#include "array/coherence.h"

enum { PIECES_MOST = 4096 };

static uint32_t bit(int place)
{
    return UINT32_C(1) << place;
}

static struct yk_broadcast opened(int64_t count, int64_t row_bytes, uint32_t members)
{
    struct yk_broadcast b;
    assert_true(
        yk_broadcast_open((struct yk_interval){ 100, 100 + count }, row_bytes, members, &b));
    return b;
}

/* Every member visits every row once, all use the same pieces, and in a full group no two visit the
 * same piece at the same time; each begins with its own piece. */
static void order_of_pieces(void **state)
{
    static const uint32_t members[] = { 0x6, 0xE, 0x1E, 0x80000002, 0xFFFFFFFE, 0x54 };
    static const int64_t counts[] = { 40, 1000, 4097, 1 << 20 };
    size_t m, c;
    (void)state;
    for (m = 0; m < sizeof members / sizeof *members; m++)
        for (c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct yk_broadcast b = opened(counts[c], 1 << 20, members[m]);
            int64_t n = __builtin_popcount(members[m]), pieces = yk_broadcast_pieces(&b), nth;
            assert_true(pieces <= PIECES_MOST * 32);
            for (int place = 1; place < 32; place++) {
                int64_t sum = 0;
                for (nth = 0; members[m] & bit(place) && nth < pieces; nth++) {
                    int owner, other;
                    struct yk_interval rows = yk_broadcast_piece(&b, place, nth, &owner);
                    assert_true(rows.first >= 100 && rows.first < rows.last);
                    assert_true(rows.last <= 100 + counts[c]);
                    assert_true(members[m] & bit(owner));
                    sum += rows.last - rows.first;
                    if (nth / n * n + n > pieces)
                        continue;
                    if (nth % n == 0)
                        assert_int_equal(owner, place);
                    for (int p = place + 1; p < 32; p++)
                        if (members[m] & bit(p))
                            assert_true(yk_broadcast_piece(&b, p, nth, &other).first != rows.first);
                }
                assert_int_equal(sum, members[m] & bit(place) ? counts[c] : 0);
            }
        }
}

static void little_is_not_shared(void **state)
{
    struct yk_broadcast b;
    (void)state;
    assert_false(yk_broadcast_open((struct yk_interval){ 0, 1000 }, 1000, 6, &b));
    assert_false(yk_broadcast_open((struct yk_interval){ 0, 1 << 20 }, 1000, 4, &b));
    assert_false(yk_broadcast_open((struct yk_interval){ 0, 2 }, 1 << 30, 14, &b));
    assert_false(yk_broadcast_open((struct yk_interval){ 5, 5 }, 1 << 30, 6, &b));
    b = opened(64, 1 << 20, 6); /* 64 MiB: 4 pieces for each of two members */
    assert_int_equal(yk_broadcast_pieces(&b), 8);
    b = opened(64, 1 << 20, 30); /* each issues one of each size: 2 of 8 MiB for each of four */
    assert_int_equal(yk_broadcast_pieces(&b), 8);
    b = opened(3, 1 << 20, 6);
    assert_int_equal(yk_broadcast_pieces(&b), 2);
    b = opened(4096, 1 << 20, 6); /* 4 GiB: pieces of at most 32 MiB */
    assert_int_equal(yk_broadcast_pieces(&b), 128);
}

static void each_decision(void **state)
{
    enum { HOST = 1, A = 2, B = 4, C = 8 }; /* bits of places 0 to 3; place 1 decides */
    static const struct {
        int owner;
        uint32_t holders, coming, sent, near;
        enum yk_route route;
        int via;
    } cases[] = {
        { 1, HOST, 0, 0, B | C, YK_ROUTE_HOST, 0 },
        { 2, HOST, 0, 0, B | C, YK_ROUTE_PASS_ON, 2 },
        { 2, HOST, 0, 0, C, YK_ROUTE_HOST, 0 },       /* the owner is far */
        { 2, HOST, B, B, B | C, YK_ROUTE_FOLLOW, 2 }, /* already sent there */
        { 2, HOST, B, 0, B | C, YK_ROUTE_AWAIT, 2 },  /* arriving there by an unknown route */
        { 3, HOST, B, B, B | C, YK_ROUTE_FOLLOW, 2 }, /* sent to another member */
        { 3, HOST, B | C, B | C, B | C, YK_ROUTE_FOLLOW, 3 },
        { 3, HOST, B, B, C, YK_ROUTE_PASS_ON, 3 },
        { 2, HOST | B, 0, 0, B | C, YK_ROUTE_DEVICE, 2 },
        { 1, HOST | C, B, B, B | C, YK_ROUTE_DEVICE, 3 }, /* present is better than arriving */
        { 3, B | C, 0, 0, B | C, YK_ROUTE_DEVICE, 3 },
        { 1, B | C, 0, 0, B | C, YK_ROUTE_DEVICE, 2 }, /* the next one after the requester */
        { 2, C, 0, 0, B, YK_ROUTE_NONE, 0 },           /* only far away */
        { 2, 0, 0, 0, B | C, YK_ROUTE_NONE, 0 },       /* never written, or lost */
        { 1, HOST | A, 0, 0, B, YK_ROUTE_NONE, 0 },
        { 2, HOST, A, A, B, YK_ROUTE_NONE, 0 },
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_piece_state asked = { .place = 1,
                                              .owner = cases[i].owner,
                                              .holders = cases[i].holders,
                                              .coming = cases[i].coming,
                                              .sent = cases[i].sent,
                                              .near = cases[i].near };
        int via = 0;
        if (yk_broadcast_route(&asked, &via) != cases[i].route || via != cases[i].via)
            fail_msg("case %d: route %d via %d", (int)i, yk_broadcast_route(&asked, &via), via);
    }
}

/* A simulation in which copies arrive at once or later. */
struct world {
    uint32_t holders[PIECES_MOST], coming[PIECES_MOST], sent[PIECES_MOST];
    int from_host[PIECES_MOST];
    int issues[32];   /* for each member, the place to which it sends its current piece now; 0: none
                       */
    int64_t next[32]; /* each member's current piece */
};

static void arrive(struct world *w, int64_t piece)
{
    w->holders[piece] |= w->coming[piece];
    w->coming[piece] = w->sent[piece] = 0;
}

static void turn(struct world *w, const struct yk_broadcast *b, int place)
{
    int owner, via = 0;
    struct yk_interval rows = yk_broadcast_piece(b, place, w->next[place], &owner);
    int64_t piece = (rows.first - b->rows.first) / b->piece_rows;
    const struct yk_piece_state asked = { .place = place,
                                          .owner = owner,
                                          .holders = w->holders[piece],
                                          .coming = w->coming[piece],
                                          .sent = w->sent[piece],
                                          .near = b->members & ~bit(place) };
    enum yk_route route = yk_broadcast_route(&asked, &via);
    if (w->issues[place]) {
        w->sent[piece] |= bit(w->issues[place]) & w->coming[piece];
        w->next[place] += w->issues[place] == place;
        w->issues[place] = 0;
        return;
    }
    if (route == YK_ROUTE_PASS_ON || route == YK_ROUTE_HOST) {
        w->issues[place] = route == YK_ROUTE_HOST ? place : via;
        w->from_host[piece]++;
        w->coming[piece] |= bit(w->issues[place]);
    }
    if (route == YK_ROUTE_PASS_ON || route == YK_ROUTE_HOST || route == YK_ROUTE_AWAIT)
        return; /* visits it again */
    if (route == YK_ROUTE_DEVICE)
        assert_true(w->holders[piece] & bit(via));
    if (route == YK_ROUTE_FOLLOW)
        assert_true(w->sent[piece] & bit(via));
    w->coming[piece] |= bit(place);
    w->next[place]++;
}

/* In any order of actions and arrivals: all members get all pieces, and the host sends each piece
 * once. */
static void in_any_order(void **state)
{
    static struct world w;
    int round;
    (void)state;
    for (round = 0; round < 300; round++) {
        uint32_t members = round % 3 == 0 ? 6 : round % 3 == 1 ? 0x1E : 0xA4;
        struct yk_broadcast b = opened(1 + 7 * (round % 29) + 8, 1 << 20, members);
        int64_t pieces = yk_broadcast_pieces(&b), piece, left = pieces * 32;
        srand((unsigned)round);
        w = (struct world){ 0 };
        for (piece = 0; piece < pieces; piece++)
            w.holders[piece] = bit(YK_HOST);
        while (left > 0) {
            int place = 1 + rand() % 31;
            if (rand() % 8 == 0)
                arrive(&w, rand() % pieces);
            if (members & bit(place) && w.next[place] < pieces)
                turn(&w, &b, place);
            left = 0;
            for (place = 1; place < 32; place++)
                left += members & bit(place) ? pieces - w.next[place] : 0;
        }
        for (piece = 0; piece < pieces; piece++) {
            assert_int_equal(w.from_host[piece], 1);
            assert_int_equal((w.holders[piece] | w.coming[piece]) & members, members);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_pieces),
        cmocka_unit_test(little_is_not_shared),
        cmocka_unit_test(each_decision),
        cmocka_unit_test(in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
