/* coherence_change.c - everything that changes where rows are.
 *
 * Each change has two steps. The first checks it and reserves all memory it may need. The second
 * makes it and cannot fail. Cost of a write: a binary search and a move of the following runs, in
 * one map; of a copy: the same in two maps.
 */
#ifdef YK_CHECKED
#include <assert.h>
#endif

#include "../base/status.h"
#include "coherence_rows.h"

enum { ANY_SOURCE = -1 };

/* Ends a change; checked builds verify the invariants each time. */
static yoke_status changed(const struct yk_coherence *coherence)
{
#ifdef YK_CHECKED
    assert(yk_coherence_check(coherence));
#else
    (void)coherence;
#endif
    return YOKE_OK;
}

static void note_busy(struct yk_coherence *coherence, int place)
{
    const struct yk_interval_map *map = &coherence->arrivals[place];
    if (map->count > 1 || (map->count == 1 && map->items[0].value != 0))
        coherence->busy |= yk_place_bit(place);
    else
        coherence->busy &= ~yk_place_bit(place);
}

/* Makes copies of these rows to the map's place stale, so that they change nothing when they
 * arrive: only copies from `source`, or all (ANY_SOURCE). Splits the map at most at the two ends of
 * `rows`. */
static void overtake(struct yk_interval_map *map, struct yk_interval rows, int source)
{
    int from = yk_interval_map_split(map, rows.first), to = yk_interval_map_split(map, rows.last);
    int run;
    for (run = from; run < to; run++) {
        struct arrival arrival = unpack_arrival(map->items[run].value);
        if (source != ANY_SOURCE && !(arrival.sources & yk_place_bit(source)))
            continue;
        map->items[run].value =
            pack_arrival((struct arrival){ .flying = arrival.flying, .stale = arrival.flying });
    }
    yk_interval_map_join(map, from, to);
}

/* Reserves two more runs in the holders, and `extra` more in the arrivals of every busy place. */
static yoke_status reserve(struct yk_coherence *coherence, int extra)
{
    yoke_status status = yk_interval_map_reserve(&coherence->holders, 2);
    uint32_t busy;
    for (busy = coherence->busy; busy && status == YOKE_OK; busy &= busy - 1)
        status = yk_interval_map_reserve(&coherence->arrivals[__builtin_ctz(busy)], extra);
    return status;
}

/* --- copies --- */

static int held_throughout(const struct yk_interval_map *holders, int place,
                           struct yk_interval rows)
{
    int run;
    run = yk_interval_map_find(holders, rows.first);
    for (; yk_interval_map_touches(holders, run, rows); run++)
        if (!(unpack_holder(holders->items[run].value).places & yk_place_bit(place)))
            return 0;
    return 1;
}

/* Reserves memory for a copy to `place`, and checks that its rows can count one more copy. */
static yoke_status prepare_arrivals(struct yk_coherence *coherence, int place,
                                    struct yk_interval rows)
{
    struct yk_interval_map *map = &coherence->arrivals[place];
    yoke_status status = YOKE_OK;
    int run;
    if (!map->items)
        status = yk_interval_map_open(map, coherence->rows, 0);
    if (status != YOKE_OK)
        return status;
    run = yk_interval_map_find(map, rows.first);
    for (; yk_interval_map_touches(map, run, rows); run++)
        if (unpack_arrival(map->items[run].value).flying == FLYING_MOST)
            return yk_fail(
                YOKE_EBUSY,
                "%d copies of the same rows to place %d are under way; report the end of "
                "each with copy_done or copy_failed",
                FLYING_MOST, place);
    return yk_interval_map_reserve(map, yk_interval_map_spans(&coherence->holders, rows) + 1);
}

/* Counts one more copy under way. Rows that the place does not have arrive from `sources`. */
static void begin(struct yk_interval_map *map, struct yk_interval rows, uint32_t sources)
{
    int from = yk_interval_map_split(map, rows.first), to = yk_interval_map_split(map, rows.last);
    int run;
    for (run = from; run < to; run++) {
        struct arrival arrival = unpack_arrival(map->items[run].value);
        arrival.flying++;
        arrival.sources |= sources;
        map->items[run].value = pack_arrival(arrival);
    }
    yk_interval_map_join(map, from, to);
}

yoke_status yk_coherence_copy_begun(struct yk_coherence *coherence, int place, int source,
                                    struct yk_interval rows)
{
    const struct yk_interval_map *holders = &coherence->holders;
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    int run;
    if (status == YOKE_OK)
        status = yk_coherence_accepts(coherence, source, rows);
    if (status != YOKE_OK || yk_interval_empty(rows))
        return status;
    if (place == source || !held_throughout(holders, source, rows))
        return yk_fail(YOKE_EINVAL,
                       "place %d cannot give rows [%lld, %lld) to place %d: it has no current copy "
                       "of all of them; ask again what is lacking",
                       source, (long long)rows.first, (long long)rows.last, place);
    status = prepare_arrivals(coherence, place, rows);
    if (status != YOKE_OK)
        return status;
    run = yk_interval_map_find(holders, rows.first);
    for (; yk_interval_map_touches(holders, run, rows); run++) {
        uint32_t places = unpack_holder(holders->items[run].value).places;
        begin(&coherence->arrivals[place], yk_interval_map_part(holders, run, rows),
              places & yk_place_bit(place) ? 0 : yk_place_bit(source));
    }
    note_busy(coherence, place);
    return changed(coherence);
}

static void gain(struct yk_interval_map *holders, int place, struct yk_interval rows)
{
    int from = yk_interval_map_split(holders, rows.first);
    int to = yk_interval_map_split(holders, rows.last), run;
    for (run = from; run < to; run++) {
        struct holder holder = unpack_holder(holders->items[run].value);
        holder.places |= yk_place_bit(place);
        holder.holding = HELD_SHARED;
        holders->items[run].value = pack_holder(holder);
    }
    yk_interval_map_join(holders, from, to);
}

yoke_status yk_coherence_copy_done(struct yk_coherence *coherence, int place,
                                   struct yk_interval rows)
{
    struct yk_interval_map *map;
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    int from, to, run;
    if (status != YOKE_OK || yk_interval_empty(rows) || !(coherence->busy & yk_place_bit(place)))
        return status;
    map = &coherence->arrivals[place];
    status = yk_interval_map_reserve(map, 2);
    if (status == YOKE_OK)
        status = yk_interval_map_reserve(&coherence->holders, yk_interval_map_spans(map, rows) + 1);
    if (status != YOKE_OK)
        return status;
    from = yk_interval_map_split(map, rows.first);
    to = yk_interval_map_split(map, rows.last);
    for (run = from; run < to; run++) {
        struct arrival arrival = unpack_arrival(map->items[run].value);
        if (arrival.flying == 0)
            continue;
        arrival.flying--;
        if (arrival.stale > 0) {
            arrival.stale--;
        } else if (arrival.sources) {
            arrival.sources = 0;
            gain(&coherence->holders, place, yk_interval_map_part(map, run, rows));
        }
        map->items[run].value = pack_arrival(arrival);
    }
    yk_interval_map_join(map, from, to);
    note_busy(coherence, place);
    return changed(coherence);
}

/* If several copies are under way, it is not known which of them failed. So all of them become
 * stale. */
yoke_status yk_coherence_copy_failed(struct yk_coherence *coherence, int place,
                                     struct yk_interval rows)
{
    struct yk_interval_map *map;
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    int from, to, run;
    if (status != YOKE_OK || yk_interval_empty(rows) || !(coherence->busy & yk_place_bit(place)))
        return status;
    map = &coherence->arrivals[place];
    status = yk_interval_map_reserve(map, 2);
    if (status != YOKE_OK)
        return status;
    from = yk_interval_map_split(map, rows.first);
    to = yk_interval_map_split(map, rows.last);
    for (run = from; run < to; run++) {
        struct arrival arrival = unpack_arrival(map->items[run].value);
        arrival.flying -= arrival.flying > 0;
        arrival.stale = arrival.flying;
        arrival.sources = 0;
        map->items[run].value = pack_arrival(arrival);
    }
    yk_interval_map_join(map, from, to);
    note_busy(coherence, place);
    return changed(coherence);
}

/* --- writes and losses --- */

yoke_status yk_coherence_written(struct yk_coherence *coherence, int place, struct yk_interval rows)
{
    struct holder writer = { .places = 0, .holding = HELD_MODIFIED };
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    uint32_t busy;
    if (status != YOKE_OK || yk_interval_empty(rows))
        return status;
    status = reserve(coherence, 2);
    if (status != YOKE_OK)
        return status;
    writer.places = yk_place_bit(place);
    yk_interval_map_assign(&coherence->holders, rows, pack_holder(writer));
    for (busy = coherence->busy; busy; busy &= busy - 1)
        overtake(&coherence->arrivals[__builtin_ctz(busy)], rows, ANY_SOURCE);
    coherence->version++;
    return changed(coherence);
}

/* The holder without `place`, which must be one of several. */
static struct holder without(struct holder holder, int place)
{
    holder.places &= ~yk_place_bit(place);
    if ((holder.places & (holder.places - 1)) == 0)
        holder.holding = HELD_MODIFIED;
    return holder;
}

/* Overtakes copies of these rows from or to `place`. */
static void overtake_around(struct yk_coherence *coherence, int place, struct yk_interval rows)
{
    uint32_t busy;
    for (busy = coherence->busy; busy; busy &= busy - 1) {
        int to = __builtin_ctz(busy);
        overtake(&coherence->arrivals[to], rows, to == place ? ANY_SOURCE : place);
    }
}

/* Checks the arguments and reserves the memory, so that give_up cannot fail. */
static yoke_status can_give_up(struct yk_coherence *coherence, int place, struct yk_interval rows)
{
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    if (status == YOKE_OK && !yk_interval_empty(rows))
        status = reserve(coherence, yk_interval_map_spans(&coherence->holders, rows) + 1);
    return status;
}

/* Makes `place` give up `rows`. `alone` says what happens to those that only this place has.
 * Returns the number of these. */
enum alone { ALONE_KEPT, ALONE_LOST };

static int64_t give_up(struct yk_coherence *coherence, int place, struct yk_interval rows,
                       enum alone alone)
{
    struct yk_interval_map *holders = &coherence->holders;
    int64_t count = 0;
    int from, to, run;
    if (yk_interval_empty(rows))
        return 0;
    from = yk_interval_map_split(holders, rows.first);
    to = yk_interval_map_split(holders, rows.last);
    for (run = from; run < to; run++) {
        struct yk_interval part = yk_interval_map_part(holders, run, rows);
        struct holder holder = unpack_holder(holders->items[run].value);
        int is_alone = holder.places == yk_place_bit(place);
        count += is_alone ? part.last - part.first : 0;
        if (is_alone && alone == ALONE_KEPT)
            continue;
        overtake_around(coherence, place, part);
        if (is_alone)
            holder = (struct holder){ .holding = HELD_LOST };
        else if (holder.places & yk_place_bit(place))
            holder = without(holder, place);
        holders->items[run].value = pack_holder(holder);
    }
    yk_interval_map_join(holders, from, to);
    return count;
}

yoke_status yk_coherence_drop(struct yk_coherence *coherence, int place, struct yk_interval rows,
                              int64_t *kept)
{
    yoke_status status = can_give_up(coherence, place, rows);
    if (status != YOKE_OK)
        return status;
    *kept = give_up(coherence, place, rows, ALONE_KEPT);
    return changed(coherence);
}

yoke_status yk_coherence_spoilt(struct yk_coherence *coherence, int place, struct yk_interval rows,
                                int64_t *lost)
{
    yoke_status status = can_give_up(coherence, place, rows);
    if (status != YOKE_OK)
        return status;
    *lost = give_up(coherence, place, rows, ALONE_LOST);
    return changed(coherence);
}

yoke_status yk_coherence_place_failed(struct yk_coherence *coherence, int place, int64_t *lost)
{
    struct yk_interval_map *holders = &coherence->holders;
    yoke_status status = yk_coherence_accepts(coherence, place, coherence->rows);
    int64_t count = 0;
    int run;
    if (status != YOKE_OK)
        return status;
    if (place == YK_HOST)
        return yk_fail(YOKE_EINVAL, "host memory cannot fail as a device can; name another place");
    for (run = 0; run < holders->count; run++) {
        struct holder holder = unpack_holder(holders->items[run].value);
        if (!(holder.places & yk_place_bit(place)))
            continue;
        if (holder.places == yk_place_bit(place)) {
            count += yk_interval_map_last(holders, run) - holders->items[run].first;
            holder = (struct holder){ .holding = HELD_LOST };
        } else {
            holder = without(holder, place);
        }
        holders->items[run].value = pack_holder(holder);
    }
    yk_interval_map_join(holders, 0, holders->count);
    overtake_around(coherence, place, coherence->rows);
    *lost = count;
    return changed(coherence);
}
