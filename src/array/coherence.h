/* coherence.h - PURE. Where the valid copies of an array's rows are, one row interval at a time.
 *
 * papers/002 (Ribeiro et al.), section 4.1, keeps MSI states for blocks fixed beforehand. Here the
 * unit is a row, so that chunks can start and end anywhere and differ from run to run (design
 * choice; the states are the paper's). An array lives in up to YK_PLACES places: place 0 is host
 * memory, the others are devices' memories. In each place a row is
 *   invalid    the place has no current copy
 *   shared     the place has a current copy; others may have one too
 *   modified   the place has the only current copy
 *   arriving   a copy to this place is under way; it cannot be used before it has arrived
 * In addition a row can be fresh (never written: invalid everywhere, and nothing to copy) or lost
 * (its last copy was on a device that failed, or was spoilt). Invariants (yk_coherence_check): a
 * row that is neither fresh nor lost is shared or modified in at least one place; a row that is
 * modified in one place is not shared in another; a row arrives from a place that has it; intervals
 * are disjoint, sorted and merged.
 *
 * Every call takes any part of the array's rows. An empty interval is allowed and changes nothing.
 * Rows outside the array, or a place that does not exist, give YOKE_EINVAL. A failed allocation
 * leaves the state as it was. After an array was partitioned in the same way a few times, no more
 * memory is allocated. No threads, clock or I/O: the owner of the array serialises calls.
 */
#ifndef YK_ARRAY_COHERENCE_H
#define YK_ARRAY_COHERENCE_H

#include <stdint.h>
#include <yoke/status.h>

#include "../base/interval.h"

enum { YK_PLACES = 32, YK_HOST = 0 };

/* A set of places has one bit for each. */
static inline uint32_t yk_place_bit(int place)
{
    return UINT32_C(1) << place;
}

enum yk_row_state { YK_INVALID, YK_SHARED, YK_MODIFIED, YK_ARRIVING };

/* One copy that makes rows current in a place. */
struct yk_copy_need {
    struct yk_interval rows;
    int source; /* a place whose copy is current, or -1: rows are lost */
    /* 1: another copy already brings these rows to this place; wait for that one. */
    int arriving;
    /* Number of the array, if the list has copies of several. Set and read by the list's owner. */
    int part;
};

struct yk_copy_needs { /* growable list, owned by the caller; zero-initialise, free with
                          yk_copy_needs_close */
    struct yk_copy_need *items;
    int count, capacity;
    /* Set by the caller, a bit for each place. `nearer`: sources to take before the host. `direct`:
     * sources to take before others if the host has no copy. If both are 0: the host, then any
     * place. */
    uint32_t nearer, direct;
};
void yk_copy_needs_close(struct yk_copy_needs *needs);
yoke_status yk_copy_needs_append(struct yk_copy_needs *needs, const struct yk_copy_need *need);

/* Chooses a source for a copy to `place` among `places`; -1: there is none. Prefers nearer ones,
 * then the host, then direct ones. Among equals it takes the source of the preceding rows
 * (`before`; -1: none), so that the copy need not be cut in two; otherwise the next place after
 * `place`, so that not all places read from the same one. */
int yk_coherence_source(const struct yk_copy_needs *wish, uint32_t places, int place, int before);

struct yk_coherence;

/* The initial state: all rows are shared at the host (memory that the user gave), or all are fresh:
 * valid nowhere, so the first place that uses them needs no copy. */
enum yk_coherence_start { YK_START_HOST, YK_START_FRESH };
yoke_status yk_coherence_open(struct yk_interval rows, enum yk_coherence_start start,
                              struct yk_coherence **out);
void yk_coherence_close(struct yk_coherence *coherence);

/* Appends to `needs`, in row order, the copies that `place` needs before it can read `rows`.
 * Changes no state. Fresh rows need no copy. */
yoke_status yk_coherence_lacks(const struct yk_coherence *coherence, int place,
                               struct yk_interval rows, struct yk_copy_needs *needs);
/* Notes that a copy from `source` begins: `rows` become arriving at `place`. All of them must be
 * current at `source` (otherwise YOKE_EINVAL: call yk_coherence_lacks again). Rows that are current
 * at `place` stay current. For each row of each copy, exactly one of the two calls below must
 * follow: counting them tells the arrival of an overtaken copy from that of a later one. */
yoke_status yk_coherence_copy_begun(struct yk_coherence *coherence, int place, int source,
                                    struct yk_interval rows);
/* Notes that it ended well. Rows that are still arriving become shared at `place` (and at the
 * source, if they were modified there). */
yoke_status yk_coherence_copy_done(struct yk_coherence *coherence, int place,
                                   struct yk_interval rows);
/* Notes that it failed. Rows that are still arriving become invalid at `place`, even if the copy
 * that failed was an overtaken one. */
yoke_status yk_coherence_copy_failed(struct yk_coherence *coherence, int place,
                                     struct yk_interval rows);
/* Notes that `place` has the only current version of `rows`: modified there, invalid elsewhere.
 * Copies of these rows that are still under way are overtaken: their arrival changes nothing. */
yoke_status yk_coherence_written(struct yk_coherence *coherence, int place,
                                 struct yk_interval rows);
/* Makes `place` give up its copy of `rows`; copies of them from it or to it that are under way are
 * overtaken. Rows that no other place has are kept, and *kept is their number: they must be written
 * back first. Rows that exactly one other place has become modified there. */
yoke_status yk_coherence_drop(struct yk_coherence *coherence, int place, struct yk_interval rows,
                              int64_t *kept);
/* Notes that the copy of `rows` at `place` is no longer valid: a kernel that failed, or a copy that
 * was cut short, has changed some of it. Like drop, but rows that no other place has are lost, and
 * *lost is their number. */
yoke_status yk_coherence_spoilt(struct yk_coherence *coherence, int place, struct yk_interval rows,
                                int64_t *lost);
/* Notes that the device of `place` (not the host) failed. All rows there become invalid, and copies
 * from it are overtaken; *lost is the number of rows that only it had. Lost rows stay lost (lacks
 * reports source -1) until they are written. Needs no memory. */
yoke_status yk_coherence_place_failed(struct yk_coherence *coherence, int place, int64_t *lost);

/* The places where `row` is current, and those where it is arriving, a bit each. They are the same
 * for all of `rows`, which lie around it (not always all such rows). */
struct yk_whereabouts {
    uint32_t holders, arriving;
    struct yk_interval rows;
};
void yk_coherence_whereabouts(const struct yk_coherence *coherence, int64_t row,
                              struct yk_whereabouts *out);
/* Returns 1 if a copy of some of the rows to the place is under way, even an overtaken one. */
int yk_coherence_flying(const struct yk_coherence *coherence, int place, struct yk_interval rows);
/* State of one row at that place, and the extent of the rows around it in the same state (extent
 * may be NULL). */
enum yk_row_state yk_coherence_state(const struct yk_coherence *coherence, int place, int64_t row,
                                     struct yk_interval *extent);
/* Number of `rows` that are current (shared or modified) at the place. */
int64_t yk_coherence_current(const struct yk_coherence *coherence, int place,
                             struct yk_interval rows);
/* Number of writes so far. Each yk_coherence_written of at least one row adds one. */
uint64_t yk_coherence_version(const struct yk_coherence *coherence);
/* Returns 1 if the invariants above hold. For debug builds and tests. */
int yk_coherence_check(const struct yk_coherence *coherence);

#endif
