/* interval.h - PURE. A value for every row of a range, kept as runs of rows with equal values.
 *
 * The runs are disjoint, sorted, cover the range without a gap, and no two neighbours are equal, so
 * there is exactly one representation of any state. A run keeps only where it begins; it ends where
 * the next begins. Finding a row is a binary search, a change moves the tail of the array once.
 * Memory grows to the largest number of runs seen and stays: after that nothing allocates.
 *
 * Changing takes two steps, so that a change of several maps happens wholly or not at all: reserve
 * (may fail) all that is needed, then assign or split and join (cannot fail).
 */
#ifndef YK_ARRAY_INTERVAL_H
#define YK_ARRAY_INTERVAL_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_interval {
    int64_t first, last; /* rows first .. last - 1 */
};

static inline int yk_interval_empty(struct yk_interval rows)
{
    return rows.first >= rows.last;
}

static inline int64_t yk_interval_length(struct yk_interval rows)
{
    return rows.last - rows.first;
}

/* The rows of both; an empty interval if there are none. */
static inline struct yk_interval yk_interval_common(struct yk_interval one,
                                                    struct yk_interval other)
{
    return (struct yk_interval){ one.first > other.first ? one.first : other.first,
                                 one.last < other.last ? one.last : other.last };
}

struct yk_run {
    int64_t first;
    uint64_t value; /* the meaning is the owner's */
};

/* Zeroed, it is a map without memory: only open and close may be called. */
struct yk_interval_map {
    struct yk_interval rows;
    struct yk_run *items;
    int count, capacity; /* count is 0 only where there are no rows */
};

yoke_status yk_interval_map_open(struct yk_interval_map *map, struct yk_interval rows,
                                 uint64_t value);
void yk_interval_map_close(struct yk_interval_map *map);

/* Room for `extra` more runs. One assign takes up to 2, a split up to 1. */
yoke_status yk_interval_map_reserve(struct yk_interval_map *map, int extra);

/* The run that holds `row`, which must lie in the map. */
int yk_interval_map_find(const struct yk_interval_map *map, int64_t row);

static inline int64_t yk_interval_map_last(const struct yk_interval_map *map, int run)
{
    return run + 1 < map->count ? map->items[run + 1].first : map->rows.last;
}

/* For loops over the runs that touch `rows`, which begin at find(rows.first): whether `run` still
 * does, and which of `rows` it holds. */
static inline int yk_interval_map_touches(const struct yk_interval_map *map, int run,
                                          struct yk_interval rows)
{
    return run < map->count && map->items[run].first < rows.last;
}

static inline struct yk_interval yk_interval_map_part(const struct yk_interval_map *map, int run,
                                                      struct yk_interval rows)
{
    struct yk_interval whole = { map->items[run].first, yk_interval_map_last(map, run) };
    return yk_interval_common(whole, rows);
}

/* How many runs touch `rows`, which must not be empty. */
int yk_interval_map_spans(const struct yk_interval_map *map, struct yk_interval rows);

/* Every row of `rows` (not empty) gets `value`. */
void yk_interval_map_assign(struct yk_interval_map *map, struct yk_interval rows, uint64_t value);

/* To change values run by run: make `row` the beginning of a run and get its index (the count for
 * the end of the map); afterwards join equal neighbours among the runs from .. to - 1 and at both
 * edges. */
int yk_interval_map_split(struct yk_interval_map *map, int64_t row);
void yk_interval_map_join(struct yk_interval_map *map, int from, int to);

/* The representation as promised above; 1 if it is. */
int yk_interval_map_check(const struct yk_interval_map *map);

#endif
