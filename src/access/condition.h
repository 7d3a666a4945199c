/* condition.h - under which conditions a statement or an operand is come to, as far as they can be
 * told: comparisons of polynomials.
 */
#ifndef YK_ACCESS_CONDITION_H
#define YK_ACCESS_CONDITION_H

#include "polynomial.h"

enum yk_comparison { YK_BELOW_0, YK_AT_MOST_0, YK_IS_0, YK_IS_NOT_0 };

struct yk_condition {
    struct yk_polynomial difference; /* of what is compared */
    enum yk_comparison is;
};

enum { YK_CONDITIONS_MOST = 48, YK_GUARD_MOST = 12, YK_READINGS_MOST = 4096 };

struct yk_conditions { /* of a body */
    int count;
    int depth;    /* of conditions that are read for others, */
    int readings; /* and of locals and conditions so far: both are bounded, for a text may define
                     names by themselves */
    struct yk_condition items[YK_CONDITIONS_MOST];
};

struct yk_guard { /* all of these hold */
    unsigned char count, number[YK_GUARD_MOST];
    unsigned char data;   /* and others, which depend on what is in memory */
    unsigned char unsure; /* and others, which cannot be told: they may never hold */
};

/* Both hold. */
void yk_guard_join(struct yk_guard *guard, const struct yk_guard *other);

#endif
