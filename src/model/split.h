/* split.h - PURE. The best split of a job's items over devices whose times are known as lines or
 * curves (papers/004, section 4.2).
 *
 * finish.h gives the end T that all would have together if items could be cut arbitrarily finely,
 * and the devices that do not pay: T <= b. The paper's listing (algorithm 1) is lost; the rest
 * follows its text. Parts are whole units. A device that would get less than its least part
 * (default: one unit) gets nothing. T is later without it, and as soon as the device could do its
 * least part by T it takes part again, with exactly that. If units are left, the next one goes to
 * the device that would end it first. With least parts of one unit this is the best of all splits;
 * with larger ones, sets without one more device are compared as well.
 *
 * Takes some passes over the devices: 0.1 ms for 1,000 of them.
 */
#ifndef YK_MODEL_SPLIT_H
#define YK_MODEL_SPLIT_H

#include <stdint.h>

#include "curve.h"
#include "finish.h"

struct yk_part {
    struct yk_line line;          /* item_ns 0: takes no part */
    const struct yk_curve *curve; /* replaces the line; NULL: none */
    double least, most;           /* items; 0: one unit, and any number */
    double round;                 /* items of one piece for each of its lanes; 0: any number is
                                   * equally good. Used by yk_split_in_rounds */
    double joules;                /* joules per item; used only if the work allows a slower job */
    int64_t items;                /* out */
    double ns;                    /* out: when it ends; 0 if it gets nothing */
    /* the rest is private to split.c */
    int64_t units;
    double key;
    int heap, barred;
};

struct yk_work {
    int64_t items, unit; /* parts are multiples of the unit, except the one that ends the range */
    double slower;       /* the job may take longer by this part if that costs less energy: 0.1 is a
                          * tenth. 0: only time counts */
};

/* Work, and the devices that share it. */
struct yk_split {
    struct yk_part *parts;   /* one per device */
    struct yk_taker *takers; /* scratch: one per device */
    int count;               /* of devices */
    struct yk_work work;
};

/* Finds the parts. Returns the end of the last one; infinite if there is no device, or if limits
 * leave no place for all items. */
double yk_split(const struct yk_split *split);
/* Energy of all parts together, in joules. */
double yk_split_joules(const struct yk_split *split);
/* The time that the part takes with `items` items. */
double yk_part_ns(const struct yk_part *part, double items);

#endif
