/* broadcast.h - PURE. How rows that several devices want, and only the host has, reach them all:
 * each row goes over one host link, and from there on round between the devices.
 *
 * The array is cut into pieces, which the devices own in turn. A device takes its own pieces from
 * the host and the others from their owners, one group of pieces after the other and in each group
 * from the next device on, so that no two ask the same one at the same moment:
 *
 *     piece       0 1 2 3 | 4 5 6 7 | ...       from the host to the devices a b c d
 *     a's order   0 1 2 3   4 5 6 7             its own, then from b, c, d
 *     b's order   1 2 3 0   5 6 7 4             its own, then from c, d, a
 *
 * Nobody waits for an owner to come: a piece that is not on its way to it yet is sent there, on its
 * link, by whoever wants it first, who then takes it from there like the others. So a device that
 * is late finds its part, one that wants nothing in the end has only lent its link, and one that
 * can do neither is no member. papers/002 broadcasts along a tree; where all devices reach each
 * other, a ring of parts keeps all links busy instead of some (design choice).
 */
#ifndef YK_ARRAY_BROADCAST_H
#define YK_ARRAY_BROADCAST_H

#include <stdint.h>

#include "interval.h"

/* Arrays of fewer bytes are not shared out, and pieces have twice as many for each member. Tests
 * make it smaller. */
extern int64_t yk_broadcast_least_bytes;

struct yk_broadcast {
    struct yk_interval rows; /* of the array */
    int64_t piece_rows;
    uint32_t members; /* places that want the rows, a bit each; two at least */
};

/* Pieces are short enough to overlap the two ways of a row, and long enough to be worth a copy. All
 * members cut alike. 0: there is nothing to share. */
int yk_broadcast_open(struct yk_interval rows, int64_t row_bytes, uint32_t members,
                      struct yk_broadcast *out);
int64_t yk_broadcast_pieces(const struct yk_broadcast *broadcast);
/* The nth piece that `place`, a member, looks at. */
struct yk_interval yk_broadcast_piece(const struct yk_broadcast *broadcast, int place, int64_t nth,
                                      int *owner);

/* What is known of some rows of a piece, a bit for each place. */
struct yk_piece_state {
    int place, owner; /* who wants them, and whose piece it is */
    uint32_t holders; /* they are current there, */
    uint32_t coming;  /* or arriving, */
    uint32_t sent;    /* namely from the host, by a copy that has been issued */
    uint32_t near;    /* from where `place` copies faster than from the host */
};
enum yk_route {
    YK_ROUTE_NONE,    /* they are there, or coming, or must be looked for elsewhere */
    YK_ROUTE_HOST,    /* take them from the host */
    YK_ROUTE_DEVICE,  /* take them from `via`, which has them, */
    YK_ROUTE_FOLLOW,  /* or will have them by then */
    YK_ROUTE_PASS_ON, /* have them sent from the host to `via`; then follow */
    YK_ROUTE_AWAIT, /* somebody is just having them sent to `via`: look again when he has, and if it
                       was something else that brings them there take them from the host */
};
enum yk_route yk_broadcast_route(const struct yk_piece_state *state, int *via);

#endif
