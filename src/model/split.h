/* split.h - PURE. The best split of a job's items over devices whose times are known as lines or
 * curves (papers/004, section 4.2).
 *
 * finish.h gives the end T that all would have together if items could be cut as finely as one
 * likes, and who does not pay: T <= b. The paper's listing (algorithm 1) is lost; what is done here
 * beyond that follows its text. Parts are whole units. Who would get less than the least that it is
 * worth starting for (one unit, if nothing else is said) gets nothing; T is later without it, and
 * as soon as it could do its least by then it is in again, with just that. Where units are left the
 * next one goes to whoever would end it first. With leasts of one unit that is the best of all
 * splits; with larger ones, sets that lack one more device are compared as well.
 *
 * Costs some passes over the devices: 1,000 of them take 0.1 ms.
 */
#ifndef YK_MODEL_SPLIT_H
#define YK_MODEL_SPLIT_H

#include <stdint.h>

#include "curve.h"
#include "finish.h"

struct yk_part {
    struct yk_line line;          /* item_ns 0: takes no part */
    const struct yk_curve *curve; /* instead of the line; NULL: none */
    double least, most;           /* items; 0: one unit, any number */
    double round;                 /* items of one piece for each of its lanes; 0: any number is as
                                     good as another. For yk_split_in_rounds */
    double joules;                /* that an item costs; only where the work says so */
    int64_t items;                /* out */
    double ns;                    /* out: when it ends; 0 for who gets nothing */
    /* the rest belongs to split.c */
    int64_t units;
    double key;
    int heap, barred;
};

struct yk_work {
    int64_t items, unit; /* parts are multiples of the unit, but for one that ends the range */
    double slower; /* the job may take this part longer than it has to, if that costs less energy:
                      0.1 is a tenth. 0: time alone counts */
};

/* When the last one ends; infinite if there is nobody, or limits leave no place for all items.
 * `takers`: as many, to work with. */
double yk_split(struct yk_part *parts, struct yk_taker *takers, int count,
                const struct yk_work *work);
/* What all parts cost together. */
double yk_split_joules(const struct yk_part *parts, int count);
/* When the part would end with so many items. */
double yk_part_ns(const struct yk_part *part, double items);

#endif
