/* free_set.h - PURE. The items of a range that nobody has: disjoint, sorted, merged intervals.
 *
 * Usually one to a dozen of them, so a sorted array with linear search.
 */
#ifndef YK_PARTITION_FREE_SET_H
#define YK_PARTITION_FREE_SET_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_span {
    int64_t first, last;
};

struct yk_free_set {
    struct yk_span *spans;
    int count, capacity;
    int64_t items;
};

/* Memory for `spans` intervals at least, so that the next puts cannot fail. */
yoke_status yk_free_reserve(struct yk_free_set *set, int spans);
void yk_free_close(struct yk_free_set *set);
/* Add an interval that is not in the set. There is room (reserve). */
void yk_free_put(struct yk_free_set *set, struct yk_span span);
/* Remove an interval that lies within one span of the set. There is room for one span more. */
void yk_free_remove(struct yk_free_set *set, struct yk_span span);
/* The lowest (or highest) run of free items within `within`; 0 if there is none. */
int yk_free_find(const struct yk_free_set *set, struct yk_span within, int from_high,
                 struct yk_span *out);
/* Free items within `within`. */
int64_t yk_free_count(const struct yk_free_set *set, struct yk_span within);
int yk_free_check(const struct yk_free_set *set);

#endif
