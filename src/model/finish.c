/* finish.c - see finish.h: solves for the common end. */
#include "finish.h"

#include <math.h>

#include "curve.h"

/* Most steps of the search: enough even if each one only halves the bracket. */
enum { STEPS_MOST = 200 };
/* Relative precision of the end. */
#define PRECISION 1e-12

/* Solves equation 2 for the takers marked IN. Marks those OUT that would start after the end. */
static double finish_lines(struct yk_taker *takers, int count, double items)
{
    double end = INFINITY, before;
    int i;
    do {
        double work = items, speed = 0;
        for (i = 0; i < count; i++)
            if (takers[i].items == YK_TAKER_IN) {
                speed += 1 / takers[i].item;
                work += (takers[i].ready + takers[i].fixed) / takers[i].item;
            }
        if (speed <= 0)
            return INFINITY;
        before = end;
        end = work / speed;
        for (i = 0; i < count; i++)
            if (takers[i].items == YK_TAKER_IN && takers[i].ready + takers[i].fixed > end)
                takers[i].items = YK_TAKER_OUT;
    } while (end != before);
    return end;
}

/* Returns the taker's items by `end`. Sets *item to the time of one more item; infinite if the
 * taker cannot do one. */
static double part_of(const struct yk_taker *taker, double end, double *item)
{
    const double ns = end - taker->ready;
    double items;
    if (taker->curve) {
        items = yk_curve_items(taker->curve, ns, item);
    } else {
        items = (ns - taker->fixed) / taker->item;
        *item = taker->item;
    }
    if (taker->most > 0 && items >= taker->most) {
        *item = INFINITY;
        items = taker->most;
    }
    if (!(items > 0) || items < taker->fewest)
        *item = INFINITY;
    return items < taker->fewest ? 0 : fmax(items, 0);
}

double yk_finish_part(const struct yk_taker *taker, double end)
{
    double item;
    return taker->item > 0 ? part_of(taker, end, &item) : 0;
}

/* Returns the items that all takers do by `end`, except those marked NEVER. *speed: items per ns at
 * that time. */
static double done_by(const struct yk_taker *takers, int count, double end, double *speed)
{
    double all = 0, item;
    int i;
    *speed = 0;
    for (i = 0; i < count; i++)
        if (takers[i].items != YK_TAKER_NEVER) {
            all += part_of(&takers[i], end, &item);
            *speed += 1 / item;
        }
    return all;
}

/* With limits and curves, the number of items done by T still rises with T and is piecewise linear.
 * On each piece Newton's step is equation 2 for the takers that are active there. A bracket
 * prevents cycles. */
static double finish_bounded(struct yk_taker *takers, int count, double items, double from)
{
    double low = 0, high = INFINITY, end = from, speed;
    int step, i;
    for (step = 0; step < STEPS_MOST && (isinf(high) || high - low > PRECISION * high); step++) {
        double done = done_by(takers, count, end, &speed);
        double next = end + (items - done) / speed;
        if (done < items)
            low = end;
        else
            high = end;
        if (next > low && next < high)
            end = next;
        else if (isinf(high))
            end = fmax(2 * end, 1);
        else
            end = low + (high - low) / 2;
        if (isinf(end) || end > 1e30)
            return INFINITY;
    }
    if (isinf(high))
        return INFINITY;
    for (i = 0; i < count; i++)
        if (takers[i].items != YK_TAKER_NEVER)
            takers[i].items = yk_finish_part(&takers[i], high) > 0 ? YK_TAKER_IN : YK_TAKER_OUT;
    return high;
}

/* Returns 1 if limits or a curve change the part that the taker's line would give it by `end`. */
static int is_bounded(const struct yk_taker *taker, double end)
{
    double items;
    if (taker->items == YK_TAKER_NEVER)
        return 0;
    if (taker->curve)
        return 1;
    items = (end - taker->ready - taker->fixed) / taker->item;
    return items > 0 && (items < taker->fewest || (taker->most > 0 && items > taker->most));
}

double yk_finish(struct yk_taker *takers, int count, double items)
{
    double end = finish_lines(takers, count, items);
    int i, bounded = 0;
    for (i = 0; i < count && !bounded; i++)
        bounded = is_bounded(&takers[i], end);
    return bounded ? finish_bounded(takers, count, items, isinf(end) ? 1 : end) : end;
}
