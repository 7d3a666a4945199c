/* host_grain.c - PURE. A GPU's grain, found while the work is done: it begins with what fills the
 * device and doubles as long as that pays, that is, as long as the fixed cost of a chunk, or unused
 * multiprocessors, show in its throughput.
 */
#include "host_threads.h"

/* A size pays if its throughput is so many times that of half of it. With a fixed cost b and v
 * items at a each, doubling gives (b + a v) / (b / 2 + a v): it stops where b is about a fifth of
 * the chunk's time. */
#define PAYS 1.1
/* A grain is at most this part of a device's range, or a chunk could outlast all the others. */
enum { RANGE_PART = 16 };

void yk_ht_grain_open(const struct yk_split_view *view, int device, struct yk_ht_grain *grain)
{
    int64_t range = view->last - view->first;
    *grain = (struct yk_ht_grain){ .searching = 1, .items = view->devices[device].known.fill };
    grain->most = range / RANGE_PART / view->device_count;
    if (grain->most < view->unit)
        grain->most = view->unit;
    if (grain->items < view->unit)
        grain->items = view->unit;
    if (grain->items > grain->most)
        grain->items = grain->most;
}

void yk_ht_grain_learn(struct yk_ht_grain *grain, int64_t items, double rate)
{
    if (!grain->searching || items < grain->items)
        return;
    if (grain->best > 0 && rate < PAYS * grain->best) {
        grain->searching = 0;
        grain->items = grain->items > 1 ? grain->items / 2 : 1;
        return;
    }
    grain->best = rate;
    if (grain->items > grain->most / 2)
        grain->searching = 0;
    else
        grain->items *= 2;
}
