/* interval.h - PURE. Rows, items or bytes from `first` to `last` - 1. */
#ifndef YK_BASE_INTERVAL_H
#define YK_BASE_INTERVAL_H

#include <stdint.h>

struct yk_interval {
    int64_t first, last;
};

static inline int yk_interval_empty(struct yk_interval interval)
{
    return interval.first >= interval.last;
}

static inline int64_t yk_interval_length(struct yk_interval interval)
{
    return interval.last - interval.first;
}

static inline int yk_interval_has(struct yk_interval interval, int64_t one)
{
    return one >= interval.first && one < interval.last;
}

/* The part that both have in common; empty if there is none. */
static inline struct yk_interval yk_interval_common(struct yk_interval one,
                                                    struct yk_interval other)
{
    return (struct yk_interval){ one.first > other.first ? one.first : other.first,
                                 one.last < other.last ? one.last : other.last };
}

/* The least interval that contains both. */
static inline struct yk_interval yk_interval_hull(struct yk_interval one, struct yk_interval other)
{
    if (yk_interval_empty(one))
        return other;
    if (yk_interval_empty(other))
        return one;
    return (struct yk_interval){ one.first < other.first ? one.first : other.first,
                                 one.last > other.last ? one.last : other.last };
}

#endif
