/* coherence.h - PURE. Where the valid copies of an array's rows are, row interval by row interval.
 *
 * papers/002 (Ribeiro et al.), section 4.1, keeps MSI states for blocks fixed beforehand; here the
 * unit is a row, so that chunks can start and end anywhere and differ from run to run (design
 * choice; the states are the paper's). An array lives in up to YK_PLACES places: place 0 is host
 * memory, the others are devices' memories. In each place a row is
 *   invalid    the place has no current copy
 *   shared     a current copy, and others may have one too
 *   modified   the only current copy
 *   arriving   a copy to this place is under way; usable by nobody until it has arrived
 * Beside that a row is fresh (written by nobody yet: invalid everywhere, and nothing to copy) or
 * lost (its last copy went with a failed device, or was spoilt). Invariants (yk_coherence_check): a
 * row that is neither is shared or modified in at least one place; where one is modified no other
 * is shared; a row arrives from a place that has it; intervals are disjoint, sorted and merged.
 *
 * Every call takes any part of the array's rows. An empty interval is fine and changes nothing;
 * rows outside the array or a place that does not exist give YOKE_EINVAL. Failing allocation leaves
 * the state as it was; an array that is partitioned again and again alike stops allocating. No
 * threads, clock or I/O: the owner of the array serialises calls.
 */
#ifndef YK_ARRAY_COHERENCE_H
#define YK_ARRAY_COHERENCE_H

#include <stdint.h>
#include <yoke/status.h>

#include "interval.h"

enum { YK_PLACES = 32, YK_HOST = 0 };

/* Of a set of places. */
static inline uint32_t yk_place_bit(int place)
{
    return UINT32_C(1) << place;
}

enum yk_row_state { YK_INVALID, YK_SHARED, YK_MODIFIED, YK_ARRIVING };

/* One copy that makes rows current in a place. */
struct yk_copy_need {
    struct yk_interval rows;
    int source;   /* a place whose copy is current, or -1: rows are lost */
    int arriving; /* 1: another copy to this place is already bringing these rows; wait for that one
                   */
    int part;     /* of several arrays whose copies a list holds: which one's. The list's owner's */
};

struct yk_copy_needs { /* growable list, owned by the caller; zero-initialise, free with
                          yk_copy_needs_close */
    struct yk_copy_need *items;
    int count, capacity;
    /* The caller's wish, a bit for each place: sources to be taken before the host, and those to be
     * taken before others where the host has no copy. None: the host, then any. */
    uint32_t nearer, direct;
};
void yk_copy_needs_close(struct yk_copy_needs *needs);
yoke_status yk_copy_needs_append(struct yk_copy_needs *needs, const struct yk_copy_need *need);

struct yk_coherence;

/* All rows [first, last) shared at the host (an array the user gave), or valid nowhere yet but
 * writable anywhere (`fresh`: rows never written count as current at whichever place touches them
 * first). */
enum yk_coherence_start { YK_START_HOST, YK_START_FRESH };
yoke_status yk_coherence_open(struct yk_interval rows, enum yk_coherence_start start,
                              struct yk_coherence **out);
void yk_coherence_close(struct yk_coherence *coherence);

/* What place `place` lacks of `rows` to read them, in row order, appended to `needs`. Changes
 * nothing. Fresh rows need no copy. */
yoke_status yk_coherence_lacks(const struct yk_coherence *coherence, int place,
                               struct yk_interval rows, struct yk_copy_needs *needs);
/* A copy from `source`, where all of `rows` must be current (else YOKE_EINVAL: ask again what is
 * lacking), has been issued; rows become arriving at `place`. Rows that are current there already
 * stay so. Every copy begun must end in exactly one of the two calls below, row by row: that is how
 * the arrival of an overtaken copy is told from that of a later one. */
yoke_status yk_coherence_copy_begun(struct yk_coherence *coherence, int place, int source,
                                    struct yk_interval rows);
/* It ended: rows that are still arriving become shared at `place` (and at the source, if it was
 * modified). */
yoke_status yk_coherence_copy_done(struct yk_coherence *coherence, int place,
                                   struct yk_interval rows);
/* It failed: rows that are still arriving become invalid at `place`, even where the copy that
 * failed was an overtaken one. */
yoke_status yk_coherence_copy_failed(struct yk_coherence *coherence, int place,
                                     struct yk_interval rows);
/* `place` now holds the only current version of `rows`: modified there, invalid elsewhere. A copy
 * of these rows still arriving anywhere is overtaken: its arrival changes nothing. */
yoke_status yk_coherence_written(struct yk_coherence *coherence, int place,
                                 struct yk_interval rows);
/* `place` gives up its copy of `rows`; copies of them to it or from it that are under way are
 * overtaken. Rows that no other place has are kept and reported in *kept (count): they must be
 * written back first. Where one other place has them, they become modified there. */
yoke_status yk_coherence_drop(struct yk_coherence *coherence, int place, struct yk_interval rows,
                              int64_t *kept);
/* What `place` holds of `rows` is not to be believed any more, for a kernel that failed or a copy
 * that was cut short has changed some of it: as drop, but rows that no other place has are lost,
 * and reported in *lost (count). */
yoke_status yk_coherence_spoilt(struct yk_coherence *coherence, int place, struct yk_interval rows,
                                int64_t *lost);
/* The device behind `place` (not the host) failed. Everything there becomes invalid, copies from it
 * too; *lost counts the rows that only it held. Lost rows stay lost (lacks reports source -1) until
 * written. Needs no memory. */
yoke_status yk_coherence_place_failed(struct yk_coherence *coherence, int place, int64_t *lost);

/* The places, a bit each, where `row` is current and where it is arriving, and rows around it of
 * which the same is true: some, not always all. */
struct yk_whereabouts {
    uint32_t holders, arriving;
    struct yk_interval rows;
};
void yk_coherence_whereabouts(const struct yk_coherence *coherence, int64_t row,
                              struct yk_whereabouts *out);
/* Whether copies of some of the rows to the place were begun and have not ended, overtaken ones
 * too. */
int yk_coherence_flying(const struct yk_coherence *coherence, int place, struct yk_interval rows);
/* State of one row, and the extent of rows around it with the same state at that place (extent may
 * be NULL). */
enum yk_row_state yk_coherence_state(const struct yk_coherence *coherence, int place, int64_t row,
                                     struct yk_interval *extent);
/* Rows of [rows] that are current (shared or modified) at the place. */
int64_t yk_coherence_current(const struct yk_coherence *coherence, int place,
                             struct yk_interval rows);
/* Writes so far; grows by one with every yk_coherence_written of at least one row. */
uint64_t yk_coherence_version(const struct yk_coherence *coherence);
/* The invariants above; 1 if they hold. Used in debug builds and tests. */
int yk_coherence_check(const struct yk_coherence *coherence);

#endif
