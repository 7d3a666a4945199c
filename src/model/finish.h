/* finish.h - PURE. When devices that share items out would all end together (papers/004, equations
 * 1 and 2).
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at
 * ready + fixed + item * v. All ends equal gives one linear equation in the end T. Who would start
 * after T gets nothing and the equation is solved again without him, which only makes T earlier: so
 * all such devices can go at once. What `linear` (split.h) and `auto` (partition/balance.h) have in
 * common. Times in ns from any origin.
 */
#ifndef YK_MODEL_FINISH_H
#define YK_MODEL_FINISH_H

struct yk_curve;

struct yk_taker {
    double ready, fixed;
    double item;         /* ns an item; 0: takes no part */
    double least;        /* ns that its smallest possible part takes, fixed included */
    double fewest, most; /* items: fewer than `fewest` it does not get; more than `most` it cannot
                            have. 0: any number */
    const struct yk_curve *curve; /* instead of fixed and item (which is not 0); NULL: none */
    double items;                 /* out: its part, or a mark: */
};

/* As long as the set of takers is looked for `items` is a mark. */
#define YK_TAKER_NEVER (-2.0) /* takes no part whatever the end is */
#define YK_TAKER_OUT   (-1.0) /* would start after the end */
#define YK_TAKER_IN    0.0

/* T for those marked IN, of which those that would start after it are marked OUT; infinite if there
 * is nobody, or all have as many as they can and items are left. */
double yk_finish(struct yk_taker *takers, int count, double items);
/* Items that the taker would have done by then, 0 at least. */
double yk_finish_part(const struct yk_taker *taker, double end);

#endif
