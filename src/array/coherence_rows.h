/* coherence_rows.h - how coherence is stored; only for coherence*.c.
 *
 * The holders of a row are one value for all places, not one for each: a set of places, and whether
 * their copy is shared, modified, fresh or lost. So "modified excludes all others" cannot be
 * violated, a write is one assignment to one map for any number of places, and the sources of a
 * copy are the bits of the set. Copies under way are few and short-lived; each place has its own
 * map for them, made at the first copy to it.
 *
 * A write can overtake a copy that is under way, and a new copy can begin before the first has
 * ended. Rows therefore count their copies: `flying` is the number that have begun and not ended;
 * the first `stale` of them that end change nothing. A row that is arriving has at least one copy
 * that is not stale.
 */
#ifndef YK_ARRAY_COHERENCE_ROWS_H
#define YK_ARRAY_COHERENCE_ROWS_H

#include "coherence.h"
#include "interval_map.h"

struct yk_coherence {
    struct yk_interval rows;
    struct yk_interval_map holders;             /* of struct holder */
    struct yk_interval_map arrivals[YK_PLACES]; /* of struct arrival; no memory until needed */
    uint32_t busy; /* places whose arrivals are not all zero; the others need not be searched */
    uint64_t version;
};

enum holding { HELD_SHARED, HELD_MODIFIED, HELD_FRESH, HELD_LOST };

struct holder {
    uint32_t places; /* a bit each; none if fresh or lost, one if modified */
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
    uint32_t sources; /* places the rows arrive from, a bit each; 0: they do not arrive */
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

/* YOKE_EINVAL unless the place exists and the rows, if any, are in the array. */
yoke_status yk_coherence_accepts(const struct yk_coherence *coherence, int place,
                                 struct yk_interval rows);

#endif
