/* lease.h - a chunk that the lanes of a CPU device cut into pieces among themselves, so that the
 * dispatcher's lock is taken once a lease and the same rows go to the same core in every run.
 *
 * A lease's pieces lie in sections, one for each lane in the order of the lanes, as equal as whole
 * pieces can be (fewer pieces than lanes: one section for a few neighbours). A lane takes half of
 * what its own section still has (or as small a part as the chunk says), from the front, and when
 * that is used up as much of what the nearest other one has, from the back, so that the owner keeps
 * its rows. Lanes are in the order of the
 * topology: the nearest index shares a cache or a NUMA node first. Sections are parts of the lease,
 * not of the job's range, since a lease may be any part of that and every lane has to find rows of
 * its own in it; jobs that repeat have the same leases, and then the same rows for each core.
 *
 *     lanes        0         1         2         3
 *     lease   |--------.|---------|.--------|---------|
 *              own -> <- stolen
 *
 * Only one lease at a time is open for cutting. A section's word is generation << 32 | begin << 16
 * | end: what is left of it, in pieces. A word of an earlier generation means that the section is
 * still whole, so publishing writes no section. Generations go with leases; a cutter reads the
 * lease's shape, then a section's word, then moves that on with compare-and-swap: success proves
 * that no later lease was published, because that needs every section of this one used up.
 *
 * What becomes of a lease after it is cut is kept in a slot, free again when all pieces are done.
 * A lane has at most two at a time: the one it has finished and not reported yet, and the one that
 * it goes on with. With a slot more than twice the lanes there is always a free one when a lane
 * finds the current lease used up, since that lane works on none.
 */
#ifndef YK_JOB_LEASE_H
#define YK_JOB_LEASE_H

#include <stdatomic.h>
#include <stdint.h>

#include <yoke/job.h>

#include "../array/interval.h"
#include "../partition/dispatch.h"

/* What cutters read of the current lease. */
struct yk_lease_shape {
    _Alignas(64) _Atomic uint32_t generation; /* 0: there is none, or it is being written */
    _Atomic int32_t slot, sections, parts;
    _Atomic int64_t pieces;
    _Atomic int64_t first, last, piece; /* items, and those of a piece */
};

struct yk_section { /* a cache line of its own, which stays with its lane's core */
    _Alignas(64) _Atomic uint64_t word;
};

/* Whether rows of its arrays still have to be asked for and told of, piece by piece, or the host
 * has them all and coherence was told so for the whole lease. */
enum yk_lease_rows { YK_LEASE_ASKS, YK_LEASE_READY };

struct yk_lease {
    _Alignas(64) _Atomic int64_t items_left; /* not yet done; 0: the slot is free */
    _Atomic int64_t work_ns;                 /* of all lanes for the pieces done so far, */
    _Atomic int64_t fetch_ns;                /* and of that, until rows were home */
    /* as the dispatcher gave it; written before, read after the pieces */
    _Alignas(64) struct yk_chunk chunk;
    int64_t issued_ns;
    enum yk_lease_rows rows;
    /* Of arguments that are written and whose rows a function of the program gives, those of the
     * whole lease: all that its pieces may write. */
    struct yk_interval written[YOKE_ARGS_MAX];
};

struct yk_leases {
    struct yk_lease *slots;       /* the block that all the others lie in */
    int slot_count;               /* 2 * lanes + 1 */
    struct yk_lease_shape *shape; /* of the current lease */
    struct yk_section *sections;  /* one a lane */
    /* bit s % 64 of word s / 64, `words` a slot: section s may have pieces left. Cleared by who
     * takes the last one, while its piece is not done, so never in a later lease of the slot. */
    _Atomic uint64_t *filled;
    int lanes, words;
    int cutters;         /* of the lanes, the first ones, cut; set between jobs */
    uint32_t generation; /* latest; under the job's lock */
};

yoke_status yk_leases_open(int lanes, struct yk_leases *out);
void yk_leases_close(struct yk_leases *leases);

/* Cut a piece off the current lease for a lane: 1 with its items and the slot it belongs to, 0 if
 * nothing is left. A 0 is certain only under the job's lock; without, a lease that is just being
 * published may be missed. Costs an uncontended compare-and-swap; at worst a look at each section.
 */
int yk_lease_cut(struct yk_leases *leases, int lane, struct yk_chunk *piece, int *slot);
/* None is open for cutting any more; all that were are done, and nobody cuts. */
void yk_leases_shut(struct yk_leases *leases);
/* A free slot, whose rows and what is written of them are the caller's to set; then publish a chunk
 * as the current lease, in that slot. After a cut found nothing left, all under the job's lock. */
struct yk_lease *yk_lease_next(struct yk_leases *leases);
void yk_lease_publish(struct yk_leases *leases, struct yk_lease *lease,
                      const struct yk_chunk *chunk, int64_t now);
/* Of a slot whose piece the caller has. */
static inline int yk_lease_is_ready(const struct yk_leases *leases, int slot)
{
    return leases->slots[slot].rows == YK_LEASE_READY;
}
/* Pieces of that slot took a lane so long. Before yk_lease_done. */
void yk_lease_worked(struct yk_leases *leases, int slot, int64_t ns);
/* And before it began with one, rows took so long to come home. */
void yk_lease_fetched(struct yk_leases *leases, int slot, int64_t ns);
/* They are done, `items` in all. A lane that goes on with pieces of the same lease says so once,
 * after the last of them and before it publishes. The lease if nothing of it is left: the caller
 * reports it to the dispatcher and frees the slot, both under the job's lock. Else NULL. */
const struct yk_lease *yk_lease_done(struct yk_leases *leases, int slot, int64_t items);
void yk_lease_free(struct yk_leases *leases, int slot);
/* Items of leases that are not wholly done, and are. Under the job's lock. */
int64_t yk_leases_done(const struct yk_leases *leases);

#endif
