/* coherence_rows.h - how coherence is stored; for coherence*.c alone.
 *
 * Who has a row is one value for all places, not one per place: a set of places and whether their
 * copy is ordinary, modified, fresh or lost. So "modified excludes all others" cannot be violated,
 * a write is one assignment to one map whatever the number of places, and the source of a copy is
 * read off a bit set. Copies under way are few and short-lived; each place has a map of its own for
 * them, made at the first copy to it.
 *
 * A copy can be overtaken by a write while it is under way, and a new one can be begun before it
 * ends. Rows therefore count their copies: `flying` have begun and not ended, of which the first
 * `stale` to end change nothing. A row that is arriving has at least one that is not stale.
 */
#ifndef YK_ARRAY_COHERENCE_ROWS_H
#define YK_ARRAY_COHERENCE_ROWS_H

#include "coherence.h"

struct yk_coherence {
    struct yk_interval rows;
    struct yk_interval_map holders;             /* of struct holder */
    struct yk_interval_map arrivals[YK_PLACES]; /* of struct arrival; without memory until needed */
    uint32_t busy; /* places whose arrivals hold more than zeros: all others need no look */
    uint64_t version;
};

enum holding { HELD_SHARED, HELD_MODIFIED, HELD_FRESH, HELD_LOST };

struct holder {
    uint32_t places; /* a bit each; none where fresh or lost, one where modified */
    enum holding holding;
};

static inline uint64_t pack_holder(struct holder holder)
{
    return (uint64_t)holder.holding << 32 | holder.places;
}

static inline struct holder unpack_holder(uint64_t value)
{
    return (struct holder){ .places = (uint32_t)value, .holding = (enum holding)(value >> 32) };
}

enum { FLYING_MOST = UINT16_MAX };

struct arrival {
    uint32_t sources; /* a bit for each place the rows are arriving from; none: they are not */
    uint16_t flying, stale;
};

static inline uint64_t pack_arrival(struct arrival arrival)
{
    return (uint64_t)arrival.flying << 48 | (uint64_t)arrival.stale << 32 | arrival.sources;
}

static inline struct arrival unpack_arrival(uint64_t value)
{
    return (struct arrival){ .sources = (uint32_t)value,
                             .flying = (uint16_t)(value >> 48),
                             .stale = (uint16_t)(value >> 32) };
}

/* YOKE_EINVAL unless the place exists and the rows, if any, belong to the array. */
yoke_status yk_coherence_accepts(const struct yk_coherence *coherence, int place,
                                 struct yk_interval rows);

#endif
