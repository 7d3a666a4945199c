/* interval_map.c - sorted runs in one array. See interval_map.h. */
#include "interval_map.h"

#include <string.h>

#include "../base/alloc.h"

enum { FIRST_CAPACITY = 8 };

yoke_status yk_interval_map_open(struct yk_interval_map *map, struct yk_interval rows,
                                 uint64_t value)
{
    struct yk_run *items = yk_calloc(FIRST_CAPACITY, sizeof *items);
    if (!items)
        return YOKE_ENOMEM;
    items[0] = (struct yk_run){ rows.first, value };
    *map = (struct yk_interval_map){
        .rows = rows, .items = items, .count = !yk_interval_empty(rows), .capacity = FIRST_CAPACITY
    };
    return YOKE_OK;
}

void yk_interval_map_close(struct yk_interval_map *map)
{
    yk_free(map->items);
    *map = (struct yk_interval_map){ 0 };
}

yoke_status yk_interval_map_reserve(struct yk_interval_map *map, int extra)
{
    int capacity = map->capacity;
    struct yk_run *items;
    if (map->count + extra <= capacity)
        return YOKE_OK;
    while (capacity < map->count + extra)
        capacity *= 2;
    items = yk_realloc(map->items, (size_t)capacity, sizeof *items);
    if (!items)
        return YOKE_ENOMEM;
    map->items = items;
    map->capacity = capacity;
    return YOKE_OK;
}

int yk_interval_map_find(const struct yk_interval_map *map, int64_t row)
{
    const struct yk_run *items = map->items;
    int low = 0, high = map->count; /* items[low].first <= row < items[high].first */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (items[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int yk_interval_map_spans(const struct yk_interval_map *map, struct yk_interval rows)
{
    int run = yk_interval_map_find(map, rows.first), spans = 1;
    while (yk_interval_map_last(map, run++) < rows.last)
        spans++;
    return spans;
}

void yk_interval_map_assign(struct yk_interval_map *map, struct yk_interval rows, uint64_t value)
{
    int from = yk_interval_map_find(map, rows.first), to = from, count = 0;
    struct yk_run pieces[3];
    while (yk_interval_map_last(map, to) < rows.last)
        to++;
    if (from == to && map->items[from].value == value)
        return;
    /* If rows.first lies within a run, keep the part before it. If it begins a run, take in the run
     * before it if that has the same value. */
    if (map->items[from].first < rows.first) {
        pieces[count++] = map->items[from];
    } else if (from > 0 && map->items[from - 1].value == value) {
        pieces[count++] = map->items[--from];
    }
    if (count == 0 || pieces[count - 1].value != value)
        pieces[count++] = (struct yk_run){ rows.first, value };
    if (yk_interval_map_last(map, to) > rows.last) {
        if (map->items[to].value != value)
            pieces[count++] = (struct yk_run){ rows.last, map->items[to].value };
    } else if (to + 1 < map->count && map->items[to + 1].value == value) {
        to++;
    }
    to++; /* the runs from .. to - 1 become the pieces */
    if (from + count != to)
        memmove(&map->items[from + count], &map->items[to],
                (size_t)(map->count - to) * sizeof *map->items);
    memcpy(&map->items[from], pieces, (size_t)count * sizeof *pieces);
    map->count += from + count - to;
}

int yk_interval_map_split(struct yk_interval_map *map, int64_t row)
{
    int run;
    if (row == map->rows.last)
        return map->count;
    run = yk_interval_map_find(map, row);
    if (map->items[run].first == row)
        return run;
    run++;
    memmove(&map->items[run + 1], &map->items[run],
            (size_t)(map->count - run) * sizeof *map->items);
    map->items[run] = (struct yk_run){ row, map->items[run - 1].value };
    map->count++;
    return run;
}

void yk_interval_map_join(struct yk_interval_map *map, int from, int to)
{
    int read, write = from > 0 ? from - 1 : 0;
    int end = to < map->count ? to + 1 : map->count;
    for (read = write + 1; read < end; read++)
        if (map->items[read].value != map->items[write].value)
            map->items[++write] = map->items[read];
    if (end > 0 && ++write < end) {
        memmove(&map->items[write], &map->items[end],
                (size_t)(map->count - end) * sizeof *map->items);
        map->count -= end - write;
    }
}

int yk_interval_map_check(const struct yk_interval_map *map)
{
    int run;
    if (map->count == 0)
        return yk_interval_empty(map->rows);
    if (map->count > map->capacity || map->items[0].first != map->rows.first)
        return 0;
    for (run = 0; run < map->count; run++)
        if (map->items[run].first >= yk_interval_map_last(map, run) ||
            (run > 0 && map->items[run].value == map->items[run - 1].value))
            return 0;
    return 1;
}
