/* lease.h - a chunk that the lanes of a CPU device cut into pieces. The dispatcher's lock is taken
 * once per lease, and the same rows go to the same core in every run.
 *
 * PURE, except that it has atomics: the runtime's threads cut at the same time, without a lock. The
 * simulator's only thread follows the same rule for all its lanes.
 *
 * The pieces of a lease lie in sections, one per lane, in the order of the lanes; in a short job,
 * to which few lanes are called, one for each of these (`cutters`). Sections are as equal as whole
 * pieces allow. If there are fewer pieces than lanes, neighbouring lanes share a section. A lane
 * takes half of what its own section still has (or the smaller part that the chunk asks for), from
 * the front. When its section is used up, it takes as much from the nearest other section, from the
 * back, so that the owner keeps its rows. Lanes are in the order of the topology: lanes with close
 * indexes share a cache or a NUMA node. Sections are parts of the lease, not of the job's range,
 * because a lease may be any part of the range and every lane must find its own rows in it. Jobs
 * that repeat have the same leases, and so the same rows for each core.
 *
 *     lanes        0         1         2         3
 *     lease   |--------.|---------|.--------|---------|
 *              own -> <- stolen
 *
 * Only one lease at a time is open for cutting. A section's word is generation << 32 | begin << 16
 * | end, where begin .. end are the pieces left. A word with an earlier generation means that the
 * section is still whole, so publishing a lease writes no section. Each lease has its own
 * generation. A lane that cuts reads the lease's shape, then a section's word, and then replaces
 * the word by compare-and-swap. Success proves that no later lease was published, because
 * publishing needs every section of this lease used up.
 *
 * While pieces of a lease are worked on, a slot holds its data; the slot is free again when all
 * pieces are done. A lane uses at most two slots at a time: one for the lease that it has finished
 * and not reported, and one for the lease that it continues with. There are 2 * lanes + 1 slots. So
 * there is always a free one when a lane finds the current lease used up.
 */
#ifndef YK_PARTITION_LEASE_H
#define YK_PARTITION_LEASE_H

#include <stdatomic.h>
#include <stdint.h>

#include <yoke/job.h>

#include "../base/interval.h"
#include "dispatch.h"

/* What lanes that cut read of the current lease. */
struct yk_lease_shape {
    _Alignas(64) _Atomic uint32_t generation; /* 0: no lease is open, or it is being written */
    _Atomic int32_t slot, sections, parts;
    _Atomic int64_t pieces;
    _Atomic int64_t first, last, piece; /* items of the lease; items of a piece */
};

struct yk_section { /* in its own cache line, which stays with the core of its lane */
    _Alignas(64) _Atomic uint64_t word;
};

/* ASKS: each piece asks for its rows and reports to coherence. READY: the host has all rows, and
 * coherence was told for the whole lease. */
enum yk_lease_rows { YK_LEASE_ASKS, YK_LEASE_READY };

enum { YK_STRIP_SHARES = 1 << 20 }; /* of an item */
struct yk_lease {
    _Alignas(64) _Atomic uint64_t items_left; /* 1 + items not done; 0: the slot is free */
    _Atomic int64_t work_ns;                  /* time of all lanes for the pieces done so far */
    _Atomic int64_t fetch_ns; /* part of work_ns in which lanes waited for rows to come home */
    /* The chunk as the dispatcher gave it. Written before the first piece, read after the last one.
     */
    _Alignas(64) struct yk_chunk chunk;
    int64_t issued_ns;
    enum yk_lease_rows rows;
    int in_strips; /* 1: lanes do its pieces strip by strip, and may give it back (strips.c) */
    _Atomic int given_back;      /* 1: it is given back: what is not done yet is not done */
    _Atomic int64_t strips_done; /* part of its items that is done, in 1 / YK_STRIP_SHARES */
    /* For each written argument whose rows a function of the program returns: the rows of the whole
     * lease, which contain all rows that its pieces may write. */
    struct yk_interval written[YOKE_ARGS_MAX];
};

struct yk_leases {
    struct yk_lease *slots;       /* start of the one block that holds all these arrays */
    int slot_count;               /* 2 * lanes + 1 */
    struct yk_lease_shape *shape; /* of the current lease */
    struct yk_section *sections;  /* one per lane */
    /* Bit s % 64 of word s / 64, `words` words per slot: section s may have pieces left. The lane
     * that takes the last piece clears it before that piece is done, so it never clears a bit of a
     * later lease in the same slot. */
    _Atomic uint64_t *filled;
    int lanes, words;
    /* Number of lanes that have a section in the next leases: 0 .. cutters - 1. Others share the
     * last one. */
    _Atomic int cutters;
    uint32_t generation; /* of the latest lease; with job.lock held */
};

/* Allocates the leases of a device with `lanes` lanes. YOKE_ENOMEM: *out is unchanged. */
yoke_status yk_leases_open(int lanes, struct yk_leases *out);
void yk_leases_close(struct yk_leases *leases);

/* Cuts a piece off the current lease for a lane. Returns 1 with its items in *piece and its slot in
 * *slot, 0 if nothing is left. 0 is certain only with job.lock held; without it, a lease that is
 * being published may be missed. Costs one uncontended compare-and-swap, at worst a look at each
 * section. */
int yk_lease_cut(struct yk_leases *leases, int lane, struct yk_chunk *piece, int *slot);
/* Closes the current lease. Call it only when all its pieces are done and no lane is cutting. */
void yk_leases_shut(struct yk_leases *leases);
/* Call both with job.lock held, after a cut under that lock found nothing left. next: returns a
 * free slot. The caller sets its `rows`, `in_strips` and `written`. publish: makes the chunk in
 * this slot the current lease. */
struct yk_lease *yk_lease_next(struct yk_leases *leases);
void yk_lease_publish(struct yk_leases *leases, struct yk_lease *lease,
                      const struct yk_chunk *chunk, int64_t now);
/* Returns 1 if the rows of the slot's lease are ready. Call it only with a piece of that lease. */
static inline int yk_lease_is_ready(const struct yk_leases *leases, int slot)
{
    return leases->slots[slot].rows == YK_LEASE_READY;
}
/* Adds the time that a lane worked on pieces of the slot. To be called before yk_lease_done. */
void yk_lease_worked(struct yk_leases *leases, int slot, int64_t ns);
/* Adds the time that a lane waited until the rows of a piece were in host memory. To be called
 * before yk_lease_done. */
void yk_lease_fetched(struct yk_leases *leases, int slot, int64_t ns);
/* Reports that `items` items of the slot are done. A lane that continues with pieces of the same
 * lease reports once, after the last of them and before it publishes. Returns the lease if nothing
 * of it is left: the caller then reports it to the dispatcher and frees the slot, both with
 * job.lock held. Otherwise returns NULL. */
const struct yk_lease *yk_lease_done(struct yk_leases *leases, int slot, int64_t items);
/* The times that were added for the lease. Call these when it is done. */
static inline int64_t yk_lease_work_ns(const struct yk_lease *lease)
{
    /* relaxed: yk_lease_done ordered it */
    return atomic_load_explicit(&lease->work_ns, memory_order_relaxed);
}
static inline int64_t yk_lease_fetch_ns(const struct yk_lease *lease)
{
    return atomic_load_explicit(&lease->fetch_ns, memory_order_relaxed);
}
/* Number of its items that are not done. */
static inline int64_t yk_lease_left(const struct yk_lease *lease)
{
    return (int64_t)atomic_load_explicit(&lease->items_left, memory_order_relaxed) - 1;
}
/* Of a lease in strips, when it is done: whether it was given back, and how many items' work was
 * done on it. */
static inline int yk_lease_is_given_back(const struct yk_lease *lease)
{
    return atomic_load_explicit(&lease->given_back, memory_order_relaxed);
}
static inline double yk_lease_strips_done(const struct yk_lease *lease)
{
    return (double)atomic_load_explicit(&lease->strips_done, memory_order_relaxed) /
           YK_STRIP_SHARES;
}
/* Frees the slot. With job.lock held. */
void yk_lease_free(struct yk_leases *leases, int slot);
/* Number of items done in leases that are not yet done as a whole. With job.lock held. */
int64_t yk_leases_done(const struct yk_leases *leases);

#endif
