/* speed.h - PURE. A device's time for a chunk of v items as item_ns * v + fixed_ns, fitted while
 * the job runs.
 *
 * A sample is the time by which a chunk moved the device's finish: from the previous chunk's end
 * (or its own issue, if later) to its end. So overlapping time is not counted twice. If lanes share
 * a chunk, the sample is the time that they spent on it, divided by their number. Older samples
 * fade; the speed from earlier runs counts as one sample. Cores that share their chunks end them in
 * any order and have no overhead per chunk: their item_ns is sum of times / sum of items.
 */
#ifndef YK_PARTITION_SPEED_H
#define YK_PARTITION_SPEED_H

#include <stdint.h>

struct yk_split_device;

struct yk_speed {
    double item_ns;  /* 0: unknown */
    double fixed_ns; /* overhead of a chunk */
    /* the rest is private to speed.c */
    double weight, items, ns, items2, items_ns; /* faded sums over samples */
    double told_fixed_ns;
    int ratio_only;
    int samples;
};

/* A chunk far too small to fill a GPU can take as long as one YK_UNDERFILLED times its size. */
#define YK_UNDERFILLED 5.0
/* How many times too slow a GPU may look by `measured` items, if it had `items`. */
double yk_underfilled(const struct yk_split_device *gpu, double measured, double items);

/* Time of an item in the run that showed the device's rate, in which it did that many. The rate is
 * an average, so it includes a chunk's overhead at least once. */
double yk_speed_item_ns(const struct yk_split_device *known, double items);

void yk_speed_open(struct yk_speed *speed, const struct yk_split_device *known, double range_items);
void yk_speed_add(struct yk_speed *speed, double items, double ns);

#endif
