/* curve.h - PURE. A device's time for v items if that is not one straight line: up to four pieces,
 * each with its own line. Causes are a cache that is too small, a memory that is full, or a device
 * that works in steps.
 *
 * The time never falls as items grow: if a piece would begin below the end of the previous one, its
 * times are raised to that end.
 */
#ifndef YK_MODEL_CURVE_H
#define YK_MODEL_CURVE_H

#include "line.h"

enum { YK_CURVE_PIECES = 4 };

struct yk_curve_piece {
    double from;         /* valid for more items than this, up to the next piece's `from` */
    struct yk_line line; /* fixed_ns may be negative if `from` is not 0; item_ns > 0 */
};

/* count 0: there is no curve. The first piece has `from` 0, each later one a larger `from`. */
struct yk_curve {
    int count;
    struct yk_curve_piece pieces[YK_CURVE_PIECES];
};

double yk_curve_ns(const struct yk_curve *curve, double items);
/* Returns how many items the device can do in `ns`; 0 if not even the first. Sets *item_ns to the
 * time of one more item; infinite if the time jumps there. */
double yk_curve_items(const struct yk_curve *curve, double ns, double *item_ns);

#endif
