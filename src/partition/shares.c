/* shares.c - see shares.h. */
#include "shares.h"

#include <stdio.h>

#include "../base/alloc.h"

struct share {
    struct yk_range region;
    double weight;    /* fraction of the range */
    int64_t chunk;    /* items a lane gets at once */
    double low, high; /* where its part of a lost region begins and ends, 0 .. 1 */
};

struct yk_shares {
    int gone; /* devices with a region that nobody of their own will work on */
    struct share items[];
};

static int64_t bound_at(const struct yk_split_view *view, struct yk_range range, double fraction)
{
    double items = (double)(range.last - range.first) * fraction;
    if (fraction >= 1 || items >= (double)(range.last - range.first))
        return range.last;
    /* to the nearest allowed bound */
    return yk_bound_below(view, range.first + (int64_t)(items + (double)view->unit / 2));
}

static struct yk_range part(const struct yk_split_view *view, struct yk_range range, double low,
                            double high)
{
    struct yk_range found = { bound_at(view, range, low), bound_at(view, range, high) };
    if (low <= 0)
        found.first = range.first;
    return found;
}

static int64_t chunk_items(const struct yk_split_view *view, int device, int64_t items,
                           int64_t chunks)
{
    const struct yk_split_device *known = &view->devices[device].known;
    if (known->host_memory)
        return items;
    if (chunks == 0)
        chunks = known->lanes;
    items = items / chunks + (items % chunks > 0);
    /* whole units, and not a small one more than asked for */
    return items > INT64_MAX - view->unit ? items
                                          : (items + view->unit - 1) / view->unit * view->unit;
}

yoke_status yk_shares_open(const struct yk_split_view *view, const double *weights, int64_t chunks,
                           void **out)
{
    const struct yk_range whole = { view->first, view->last };
    struct yk_shares *shares =
        yk_calloc(1, sizeof *shares + (size_t)view->device_count * sizeof *shares->items);
    double total = 0, before = 0;
    int d;
    if (!shares)
        return YOKE_ENOMEM;
    for (d = 0; d < view->device_count; d++)
        total += weights[d];
    for (d = 0; d < view->device_count; d++) {
        struct share *share = &shares->items[d];
        share->weight = weights[d] / total;
        share->region = part(view, whole, before / total, (before + weights[d]) / total);
        before += weights[d];
        share->chunk = chunk_items(view, d, share->region.last - share->region.first, chunks);
    }
    *out = shares;
    return YOKE_OK;
}

void yk_shares_close(void *shares)
{
    yk_free(shares);
}

void yk_shares_changed(void *state, const struct yk_split_view *view, int device)
{
    struct yk_shares *shares = state;
    double total = 0, before = 0;
    int d, remaining = 0;
    (void)device;
    shares->gone = 0;
    for (d = 0; d < view->device_count; d++) {
        shares->gone += !view->devices[d].active;
        if (view->devices[d].active) {
            total += shares->items[d].weight;
            remaining++;
        }
    }
    for (d = 0; d < view->device_count; d++) {
        struct share *share = &shares->items[d];
        share->low = share->high = 0;
        if (!view->devices[d].active)
            continue;
        /* Where all that remain had no share, they have equal ones of what is lost. */
        share->low = total > 0 ? before / total : before / remaining;
        before += total > 0 ? share->weight : 1;
        share->high = total > 0 ? before / total : before / remaining;
    }
}

static int offer(const struct yk_split_view *view, struct yk_range window, int device,
                 struct yk_take *out)
{
    out->items = yk_ranges_items(view->free, window);
    out->first = window.first;
    out->last = window.last;
    if (view->devices[device].known.host_memory) {
        out->piece = (out->items - 1) / (view->devices[device].known.lanes * YK_LANE_PIECES) + 1;
        out->parts = YK_LANE_PARTS;
    }
    return out->items > 0;
}

void yk_shares_take(void *state, const struct yk_split_view *view, int device, int lane,
                    int64_t now, struct yk_take *out)
{
    const struct yk_shares *shares = state;
    const struct share *share = &shares->items[device];
    int d;
    (void)lane;
    (void)now;
    out->reason = "share";
    if (offer(view, share->region, device, out)) {
        if (out->items > share->chunk)
            out->items = share->chunk;
        return;
    }
    out->reason = "share of a lost device";
    for (d = 0; shares->gone > 0 && d < view->device_count; d++)
        if (!view->devices[d].active &&
            offer(view, part(view, shares->items[d].region, share->low, share->high), device, out))
            return;
}

void yk_shares_explain(const void *state, const struct yk_split_view *view, int device, char *text,
                       size_t size)
{
    const struct yk_shares *shares = state;
    const struct yk_split_status *status = &view->devices[device];
    double all = (double)(view->last - view->first);
    int before =
        snprintf(text, size, "its fixed share is %.1f %%", 100 * shares->items[device].weight);
    if (all > 0 && shares->gone > 0 && (size_t)before < size)
        snprintf(text + before, size - (size_t)before,
                 "; with parts of the shares of lost devices it did %.1f %%",
                 100 * (double)status->items_done / all);
}
