/* curve.c - see curve.h: evaluates and inverts a piecewise line. */
#include "curve.h"

#include <math.h>

/* The items at which piece `i` ends. */
static double end_of(const struct yk_curve *curve, int i)
{
    return i + 1 < curve->count ? curve->pieces[i + 1].from : INFINITY;
}

double yk_curve_ns(const struct yk_curve *curve, double items)
{
    double least = 0, ns = 0;
    int i;
    for (i = 0; i < curve->count && (i == 0 || curve->pieces[i].from < items); i++) {
        ns = fmax(least, yk_line_ns(&curve->pieces[i].line, fmin(items, end_of(curve, i))));
        least = ns;
    }
    return ns;
}

double yk_curve_items(const struct yk_curve *curve, double ns, double *item_ns)
{
    double least = 0, found = 0;
    int i;
    *item_ns = INFINITY;
    for (i = 0; i < curve->count; i++) {
        const struct yk_curve_piece *piece = &curve->pieces[i];
        const double end = end_of(curve, i);
        double items;
        if (ns < fmax(least, yk_line_ns(&piece->line, piece->from)))
            break;
        items = (ns - piece->line.fixed_ns) / piece->line.item_ns;
        *item_ns = items < end ? piece->line.item_ns : INFINITY;
        found = fmin(items, end);
        if (items < end)
            break;
        least = fmax(least, yk_line_ns(&piece->line, end));
    }
    return fmax(found, 0);
}
