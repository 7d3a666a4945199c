/* coherence.c - which place has which rows: opening and all queries. Changes:
 * coherence_change.c. */
#include "coherence.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "coherence_rows.h"

yoke_status yk_coherence_open(struct yk_interval rows, enum yk_coherence_start start,
                              struct yk_coherence **out)
{
    struct holder initial = { .holding = HELD_FRESH };
    struct yk_coherence *coherence;
    int64_t count;
    yoke_status status;
    if (rows.first > rows.last || __builtin_sub_overflow(rows.last, rows.first, &count))
        return yk_fail(YOKE_EINVAL,
                       "an array cannot have rows [%lld, %lld); give a first row and a count",
                       (long long)rows.first, (long long)rows.last);
    if (start == YK_START_HOST)
        initial = (struct holder){ .places = yk_place_bit(YK_HOST), .holding = HELD_SHARED };
    coherence = yk_calloc(1, sizeof *coherence);
    if (!coherence)
        return YOKE_ENOMEM;
    coherence->rows = rows;
    status = yk_interval_map_open(&coherence->holders, rows, pack_holder(initial));
    if (status != YOKE_OK) {
        yk_free(coherence);
        return status;
    }
    *out = coherence;
    return YOKE_OK;
}

void yk_coherence_close(struct yk_coherence *coherence)
{
    int place;
    if (!coherence)
        return;
    for (place = 0; place < YK_PLACES; place++)
        yk_interval_map_close(&coherence->arrivals[place]);
    yk_interval_map_close(&coherence->holders);
    yk_free(coherence);
}

yoke_status yk_coherence_accepts(const struct yk_coherence *coherence, int place,
                                 struct yk_interval rows)
{
    if (place < 0 || place >= YK_PLACES)
        return yk_fail(YOKE_EINVAL, "there is no place %d; places are 0 (the host) to %d", place,
                       YK_PLACES - 1);
    if (rows.first > rows.last || (rows.first < rows.last && (rows.first < coherence->rows.first ||
                                                              rows.last > coherence->rows.last)))
        return yk_fail(YOKE_EINVAL,
                       "rows [%lld, %lld) are not rows of an array with rows [%lld, %lld); ask for "
                       "a part of those",
                       (long long)rows.first, (long long)rows.last,
                       (long long)coherence->rows.first, (long long)coherence->rows.last);
    return YOKE_OK;
}

/* --- what a place lacks --- */

void yk_copy_needs_close(struct yk_copy_needs *needs)
{
    yk_free(needs->items);
    *needs = (struct yk_copy_needs){ 0 };
}

yoke_status yk_copy_needs_append(struct yk_copy_needs *needs, const struct yk_copy_need *need)
{
    if (needs->count == needs->capacity) {
        int capacity = needs->capacity ? 2 * needs->capacity : 8;
        struct yk_copy_need *items = yk_realloc(needs->items, (size_t)capacity, sizeof *items);
        if (!items)
            return YOKE_ENOMEM;
        needs->items = items;
        needs->capacity = capacity;
    }
    needs->items[needs->count++] = *need;
    return YOKE_OK;
}

int yk_coherence_source(const struct yk_copy_needs *wish, uint32_t places, int place, int before)
{
    uint32_t behind;
    if (places & wish->nearer)
        places &= wish->nearer;
    else if (places & yk_place_bit(YK_HOST))
        return YK_HOST;
    else if (places & wish->direct)
        places &= wish->direct;
    if (before >= 0 && places & yk_place_bit(before))
        return before;
    behind = places & ~(2 * yk_place_bit(place) - 1);
    return behind ? __builtin_ctz(behind) : places ? __builtin_ctz(places) : -1;
}

/* Collects needs. `open` grows while neighbouring parts have the same source, and is appended when
 * they differ. */
struct collector {
    struct yk_copy_needs *needs;
    struct yk_copy_need open; /* empty: none */
};

static yoke_status collect(struct collector *collector, struct yk_copy_need need)
{
    struct yk_copy_need *open = &collector->open;
    yoke_status status = YOKE_OK;
    if (open->rows.last == need.rows.first && open->source == need.source &&
        open->arriving == need.arriving && !yk_interval_empty(open->rows)) {
        open->rows.last = need.rows.last;
        return YOKE_OK;
    }
    if (!yk_interval_empty(open->rows))
        status = yk_copy_needs_append(collector->needs, open);
    *open = need;
    return status;
}

/* Goes through the runs of `holders` and, if copies to the place are under way, of `arrivals`. */
static yoke_status collect_rows(struct collector *collector, const struct yk_coherence *coherence,
                                int place, struct yk_interval rows)
{
    const struct yk_interval_map *holders = &coherence->holders;
    const struct yk_interval_map *arrivals =
        coherence->busy & yk_place_bit(place) ? &coherence->arrivals[place] : NULL;
    int held = yk_interval_map_find(holders, rows.first);
    int coming = arrivals ? yk_interval_map_find(arrivals, rows.first) : 0;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && rows.first < rows.last) {
        struct holder holder = unpack_holder(holders->items[held].value);
        struct arrival arrival = { 0 };
        struct yk_copy_need need = { .rows = yk_interval_map_part(holders, held, rows) };
        if (arrivals) {
            need.rows = yk_interval_map_part(arrivals, coming, need.rows);
            arrival = unpack_arrival(arrivals->items[coming].value);
            coming += yk_interval_map_last(arrivals, coming) == need.rows.last;
        }
        held += yk_interval_map_last(holders, held) == need.rows.last;
        rows.first = need.rows.last;
        if (holder.places & yk_place_bit(place) || holder.holding == HELD_FRESH)
            continue;
        need.arriving = arrival.sources != 0;
        need.source =
            yk_coherence_source(collector->needs, arrival.sources ? arrival.sources : holder.places,
                                place, collector->open.source);
        status = collect(collector, need);
    }
    return status;
}

yoke_status yk_coherence_lacks(const struct yk_coherence *coherence, int place,
                               struct yk_interval rows, struct yk_copy_needs *needs)
{
    struct collector collector = { .needs = needs, .open = { .source = -1 } };
    int before = needs->count;
    yoke_status status = yk_coherence_accepts(coherence, place, rows);
    if (status != YOKE_OK || yk_interval_empty(rows))
        return status;
    status = collect_rows(&collector, coherence, place, rows);
    if (status == YOKE_OK && !yk_interval_empty(collector.open.rows))
        status = yk_copy_needs_append(needs, &collector.open);
    if (status != YOKE_OK)
        needs->count = before;
    return status;
}

/* --- states --- */

/* The state of `row`, which is in the array; *part: rows around it in the same state. */
static enum yk_row_state state_at(const struct yk_coherence *coherence, int place, int64_t row,
                                  struct yk_interval *part)
{
    const struct yk_interval_map *map = &coherence->holders;
    int run = yk_interval_map_find(map, row);
    struct holder holder = unpack_holder(map->items[run].value);
    *part = yk_interval_map_part(map, run, coherence->rows);
    if (holder.places & yk_place_bit(place))
        return holder.holding == HELD_MODIFIED ? YK_MODIFIED : YK_SHARED;
    if (!(coherence->busy & yk_place_bit(place)))
        return YK_INVALID;
    map = &coherence->arrivals[place];
    run = yk_interval_map_find(map, row);
    *part = yk_interval_map_part(map, run, *part);
    return unpack_arrival(map->items[run].value).sources ? YK_ARRIVING : YK_INVALID;
}

void yk_coherence_whereabouts(const struct yk_coherence *coherence, int64_t row,
                              struct yk_whereabouts *out)
{
    const struct yk_interval_map *map = &coherence->holders;
    int run = row >= coherence->rows.first && row < coherence->rows.last
                  ? yk_interval_map_find(map, row)
                  : -1;
    uint32_t busy;
    *out = (struct yk_whereabouts){ .rows = { row, row } };
    if (run < 0)
        return;
    out->rows = yk_interval_map_part(map, run, coherence->rows);
    out->holders = unpack_holder(map->items[run].value).places;
    for (busy = coherence->busy; busy; busy &= busy - 1) {
        int place = __builtin_ctz(busy);
        map = &coherence->arrivals[place];
        run = yk_interval_map_find(map, row);
        out->rows = yk_interval_map_part(map, run, out->rows);
        if (unpack_arrival(map->items[run].value).sources)
            out->arriving |= yk_place_bit(place);
    }
}

int yk_coherence_flying(const struct yk_coherence *coherence, int place, struct yk_interval rows)
{
    const struct yk_interval_map *map = &coherence->arrivals[place];
    int run;
    if (!(coherence->busy & yk_place_bit(place)) || yk_interval_empty(rows))
        return 0;
    run = yk_interval_map_find(map, rows.first);
    for (; yk_interval_map_touches(map, run, rows); run++)
        if (unpack_arrival(map->items[run].value).flying)
            return 1;
    return 0;
}

enum yk_row_state yk_coherence_state(const struct yk_coherence *coherence, int place, int64_t row,
                                     struct yk_interval *extent)
{
    struct yk_interval all = coherence->rows, whole, part;
    enum yk_row_state state;
    if (place < 0 || place >= YK_PLACES || row < all.first || row >= all.last) {
        if (extent)
            *extent = (struct yk_interval){ row, row };
        return YK_INVALID;
    }
    state = state_at(coherence, place, row, &whole);
    if (!extent)
        return state;
    while (whole.first > all.first && state_at(coherence, place, whole.first - 1, &part) == state)
        whole.first = part.first;
    while (whole.last < all.last && state_at(coherence, place, whole.last, &part) == state)
        whole.last = part.last;
    *extent = whole;
    return state;
}

int64_t yk_coherence_current(const struct yk_coherence *coherence, int place,
                             struct yk_interval rows)
{
    const struct yk_interval_map *holders = &coherence->holders;
    int64_t count = 0;
    int run;
    if (place < 0 || place >= YK_PLACES)
        return 0;
    rows = yk_interval_common(rows, coherence->rows);
    if (yk_interval_empty(rows))
        return 0;
    run = yk_interval_map_find(holders, rows.first);
    for (; yk_interval_map_touches(holders, run, rows); run++) {
        struct yk_interval part = yk_interval_map_part(holders, run, rows);
        if (unpack_holder(holders->items[run].value).places & yk_place_bit(place))
            count += part.last - part.first;
    }
    return count;
}

uint64_t yk_coherence_version(const struct yk_coherence *coherence)
{
    return coherence->version;
}

/* --- invariants --- */

static int check_holders(const struct yk_interval_map *holders)
{
    int run;
    for (run = 0; run < holders->count; run++) {
        struct holder holder = unpack_holder(holders->items[run].value);
        int count = __builtin_popcount(holder.places);
        int right = holder.holding == HELD_SHARED     ? count > 0
                    : holder.holding == HELD_MODIFIED ? count == 1
                                                      : count == 0;
        if (!right)
            return 0;
    }
    return yk_interval_map_check(holders);
}

/* Arriving rows are held by their sources, and not by the place they arrive at. */
static int check_sources(const struct yk_coherence *coherence, int place, struct yk_interval rows,
                         uint32_t sources)
{
    const struct yk_interval_map *holders = &coherence->holders;
    int run = yk_interval_map_find(holders, rows.first);
    for (; yk_interval_map_touches(holders, run, rows); run++) {
        uint32_t places = unpack_holder(holders->items[run].value).places;
        if (places & yk_place_bit(place) || sources & ~places)
            return 0;
    }
    return 1;
}

static int check_arrivals(const struct yk_coherence *coherence, int place)
{
    const struct yk_interval_map *map = &coherence->arrivals[place];
    int run, busy = 0;
    for (run = 0; run < map->count; run++) {
        struct arrival arrival = unpack_arrival(map->items[run].value);
        struct yk_interval part = yk_interval_map_part(map, run, coherence->rows);
        busy |= map->items[run].value != 0;
        if (arrival.stale > arrival.flying)
            return 0;
        if (arrival.sources && (arrival.stale == arrival.flying ||
                                !check_sources(coherence, place, part, arrival.sources)))
            return 0;
    }
    return busy == !!(coherence->busy & yk_place_bit(place)) &&
           (!map->items || yk_interval_map_check(map));
}

int yk_coherence_check(const struct yk_coherence *coherence)
{
    int place;
    for (place = 0; place < YK_PLACES; place++)
        if (!check_arrivals(coherence, place))
            return 0;
    return check_holders(&coherence->holders);
}
