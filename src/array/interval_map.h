/* interval_map.h - PURE. A value for every row of a range, kept as runs of rows with equal values.
 *
 * The runs are disjoint and sorted, cover the range without a gap, and no two neighbours are equal.
 * So each state has exactly one representation. A run stores only its beginning; it ends where the
 * next one begins. Finding a row is a binary search; a change moves the later runs once. Memory
 * grows to the largest number of runs seen and stays: after that nothing is allocated.
 *
 * A change takes two steps, so that a change of several maps happens completely or not at all:
 * reserve all that is needed (may fail), then assign, or split and join (cannot fail).
 */
#ifndef YK_ARRAY_INTERVAL_MAP_H
#define YK_ARRAY_INTERVAL_MAP_H

#include <stdint.h>
#include <yoke/status.h>

#include "../base/interval.h"

struct yk_run {
    int64_t first;
    uint64_t value; /* its meaning is defined by the owner */
};

/* A zeroed map has no memory: only open and close may be called. */
struct yk_interval_map {
    struct yk_interval rows;
    struct yk_run *items;
    int count, capacity; /* count is 0 only if there are no rows */
};

yoke_status yk_interval_map_open(struct yk_interval_map *map, struct yk_interval rows,
                                 uint64_t value);
void yk_interval_map_close(struct yk_interval_map *map);

/* Makes room for `extra` more runs. One assign takes up to 2, one split up to 1. */
yoke_status yk_interval_map_reserve(struct yk_interval_map *map, int extra);

/* The run that holds `row`, which must lie in the map. */
int yk_interval_map_find(const struct yk_interval_map *map, int64_t row);

static inline int64_t yk_interval_map_last(const struct yk_interval_map *map, int run)
{
    return run + 1 < map->count ? map->items[run + 1].first : map->rows.last;
}

/* For loops over the runs that touch `rows`, starting at find(rows.first): whether `run` still
 * touches them, and the part of `rows` that it contains. */
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

/* Number of runs that touch `rows`, which must not be empty. */
int yk_interval_map_spans(const struct yk_interval_map *map, struct yk_interval rows);

/* Every row of `rows` (not empty) gets `value`. */
void yk_interval_map_assign(struct yk_interval_map *map, struct yk_interval rows, uint64_t value);

/* To change values run by run: split makes `row` the beginning of a run and returns its index (the
 * count, for the end of the map). Join then merges equal neighbours among the runs from .. to - 1
 * and at both edges. */
int yk_interval_map_split(struct yk_interval_map *map, int64_t row);
void yk_interval_map_join(struct yk_interval_map *map, int from, int to);

/* Returns 1 if the map has the representation described above. */
int yk_interval_map_check(const struct yk_interval_map *map);

#endif
