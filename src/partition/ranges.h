/* ranges.h - PURE. A set of items as sorted, disjoint ranges that do not touch each other.
 *
 * Holds the dispatcher's free items. Reserving memory is a separate step that may fail, so that
 * adding and removing cannot fail. Finding is a binary search. A change at the end of a range
 * touches only that range; one that creates or removes a range moves those behind it.
 */
#ifndef YK_PARTITION_RANGES_H
#define YK_PARTITION_RANGES_H

#include <stdint.h>
#include <yoke/status.h>

#include "../base/interval.h"

/* Zeroed, it is an empty set without memory. */
struct yk_ranges {
    struct yk_interval *items;
    int64_t count, capacity;
};

/* Makes room for `count` ranges in total. */
yoke_status yk_ranges_reserve(struct yk_ranges *set, int64_t count);
void yk_ranges_close(struct yk_ranges *set);

/* Index of the first range that ends after item `at`; the count if there is none. */
int64_t yk_ranges_find(const struct yk_ranges *set, int64_t at);
/* Adds items that are not in the set. Needs room for one more range. An empty range is allowed. */
void yk_ranges_add(struct yk_ranges *set, struct yk_interval range);
/* Removes items of the set. Needs room for one more range if items remain on both sides. */
void yk_ranges_remove(struct yk_ranges *set, struct yk_interval range);
/* Number of items of the window in the set. Time: proportional to the ranges in the window. */
int64_t yk_ranges_items(const struct yk_ranges *set, struct yk_interval window);

#endif
