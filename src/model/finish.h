/* finish.h - PURE. The time at which devices that share items all end together (papers/004,
 * equations 1 and 2).
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at ready +
 * fixed + item * v. Equal ends give one linear equation in the end T. A device that would start
 * after T gets nothing, and the equation is solved again without it. Its removal makes T earlier,
 * so no removed device could come back, and all such devices can be removed at once. Shared by
 * `linear` (split.h) and `auto` (partition/balance.h). Times in ns from any origin.
 */
#ifndef YK_MODEL_FINISH_H
#define YK_MODEL_FINISH_H

struct yk_curve;

struct yk_taker {
    double ready, fixed;
    double item;                  /* ns per item; 0: takes no part */
    double least;                 /* ns of its smallest possible part, including fixed */
    double fewest, most;          /* its smallest and its largest part, in items; 0: no limit */
    const struct yk_curve *curve; /* replaces fixed and item (item must still be > 0); NULL: none */
    double items;                 /* out of yk_balance: its part; out of yk_finish: a mark: */
};

/* Marks in `items`, while it is not known who takes part. */
#define YK_TAKER_NEVER (-2.0) /* takes no part, whatever the end is */
#define YK_TAKER_OUT   (-1.0) /* would start after the end */
#define YK_TAKER_IN    0.0

/* Returns T for the takers marked IN, and marks those OUT that would start after it. Infinite if
 * there is no taker, or if their largest parts hold fewer items. */
double yk_finish(struct yk_taker *takers, int count, double items);
/* Returns the items that the taker would have done by `end`, at least 0. */
double yk_finish_part(const struct yk_taker *taker, double end);

#endif
