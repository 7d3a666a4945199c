/* broadcast.h - PURE. How rows that only the host has reach several devices that need them: each
 * row crosses one host link, and is then copied from device to device.
 *
 * The array is cut into pieces, which the devices own in turn. A device takes its own pieces from
 * the host and the others from their owners. It goes through them group by group, and within each
 * group starts at its own piece and goes on with the next device's, so that no two devices read the
 * same piece at the same time:
 *
 *     piece       0 1 2 3 | 4 5 6 7 | ...       from the host to the devices a b c d
 *     a's order   0 1 2 3   4 5 6 7             its own, then from b, c, d
 *     b's order   1 2 3 0   5 6 7 4             its own, then from c, d, a
 *
 * A device never waits until an owner fetches a piece. If a piece is not on its way to its owner
 * yet, the first device that needs it sends it there, on the owner's link, and then copies it from
 * there. So an owner that is late finds its pieces present, and an owner that in the end needs
 * nothing has only lent its link. A device from which copies are not faster than from the host is
 * not a member. papers/002 broadcasts along a tree; where all devices reach each other, a ring of
 * parts keeps all links busy instead of some (design choice).
 */
#ifndef YK_ARRAY_BROADCAST_H
#define YK_ARRAY_BROADCAST_H

#include <stdint.h>

#include "../base/interval.h"

/* In bytes. Smaller arrays are not shared. A piece has at least twice this number of bytes for each
 * member, unless there is only one piece for each member. Tests make it smaller. */
extern int64_t yk_broadcast_least_bytes;

struct yk_broadcast {
    struct yk_interval rows; /* of the array */
    int64_t piece_rows;
    uint32_t members; /* places that need the rows, a bit each; at least two */
};

/* Cuts the rows into pieces: short enough that the two copies of a row overlap, long enough that
 * the overhead of a copy is small. All members get the same pieces. Returns 0 if the array should
 * not be shared. */
int yk_broadcast_open(struct yk_interval rows, int64_t row_bytes, uint32_t members,
                      struct yk_broadcast *out);
int64_t yk_broadcast_pieces(const struct yk_broadcast *broadcast);
/* The nth piece in the order of `place`, which must be a member. */
struct yk_interval yk_broadcast_piece(const struct yk_broadcast *broadcast, int place, int64_t nth,
                                      int *owner);

/* Where some rows of a piece are; the sets have a bit for each place. */
struct yk_piece_state {
    int place, owner; /* the place that needs them; the piece's owner */
    uint32_t holders; /* places where the rows are current */
    uint32_t coming;  /* places where they are arriving */
    uint32_t sent;    /* places where they are arriving from the host, by an issued copy */
    uint32_t near;    /* places from which `place` copies faster than from the host */
};
enum yk_route {
    YK_ROUTE_NONE,    /* nothing to do: the rows are there or arriving; or neither the host nor a
                       * near place has them, and upload.c has to find them */
    YK_ROUTE_HOST,    /* take them from the host */
    YK_ROUTE_DEVICE,  /* take them from `via`, which has them */
    YK_ROUTE_FOLLOW,  /* take them from `via`, to which they are on their way from the host */
    YK_ROUTE_PASS_ON, /* have them sent from the host to `via`, then take them from there */
    YK_ROUTE_AWAIT,   /* another thread is issuing a copy of them to `via`. Look again when it has
                       * done so; if they come to `via` in another way, take them from the host */
};
enum yk_route yk_broadcast_route(const struct yk_piece_state *state, int *via);

#endif
