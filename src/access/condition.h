/* condition.h - the conditions under which a statement or an operand is reached, as far as they are
 * understood: comparisons of polynomials.
 */
#ifndef YK_ACCESS_CONDITION_H
#define YK_ACCESS_CONDITION_H

#include "operation.h"

enum yk_comparison { YK_BELOW_0, YK_AT_MOST_0, YK_IS_0, YK_IS_NOT_0 };

struct yk_condition {
    struct yk_polynomial difference; /* of the two sides */
    enum yk_comparison is;
};

enum { YK_CONDITIONS_MOST = 48, YK_GUARD_MOST = 12, YK_READINGS_MOST = 4096 };

struct yk_conditions { /* of a body */
    int count;
    int depth;    /* nesting of conditions that are read for others */
    int readings; /* number of locals and conditions read so far; bounded, like `depth`, because a
                   * text may define names by each other */
    struct yk_condition items[YK_CONDITIONS_MOST];
    struct yk_operations operations; /* that polynomials refer to */
    uint32_t values;                 /* bit p: the value of parameter p was read for a polynomial */
};

struct yk_guard { /* all of these conditions hold */
    unsigned char count, number[YK_GUARD_MOST];
    unsigned char data;   /* 1: it also depends on memory contents */
    unsigned char unsure; /* 1: it also has unknown conditions, which may never hold */
};

/* Adds the conditions of `other`: both guards hold. */
void yk_guard_join(struct yk_guard *guard, const struct yk_guard *other);

#endif
