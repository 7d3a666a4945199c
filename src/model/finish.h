/* finish.h - PURE. The time at which devices that share items all end together (papers/004,
 * equations 1 and 2).
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at ready +
 * fixed + item * v. Equal ends give one linear equation in the end T. A device that would start
 * after T gets nothing, and the equation is solved again without it. That only makes T earlier, so
 * all such devices can be removed at once. Shared by `linear` (split.h) and `auto`
 * (partition/balance.h). Times in ns from any origin.
 */
#ifndef YK_MODEL_FINISH_H
#define YK_MODEL_FINISH_H

struct yk_curve;

struct yk_taker {
    double ready, fixed;
    double item;                  /* ns per item; 0: takes no part */
    double least;                 /* ns of its smallest possible part, including fixed */
    double fewest, most;          /* items: its smallest part, and its largest; 0: any number */
    const struct yk_curve *curve; /* replaces fixed and item (which must not be 0); NULL: none */
    double items;                 /* out: its part, or a mark: */
};

/* While the set of takers is searched `items` is a mark. */
#define YK_TAKER_NEVER (-2.0) /* takes no part, whatever the end is */
#define YK_TAKER_OUT   (-1.0) /* would start after the end */
#define YK_TAKER_IN    0.0

/* T for the takers marked IN; those that would start after it are marked OUT. Infinite if there is
 * no taker, or if items are left when all have their largest part. */
double yk_finish(struct yk_taker *takers, int count, double items);
/* Items that the taker would have done by `end`, at least 0. */
double yk_finish_part(const struct yk_taker *taker, double end);

#endif
