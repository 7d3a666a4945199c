/* balance.c - see balance.h: leaves out devices whose smallest part ends too late, and solves for
 * equal ends. */
#include "balance.h"

#include <math.h>

/* Ends that differ by no more than this part are equal. */
#define ALIKE 1e-9
/* A taker whose least part ends too late is left out, unless the others would need WORTH_WAITING
 * times as long as that to do everything without it. */
#define WORTH_WAITING 1.5

static double least_end(const struct yk_taker *load)
{
    return load->ready + load->least;
}

/* The taker whose least part ends last, if that is after `end`; -1: none. */
static int coarsest(const struct yk_taker *loads, int count, double end)
{
    int i, found = -1;
    for (i = 0; i < count; i++)
        if (loads[i].items == YK_TAKER_IN && least_end(&loads[i]) > end * (1 + ALIKE) &&
            (found < 0 || least_end(&loads[i]) > least_end(&loads[found])))
            found = i;
    return found;
}

/* The end moves out: a taker that was left out for starting after it may take part again. */
static void leave_out(struct yk_taker *loads, int count, int device)
{
    int i;
    loads[device].items = YK_TAKER_NEVER;
    for (i = 0; i < count; i++)
        if (loads[i].items == YK_TAKER_OUT)
            loads[i].items = YK_TAKER_IN;
}

/* The taker can do work for others. One that starts too late to take part so far must still be able
 * to end its least part. */
static int counts(const struct yk_taker *load, double end)
{
    return load->items == YK_TAKER_IN || (load->items == YK_TAKER_OUT && least_end(load) <= end);
}

/* Returns 1 if the others do everything soon enough without the device. Otherwise it keeps its
 * part, even if that is smaller than its least: the job still ends sooner if that part takes as
 * long as the least. So at the end of a job the fastest device is not left out in favour of slow
 * ones that can take a part of any size. */
static int can_be_spared(const struct yk_taker *loads, int count, double items, int device)
{
    const double end = WORTH_WAITING * least_end(&loads[device]);
    double others = 0;
    int i;
    for (i = 0; i < count; i++)
        if (i != device && counts(&loads[i], end))
            others += yk_finish_part(&loads[i], end);
    return others > items;
}

double yk_balance(struct yk_taker *loads, int count, double items)
{
    double end;
    int i, worst;
    for (i = 0; i < count; i++)
        loads[i].items = loads[i].item > 0 ? YK_TAKER_IN : YK_TAKER_NEVER;
    for (;;) {
        end = yk_finish(loads, count, items);
        worst = isinf(end) ? -1 : coarsest(loads, count, end);
        if (worst < 0 || !can_be_spared(loads, count, items, worst))
            break;
        leave_out(loads, count, worst);
    }
    for (i = 0; i < count; i++)
        loads[i].items = loads[i].items == YK_TAKER_IN
                             ? (end - loads[i].ready - loads[i].fixed) / loads[i].item
                             : 0;
    return end;
}
