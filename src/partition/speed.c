/* speed.c - see speed.h: fits a line to the times of chunks. */
#include "speed.h"

#include <math.h>

#include "../model/cost.h"
#include "dispatch.h"

/* Chunks show a slope if their sizes differ by this much (standard deviation / mean). */
#define SPREAD 0.3

/* A chunk of at least this part of a fill is large enough: kernels that compute much reach nearly
 * their full speed on a device that is not full (n-body on an H200: 85 % with a quarter of its
 * fill, 93 % with 0.8). For smaller chunks it is unknown whether the rest of the device was idle.
 * The square root is the least wrong in either case, so the parts that follow from it do not swing
 * from job to job. */
#define FILLED_PART 0.5

static double speedup_if_filled(double measured, double items, double fill)
{
    return fmax(1, fmin(YK_UNDERFILLED, sqrt(fmin(items, FILLED_PART * fill) / measured)));
}

/* Copies become faster only up to the size that saturates the link. They take the part of its time
 * that was measured in an earlier run, but at least what the link takes. In a first run memory is
 * made ready for copies meanwhile, so its chunks tell nothing about later copies. */
double yk_underfilled(const struct yk_split_device *gpu, double measured, double items)
{
    const double copying = fmin(1, fmax(gpu->copying, gpu->copy_item_ns * gpu->rate));
    const double kernel = speedup_if_filled(measured, items, (double)gpu->fill);
    const double link = speedup_if_filled(measured, items, (double)gpu->link_fill);
    return 1 / (copying / link + (1 - copying) / kernel);
}

static void fade(struct yk_speed *speed)
{
    const double kept = 1 - YK_LATEST;
    speed->weight *= kept;
    speed->items *= kept;
    speed->ns *= kept;
    speed->items2 *= kept;
    speed->items_ns *= kept;
}

static void put(struct yk_speed *speed, double items, double ns)
{
    speed->weight += 1;
    speed->items += items;
    speed->ns += ns;
    speed->items2 += items * items;
    speed->items_ns += items * ns;
}

/* Fits slope and cost by least squares. Returns 0 if sizes do not differ enough, or the result is
 * impossible. A known overhead is an upper bound: the first chunk of a chain takes longer because
 * nothing overlaps it, but that is no overhead of every chunk. */
static int fit_line(struct yk_speed *speed)
{
    double mean = speed->items / speed->weight, slope, cost;
    double spread2 = speed->items2 / speed->weight - mean * mean;
    if (speed->ratio_only || speed->samples < 3 || spread2 < SPREAD * SPREAD * mean * mean)
        return 0;
    slope = (speed->items_ns / speed->weight - mean * speed->ns / speed->weight) / spread2;
    cost = speed->ns / speed->weight - slope * mean;
    if (!(slope > 0) || !(cost >= 0))
        return 0;
    if (speed->told_fixed_ns > 0 && cost > speed->told_fixed_ns) {
        cost = speed->told_fixed_ns;
        slope = (speed->ns - speed->weight * cost) / speed->items;
    }
    speed->item_ns = slope;
    speed->fixed_ns = cost;
    return 1;
}

static void fit(struct yk_speed *speed)
{
    double half;
    if (fit_line(speed))
        return;
    half = speed->ns / speed->weight / 2;
    speed->fixed_ns = speed->told_fixed_ns < half ? speed->told_fixed_ns : half;
    speed->item_ns = (speed->ns - speed->weight * speed->fixed_ns) / speed->items;
}

/* Overhead of a chunk, as known before the run; cores have none. */
static double told_fixed_ns(const struct yk_split_device *known)
{
    return known->fixed_ns > 0 && !known->host_memory ? known->fixed_ns : 0;
}

double yk_speed_item_ns(const struct yk_split_device *known, double items)
{
    const double busy_ns = items / known->rate;
    return (busy_ns - fmin(told_fixed_ns(known), busy_ns / 2)) / items;
}

void yk_speed_open(struct yk_speed *speed, const struct yk_split_device *known, double range_items)
{
    double items = known->share > 0 ? known->share * range_items : 0, item_ns;
    *speed = (struct yk_speed){ .ratio_only = known->host_memory };
    speed->told_fixed_ns = told_fixed_ns(known);
    speed->fixed_ns = speed->told_fixed_ns;
    if (!(known->rate > 0) || !isfinite(known->rate) || !(range_items > 0))
        return;
    item_ns = items > 0 ? yk_speed_item_ns(known, items) : 1 / known->rate;
    if (!(items > 0))
        items = range_items / 8;
    put(speed, items / 4, item_ns * items / 4 + speed->fixed_ns);
    speed->item_ns = item_ns;
}

void yk_speed_add(struct yk_speed *speed, double items, double ns)
{
    if (items <= 0)
        return;
    fade(speed);
    put(speed, items, fmax(1, ns));
    speed->samples++;
    fit(speed);
}
