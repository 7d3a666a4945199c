/* host_grain.c - PURE. A GPU's grain (the items of its chunks), found while the work is done. It
 * begins with the size that fills the device and doubles as long as that pays, because the fixed
 * cost of a chunk, or unused multiprocessors, reduce throughput. */
#include "host_threads.h"

/* A size pays if its throughput is at least PAYS times that of half the size. With a fixed cost b
 * and v items at a each, doubling gives (b + a v) / (b / 2 + a v): doubling stops when b is about a
 * fifth of the chunk's time. */
#define PAYS 1.1
/* A chunk shorter than COSTS times the known cost of its start is too small in any case. */
#define COSTS 10.0
/* This many chunks in a row that do not pay end the search. */
enum { PATIENCE = 2 };
/* A grain is at most 1 / RANGE_PART of a device's range; otherwise a chunk could outlast all
 * others. */
enum { RANGE_PART = 16 };

void yk_ht_grain_open(const struct yk_split_view *view, int device, struct yk_ht_grain *grain)
{
    int64_t range = view->last - view->first;
    *grain = (struct yk_ht_grain){ .searching = 1,
                                   .items = view->devices[device].known.fill,
                                   .cost_ns = view->devices[device].known.fixed_ns };
    grain->most = range / RANGE_PART / view->device_count;
    if (grain->most < view->unit)
        grain->most = view->unit;
    if (grain->items < view->unit)
        grain->items = view->unit;
    if (grain->items > grain->most)
        grain->items = grain->most;
}

void yk_ht_grain_learn(struct yk_ht_grain *grain, int64_t items, double ns)
{
    double rate = (double)items / ns;
    if (!grain->searching || items < grain->items)
        return;
    if (grain->best > 0 && rate < PAYS * grain->best && ns > COSTS * grain->cost_ns) {
        if (++grain->disappointments < PATIENCE)
            return; /* chunks vary: one is not enough */
        grain->searching = 0;
        grain->items = grain->items > 1 ? grain->items / 2 : 1;
        return;
    }
    grain->disappointments = 0;
    grain->best = rate;
    if (grain->items > grain->most / 2)
        grain->searching = 0;
    else
        grain->items *= 2;
}
