/* pieces.h - PURE. How threads share a chunk of the CPU: the rule of job/lease.h, one thread
 * after the other.
 *
 * A chunk that may be cut is published as a lease. Each thread takes half of the rest of its own
 * section of the lease, from the front; then half of the rest of the nearest other section, from
 * the back; or a smaller part, if the chunk says so. One lease at a time is open for cutting; a
 * lease is done when all its pieces are.
 */
#ifndef YK_SIMULATOR_PIECES_H
#define YK_SIMULATOR_PIECES_H

#include "../partition/dispatch.h"

struct yk_lent {
    struct yk_chunk chunk;
    int64_t items_left; /* not yet done; 0: the slot is free */
    double issued, work_ns;
};

struct yk_pieces {
    struct yk_lent *slots; /* lanes + 1 */
    int *free_slots, free_count;
    int64_t (*sections)[2]; /* begin and end of the rest of each, in pieces */
    int lanes;
    /* of the lease that is open for cutting */
    int slot;
    int section_count;
    int64_t piece, left; /* items of a piece; pieces left */
};

struct yk_piece {
    int64_t first, last;
    int slot;
};

yoke_status yk_pieces_open(int lanes, struct yk_pieces *out);
void yk_pieces_close(struct yk_pieces *pieces);
/* Returns 1 and a piece; 0 if nothing is left to cut. */
int yk_pieces_cut(struct yk_pieces *pieces, int lane, struct yk_piece *out);
/* Call after a cut found nothing left. */
void yk_pieces_publish(struct yk_pieces *pieces, const struct yk_chunk *chunk, double now);
/* A piece that took a lane `work_ns` is done. Returns the lease if this was its last piece (its
 * slot is free from the next call on); otherwise NULL. */
const struct yk_lent *yk_pieces_done(struct yk_pieces *pieces, const struct yk_piece *piece,
                                     double work_ns);

#endif
