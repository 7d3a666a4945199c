/* pin.c - blocks sorted by address, ranges in a list. See pin.h. */
#include "pin.h"

#include <math.h>
#include <string.h>

#include "../base/alloc.h"

enum { FIRST_CAPACITY = 16, PARTS = 64 }; /* PARTS: blocks of a large range, about */
static const double mib = 1 << 20;
/* Bytes whose measurements have weight one half: few, so that the costs follow a machine that
 * becomes busy; but enough that they change little if a thread loses its core once. */
static const double MEASURED_BYTES = 8 << 20;

struct yk_pin_terms yk_pin_terms = { .page = 4096,
                                     .unit = 256 << 10,
                                     .grain = 16 << 20,
                                     .most = 32 << 20,
                                     .pin_ns = 50e3,
                                     .unpin_ns = 37e3,
                                     .pin_mib_ns = 50e3,
                                     .unpin_mib_ns = 20e3,
                                     .slow_mib_ns = 120e3,
                                     .fast_mib_ns = 20e3 };

void yk_pin_measured(enum yk_pin_work work, int64_t bytes, int64_t ns)
{
    struct yk_pin_terms *terms = &yk_pin_terms;
    const double calls[] = { terms->pin_ns, terms->unpin_ns, 0 };
    double *costs[] = { &terms->pin_mib_ns, &terms->unpin_mib_ns, &terms->slow_mib_ns };
    const double weight = (double)bytes < MEASURED_BYTES ? (double)bytes / MEASURED_BYTES / 2 : 0.5;
    const double spent = (double)ns > calls[work] ? (double)ns - calls[work] : 0;
    if (bytes >= (work == YK_PIN_STAGED ? terms->unit : (int64_t)mib))
        *costs[work] += weight * (spent * mib / (double)bytes - *costs[work]);
}

int64_t yk_pin_worth_waiting(struct yk_interval bytes)
{
    const struct yk_pin_terms *terms = &yk_pin_terms;
    if (terms->pin_mib_ns >= terms->slow_mib_ns)
        return 0;
    return (int64_t)(terms->pin_ns + terms->slow_mib_ns * (double)(bytes.last - bytes.first) / mib);
}

static int touch(struct yk_interval a, struct yk_interval b)
{
    return a.first < b.last && b.first < a.last;
}

static int64_t down(int64_t address, int64_t grain)
{
    return address & ~(grain - 1);
}

static int64_t up(int64_t address, int64_t grain)
{
    return down(address + grain - 1, grain);
}

void yk_pin_map_close(struct yk_pin_map *map)
{
    yk_free(map->items);
    *map = (struct yk_pin_map){ .ranges = map->ranges };
}

struct yk_interval yk_pin_pages(const void *memory, int64_t bytes)
{
    int64_t first = (int64_t)(intptr_t)memory;
    struct yk_interval pages = { up(first, yk_pin_terms.page),
                                 down(first + bytes, yk_pin_terms.page) };
    return yk_interval_empty(pages) ? (struct yk_interval){ 0, 0 } : pages;
}

void yk_pin_join(struct yk_pin_map *map, struct yk_pin_range *range)
{
    range->joined = 1;
    range->previous = NULL;
    range->next = map->ranges;
    if (range->next)
        range->next->previous = range;
    map->ranges = range;
}

void yk_pin_leave(struct yk_pin_map *map, struct yk_pin_range *range)
{
    *(range->previous ? &range->previous->next : &map->ranges) = range->next;
    if (range->next)
        range->next->previous = range->previous;
    range->joined = 0;
}

/* The first block that ends after `address`. */
static int find(const struct yk_pin_map *map, int64_t address)
{
    int low = 0, high = map->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (map->items[middle].bytes.last <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct yk_pin_block yk_pin_look(const struct yk_pin_map *map, struct yk_interval bytes)
{
    int i = find(map, bytes.first);
    struct yk_pin_block found = { .bytes = bytes, .state = YK_PIN_NOT };
    if (i < map->count && map->items[i].bytes.first <= bytes.first) {
        found = map->items[i];
        found.bytes = yk_interval_common(found.bytes, bytes);
    } else if (i < map->count && map->items[i].bytes.first < bytes.last) {
        found.bytes.last = map->items[i].bytes.first;
    }
    return found;
}

int yk_pin_has(const struct yk_pin_map *map, struct yk_interval bytes, enum yk_pin_state state)
{
    while (bytes.first < bytes.last) {
        const struct yk_pin_block part = yk_pin_look(map, bytes);
        if (part.state == state)
            return 1;
        bytes.first = part.bytes.last;
    }
    return 0;
}

/* The grain that blocks of the range are rounded to. Blocks of a large range are large. Otherwise
 * the first small chunks would cut it into small blocks for good, and later copies would have to be
 * cut at these. */
static int64_t grain_of(const struct yk_pin_range *range)
{
    const struct yk_pin_terms *terms = &yk_pin_terms;
    int64_t grain = terms->unit, part = (range->pages.last - range->pages.first) / PARTS;
    while (2 * grain <= part && 2 * grain <= terms->grain)
        grain *= 2;
    return grain;
}

struct yk_interval yk_pin_gap(const struct yk_pin_map *map, const struct yk_pin_range *range,
                              struct yk_interval bytes)
{
    int i = find(map, bytes.first);
    int64_t grain = grain_of(range);
    struct yk_interval gap = { down(bytes.first, grain), up(bytes.last, grain) };
    int64_t end = gap.first + yk_pin_terms.most;
    if (i > 0 && gap.first < map->items[i - 1].bytes.last)
        gap.first = map->items[i - 1].bytes.last;
    if (i < map->count && gap.last > map->items[i].bytes.first)
        gap.last = map->items[i].bytes.first;
    if (gap.last > end)
        gap.last = end;
    return yk_interval_common(gap, range->pages);
}

struct yk_interval yk_pin_filled(struct yk_interval gap, struct yk_interval bytes)
{
    struct yk_interval units = { up(bytes.first, yk_pin_terms.unit),
                                 down(bytes.last, yk_pin_terms.unit) };
    if (bytes.first <= gap.first)
        units.first = gap.first;
    if (bytes.last >= gap.last)
        units.last = gap.last;
    return yk_interval_common(gap, units);
}

struct yk_pin_time yk_pin_time(int64_t bytes)
{
    const struct yk_pin_terms *terms = &yk_pin_terms;
    const double mibs = (double)bytes / mib;
    const double calls = ceil((double)bytes / (double)terms->most);
    return (struct yk_pin_time){ terms->pin_ns * calls + terms->pin_mib_ns * mibs,
                                 terms->unpin_ns * calls + terms->unpin_mib_ns * mibs };
}

/* Bytes that have to be copied unpinned before pinning `gap` pays. */
static double price(struct yk_interval gap)
{
    const double gain = yk_pin_terms.slow_mib_ns - yk_pin_terms.fast_mib_ns;
    const struct yk_pin_time time = yk_pin_time(yk_interval_length(gap));
    return gain > 0 ? mib * (time.pin_ns + time.unpin_ns) / gain : INFINITY;
}

/* Bytes that the copy copies within `bytes`. */
static double copied(const struct yk_pin_copy *copy, struct yk_interval bytes)
{
    const struct yk_interval common = yk_interval_common(bytes, copy->bytes);
    return yk_interval_empty(common) ? 0 : copy->part * (double)yk_interval_length(common);
}

int yk_pin_pays(const struct yk_pin_range *range, struct yk_interval gap,
                const struct yk_pin_copy *copy)
{
    const double once = copied(copy, gap);
    return (copy->passes ? copy->passes * once : range->moved + once) >= price(gap);
}

void yk_pin_paid(struct yk_pin_range *range, struct yk_interval gap, const struct yk_pin_copy *copy)
{
    const double left = range->moved + copied(copy, gap) - price(gap);
    range->moved = left > 0 ? left : 0;
}

void yk_pin_moved(struct yk_pin_range *range, const struct yk_pin_copy *copy)
{
    range->moved += copied(copy, range->pages);
}

yoke_status yk_pin_insert(struct yk_pin_map *map, const struct yk_pin_block *block)
{
    int i = find(map, block->bytes.first);
    if (map->count == map->capacity) {
        int capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
        struct yk_pin_block *items = yk_realloc(map->items, (size_t)capacity, sizeof *items);
        if (!items)
            return YOKE_ENOMEM;
        map->items = items;
        map->capacity = capacity;
    }
    memmove(&map->items[i + 1], &map->items[i], (size_t)(map->count - i) * sizeof *map->items);
    map->items[i] = *block;
    map->count++;
    return YOKE_OK;
}

struct yk_pin_block *yk_pin_at(struct yk_pin_map *map, int64_t first)
{
    return &map->items[find(map, first)];
}

void yk_pin_remove(struct yk_pin_map *map, int64_t first)
{
    int i = find(map, first);
    map->count--;
    memmove(&map->items[i], &map->items[i + 1], (size_t)(map->count - i) * sizeof *map->items);
    if (!map->count)
        yk_pin_map_close(map);
}

int yk_pin_is_used(const struct yk_pin_map *map, struct yk_interval bytes, enum yk_pin_users users)
{
    const struct yk_pin_range *range;
    for (range = map->ranges; range; range = range->next)
        if ((range->is_array || users == YK_PIN_ANY_RANGE) && touch(range->pages, bytes))
            return 1;
    return 0;
}

struct yk_pin_block *yk_pin_unused(struct yk_pin_map *map, struct yk_interval bytes,
                                   enum yk_pin_users users)
{
    int i;
    for (i = find(map, bytes.first); i < map->count && map->items[i].bytes.first < bytes.last; i++)
        if (map->items[i].state != YK_PIN_PENDING &&
            !yk_pin_is_used(map, map->items[i].bytes, users))
            return &map->items[i];
    return NULL;
}

int64_t yk_pin_total(const struct yk_pin_map *map)
{
    int64_t bytes = 0;
    int i;
    for (i = 0; i < map->count; i++)
        bytes += map->items[i].bytes.last - map->items[i].bytes.first;
    return bytes;
}

int yk_pin_map_check(const struct yk_pin_map *map)
{
    int i;
    for (i = 0; i < map->count; i++)
        if (yk_interval_empty(map->items[i].bytes) || map->items[i].state == YK_PIN_NOT ||
            (i > 0 && map->items[i - 1].bytes.last > map->items[i].bytes.first))
            return 0;
    return map->count <= map->capacity;
}
