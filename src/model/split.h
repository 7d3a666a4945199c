/* split.h - PURE. The best split of a job's items over devices whose times are known as lines or
 * curves (papers/004, section 4.2).
 *
 * finish.h finds the end T that all would have together if items could be cut arbitrarily finely,
 * without the devices that do not pay (T <= b). The paper's listing (algorithm 1) is lost; the rest
 * follows its text. Parts are whole units. A device that would get less than its least part
 * (default: one unit) gets nothing, which makes T later. If it can do its least part by the later
 * T, it gets exactly that. Each unit left goes to the device that would end it first. If all least
 * parts are one unit, this is the best of all splits; otherwise sets with one device fewer are
 * compared as well.
 *
 * Cost: some passes over the devices, 0.1 ms for 1,000 devices.
 */
#ifndef YK_MODEL_SPLIT_H
#define YK_MODEL_SPLIT_H

#include <stdint.h>

#include "curve.h"
#include "finish.h"

struct yk_part {
    struct yk_line line;          /* item_ns 0: takes no part */
    const struct yk_curve *curve; /* replaces the line; NULL: none */
    double least, most;           /* smallest and largest part, in items; 0: one unit, no limit */
    double round;                 /* items of a round (rounds.h); 0: it has no rounds */
    double joules;                /* energy per item; used only if work.slower > 0 */
    int64_t items;                /* out */
    double ns;                    /* out: when it ends; 0 if it gets nothing */
    /* the rest is private to split.c */
    int64_t units;
    double key;
    int heap, barred;
};

struct yk_work {
    int64_t items, unit; /* parts are multiples of the unit, except the one that ends the range */
    double slower;       /* part by which the job may take longer to save energy, like 0.1; 0: only
                          * the time matters */
};

/* Work, and the devices that share it. */
struct yk_split {
    struct yk_part *parts;   /* one per device */
    struct yk_taker *takers; /* scratch: one per device */
    int count;               /* of devices */
    struct yk_work work;
};

/* Finds the parts. Returns the end of the last one; infinite if there is no device, or if the
 * largest parts hold fewer items. */
double yk_split(const struct yk_split *split);

#endif
