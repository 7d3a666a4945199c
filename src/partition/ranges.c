/* ranges.c - see ranges.h: a sorted array of disjoint ranges. */
#include "ranges.h"

#include <string.h>

#include "../base/alloc.h"

yoke_status yk_ranges_reserve(struct yk_ranges *set, int64_t count)
{
    struct yk_interval *grown;
    if (count <= set->capacity)
        return YOKE_OK;
    grown = yk_realloc(set->items, (size_t)count, sizeof *grown);
    if (!grown)
        return YOKE_ENOMEM;
    set->items = grown;
    set->capacity = count;
    return YOKE_OK;
}

void yk_ranges_close(struct yk_ranges *set)
{
    yk_free(set->items);
    *set = (struct yk_ranges){ 0 };
}

int64_t yk_ranges_find(const struct yk_ranges *set, int64_t at)
{
    int64_t low = 0, high = set->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (set->items[middle].last > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void move_tail(struct yk_ranges *set, int64_t from, int64_t to)
{
    memmove(&set->items[to], &set->items[from], (size_t)(set->count - from) * sizeof *set->items);
    set->count += to - from;
}

void yk_ranges_add(struct yk_ranges *set, struct yk_interval range)
{
    int64_t at = yk_ranges_find(set, range.first);
    int joins_low, joins_high;
    if (range.first >= range.last)
        return;
    joins_low = at > 0 && set->items[at - 1].last == range.first;
    joins_high = at < set->count && set->items[at].first == range.last;
    if (joins_low && joins_high) {
        set->items[at - 1].last = set->items[at].last;
        move_tail(set, at + 1, at);
    } else if (joins_low) {
        set->items[at - 1].last = range.last;
    } else if (joins_high) {
        set->items[at].first = range.first;
    } else {
        move_tail(set, at, at + 1);
        set->items[at] = range;
    }
}

void yk_ranges_remove(struct yk_ranges *set, struct yk_interval range)
{
    int64_t at = yk_ranges_find(set, range.first);
    struct yk_interval *found;
    if (range.first >= range.last)
        return;
    found = &set->items[at];
    if (found->first == range.first && found->last == range.last) {
        move_tail(set, at + 1, at);
    } else if (found->first == range.first) {
        found->first = range.last;
    } else if (found->last == range.last) {
        found->last = range.first;
    } else {
        move_tail(set, at, at + 1);
        set->items[at].last = range.first;
        set->items[at + 1].first = range.last;
    }
}

int64_t yk_ranges_items(const struct yk_ranges *set, struct yk_interval window)
{
    int64_t items = 0, at;
    for (at = yk_ranges_find(set, window.first); at < set->count; at++) {
        const struct yk_interval *range = &set->items[at];
        if (range->first >= window.last)
            break;
        items += (range->last < window.last ? range->last : window.last) -
                 (range->first > window.first ? range->first : window.first);
    }
    return items;
}
