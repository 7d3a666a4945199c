/* lease.h - a chunk that the lanes of a CPU device cut into pieces among themselves with one
 * atomic.
 *
 * The dispatcher's lock is taken once per lease, not once per piece. A lease's place in the ring of
 * slots is reused only when all its pieces are done; with one slot more than lanes there is always
 * a free one when a lane finds the current lease used up, since that lane works on none.
 *
 * word = generation << 32 | next piece. A cutter reads word, then the lease's bounds, then moves
 * the word on with compare-and-swap: success proves that no new lease was published meanwhile, so
 * the bounds belong together.
 */
#ifndef YK_RUNTIME_LEASE_H
#define YK_RUNTIME_LEASE_H

#include <stdatomic.h>
#include <stdint.h>

#include "../partition/dispatch.h"

struct yk_lease {
    _Atomic uint64_t word;
    _Atomic int64_t first, last, piece;
    _Atomic int64_t pieces_left; /* not yet done; 0: the slot is free */
    struct yk_chunk chunk; /* as the dispatcher gave it; written before, read after the pieces */
    int64_t issued_ns;
};

struct yk_leases {
    struct yk_lease *slots; /* lanes + 1 */
    int count;
    _Atomic int current;
};

yoke_status yk_leases_open(int lanes, struct yk_leases *out);
void yk_leases_close(struct yk_leases *leases);

/* Cut a piece off the current lease: 1 with its items and the slot it belongs to, 0 if nothing is
 * left. */
int yk_lease_cut(struct yk_leases *leases, struct yk_chunk *piece, int *slot);
/* Publish a chunk as the current lease. Callers hold the job's lock. */
void yk_lease_publish(struct yk_leases *leases, const struct yk_chunk *chunk, int64_t now);
/* A piece is done. The lease if it was its last one: the caller reports it to the dispatcher and
 * frees the slot, both under the job's lock. Else NULL. */
const struct yk_lease *yk_lease_piece_done(struct yk_leases *leases, int slot);
void yk_lease_free(struct yk_leases *leases, int slot);

#endif
