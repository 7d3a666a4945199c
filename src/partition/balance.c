/* balance.c - see balance.h. */
#include "balance.h"

#include <math.h>

/* The taker whose least part ends latest after `end`; -1 if there is none. */
static int too_coarse(const struct yk_taker *loads, int count, double end)
{
    double excess = 0;
    int i, worst = -1;
    for (i = 0; i < count; i++)
        if (loads[i].items == YK_TAKER_IN) {
            double over = loads[i].ready + loads[i].least - end;
            if (over > excess + 1e-9 * end) {
                excess = over;
                worst = i;
            }
        }
    return worst;
}

static int takers(const struct yk_taker *loads, int count)
{
    int i, found = 0;
    for (i = 0; i < count; i++)
        found += loads[i].items == YK_TAKER_IN;
    return found;
}

/* The end moves out: who was left out for starting after it may be in again. */
static void leave_out(struct yk_taker *loads, int count, int device)
{
    int i;
    loads[device].items = YK_TAKER_NEVER;
    for (i = 0; i < count; i++)
        if (loads[i].items == YK_TAKER_OUT)
            loads[i].items = YK_TAKER_IN;
}

/* The only taker is too coarse. Who starts after the end that it would have if its parts could be
 * as small as one likes may still end before it does. */
static int had_better_go(struct yk_taker *loads, int count, double items, int device)
{
    double least_end = loads[device].ready + loads[device].least;
    int i;
    leave_out(loads, count, device);
    if (yk_finish(loads, count, items) < least_end)
        return 1;
    for (i = 0; i < count; i++)
        if (loads[i].items == YK_TAKER_IN)
            loads[i].items = YK_TAKER_OUT;
    loads[device].items = YK_TAKER_IN;
    return 0;
}

double yk_balance(struct yk_taker *loads, int count, double items)
{
    double end;
    int i, worst;
    for (i = 0; i < count; i++)
        loads[i].items = loads[i].item > 0 ? YK_TAKER_IN : YK_TAKER_NEVER;
    for (;;) {
        end = yk_finish(loads, count, items);
        worst = isinf(end) ? -1 : too_coarse(loads, count, end);
        if (worst < 0)
            break;
        if (takers(loads, count) > 1)
            leave_out(loads, count, worst);
        else if (!had_better_go(loads, count, items, worst))
            break;
    }
    for (i = 0; i < count; i++)
        loads[i].items = loads[i].items == YK_TAKER_IN
                             ? (end - loads[i].ready - loads[i].fixed) / loads[i].item
                             : 0;
    return end;
}
