/* curve.h - PURE. A device's time for v items where that is not one straight line: up to four
 * pieces, each a line of its own, as a cache that is too small, a memory that is full or a device
 * that works in steps make them.
 *
 * The time never falls as items grow: where a piece would begin below the end of the one before,
 * what counts is that end.
 */
#ifndef YK_MODEL_CURVE_H
#define YK_MODEL_CURVE_H

#include "line.h"

enum { YK_CURVE_PIECES = 4 };

struct yk_curve_piece {
    double from; /* it holds for more items than these, up to those where the next one begins */
    struct yk_line line; /* fixed_ns may be negative where `from` is not 0; item_ns > 0 */
};

/* count 0: none. The first piece is from 0; `from` rises. */
struct yk_curve {
    int count;
    struct yk_curve_piece pieces[YK_CURVE_PIECES];
};

double yk_curve_ns(const struct yk_curve *curve, double items);
/* The most items that take `ns` or less; 0 if not even the first. *item_ns: of the next one, which
 * is infinite where the time jumps there. */
double yk_curve_items(const struct yk_curve *curve, double ns, double *item_ns);

#endif
