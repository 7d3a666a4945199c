/* shares.c - see shares.h: one fixed region for each device. */
#include "shares.h"

#include <math.h>
#include <stdio.h>

#include "../base/alloc.h"

/* A region whose copies overlap with kernels has at most this many chunks. */
enum { CHUNKS_MOST = 8 };

struct share {
    struct yk_interval region;
    double weight;    /* fraction of the range */
    int64_t chunk;    /* items a lane gets at once */
    double low, high; /* begin and end of its part of each lost region, 0 .. 1 */
};

struct yk_shares {
    const struct yk_split_view *view;
    int gone; /* number of devices that left or failed */
    struct share items[];
};

static int64_t bound_at(const struct yk_split_view *view, struct yk_interval range, double fraction)
{
    double items = (double)(range.last - range.first) * fraction;
    if (fraction >= 1 || items >= (double)(range.last - range.first))
        return range.last;
    return yk_bound_nearest(view, range.first, items);
}

static struct yk_interval part(const struct yk_split_view *view, struct yk_interval range,
                               double low, double high)
{
    struct yk_interval found = { bound_at(view, range, low), bound_at(view, range, high) };
    if (low <= 0)
        found.first = range.first;
    return found;
}

static int64_t chunk_items(const struct yk_split_view *view, int device, int64_t items,
                           int64_t chunks)
{
    const struct yk_split_device *known = &view->devices[device].known;
    if (chunks == 0)
        chunks = known->host_memory ? 1 : known->lanes;
    items = items / chunks + (items % chunks > 0);
    /* whole units, without a small extra chunk */
    return items > INT64_MAX - view->unit ? items
                                          : (items + view->unit - 1) / view->unit * view->unit;
}

/* Input for laying out regions. */
struct layout {
    const double *weights;
    double total, before; /* sum of all weights, and of those laid out so far */
};

/* Lays out the regions of CPU devices (hosts 1), of the others (0), or of all (-1). */
static void lay_out(struct yk_shares *shares, int hosts, struct layout *layout)
{
    const struct yk_split_view *view = shares->view;
    const struct yk_interval whole = { view->first, view->last };
    int d;
    for (d = 0; d < view->device_count; d++) {
        double after = layout->before + layout->weights[d];
        if (hosts >= 0 && view->devices[d].known.host_memory != hosts)
            continue;
        shares->items[d].region =
            part(view, whole, layout->before / layout->total, after / layout->total);
        layout->before = after;
    }
}

static void cut_up(struct yk_shares *shares, const struct yk_shares_spec *spec)
{
    const struct yk_split_view *view = shares->view;
    int d;
    for (d = 0; d < view->device_count; d++) {
        struct share *share = &shares->items[d];
        int hosts = view->devices[d].known.host_memory;
        share->chunk = chunk_items(view, d, share->region.last - share->region.first,
                                   hosts ? spec->host_chunks : spec->chunks);
    }
}

yoke_status yk_shares_open(const struct yk_split_view *view, const struct yk_shares_spec *spec,
                           void **out)
{
    struct layout layout = { .weights = spec->weights };
    struct yk_shares *shares =
        yk_calloc(1, sizeof *shares + (size_t)view->device_count * sizeof *shares->items);
    int d;
    if (!shares)
        return YOKE_ENOMEM;
    shares->view = view;
    for (d = 0; d < view->device_count; d++)
        layout.total += spec->weights[d];
    for (d = 0; d < view->device_count; d++)
        shares->items[d].weight = spec->weights[d] / layout.total;
    lay_out(shares, spec->hosts_first ? 1 : -1, &layout);
    if (spec->hosts_first)
        lay_out(shares, 0, &layout);
    cut_up(shares, spec);
    *out = shares;
    return YOKE_OK;
}

/* The first and the last copy overlap with nothing, so chunks should be small; but each has
 * overhead. The best number is sqrt(time of all copies / overhead of a chunk), as in auto_chunk.c,
 * but no chunk may be too small for the link. */
void yk_shares_overlap(void *state, int device)
{
    struct yk_shares *shares = state;
    struct share *share = &shares->items[device];
    const struct yk_split_device *known = &shares->view->devices[device].known;
    const double items = (double)(share->region.last - share->region.first);
    double chunks = known->lanes;
    if (known->host_memory || !(known->copy_item_ns > 0))
        return;
    if (known->fixed_ns > 0)
        chunks = fmin(CHUNKS_MOST, sqrt(known->copy_item_ns * items / known->fixed_ns));
    chunks = fmin(chunks, items / (double)known->fill);
    share->chunk =
        chunk_items(shares->view, device, (int64_t)items, chunks > 1 ? (int64_t)chunks : 1);
}

uint32_t yk_shares_asked(const void *state)
{
    const struct yk_shares *shares = state;
    uint32_t asked = 0;
    int d;
    for (d = 0; d < shares->view->device_count && d < 32; d++)
        if (shares->items[d].region.last > shares->items[d].region.first)
            asked |= (uint32_t)1 << d;
    return asked;
}

void yk_shares_close(void *shares)
{
    yk_free(shares);
}

void yk_shares_changed(void *state, int device)
{
    struct yk_shares *shares = state;
    const struct yk_split_view *view = shares->view;
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
        /* If no remaining device had a share, all get equal parts of what is lost. */
        share->low = total > 0 ? before / total : before / remaining;
        before += total > 0 ? share->weight : 1;
        share->high = total > 0 ? before / total : before / remaining;
    }
}

/* Offers at most from->chunk (0: all) of the region's free items. Returns 0 if none is free. */
static int offer(const struct yk_split_view *view, const struct share *from, int device,
                 struct yk_take *out)
{
    const struct yk_split_device *known = &view->devices[device].known;
    out->items = yk_ranges_items(view->free, from->region);
    if (from->chunk > 0 && out->items > from->chunk)
        out->items = from->chunk;
    out->first = from->region.first;
    out->last = from->region.last;
    if (known->host_memory) {
        out->piece = (out->items - 1) / (known->lanes * YK_LANE_PIECES) + 1;
        out->parts = YK_LANE_PARTS;
    }
    return out->items > 0;
}

void yk_shares_take(void *state, const struct yk_request *request, struct yk_take *out)
{
    const struct yk_shares *shares = state;
    const struct yk_split_view *view = shares->view;
    const int device = request->device;
    const struct share *share = &shares->items[device];
    int d;
    out->reason = "share";
    if (offer(view, share, device, out))
        return;
    out->reason = "share of a lost device";
    for (d = 0; shares->gone > 0 && d < view->device_count; d++) {
        const struct share mine = { .region = part(view, shares->items[d].region, share->low,
                                                   share->high) };
        if (!view->devices[d].active && offer(view, &mine, device, out))
            return;
    }
}

int yk_shares_served(const void *state, int device)
{
    const struct yk_shares *shares = state;
    return yk_ranges_items(shares->view->free, shares->items[device].region) == 0;
}

/* The device of the same kind with the most free items in its region; -1: none has any. */
static int latest_of_kind(const struct yk_shares *shares, int device)
{
    const struct yk_split_view *view = shares->view;
    int64_t most = 0;
    int d, found = -1;
    for (d = 0; d < view->device_count; d++) {
        int64_t items = yk_ranges_items(view->free, shares->items[d].region);
        if (view->devices[d].known.host_memory != view->devices[device].known.host_memory ||
            items <= most)
            continue;
        most = items;
        found = d;
    }
    return found;
}

void yk_shares_take_over(const void *state, int device, struct yk_take *out)
{
    const struct yk_shares *shares = state;
    int late = latest_of_kind(shares, device);
    if (late < 0)
        return;
    offer(shares->view, &shares->items[late], device, out);
    out->from_high = 1;
    out->reason = "taken over";
}

double yk_shares_weight(const void *state, int device)
{
    return ((const struct yk_shares *)state)->items[device].weight;
}

const struct yk_adjust *yk_shares_adjust(const void *state)
{
    return &((const struct yk_shares *)state)->view->adjust;
}

void yk_shares_explain(const void *state, int device, char *text, size_t size)
{
    const struct yk_shares *shares = state;
    const struct yk_split_view *view = shares->view;
    const struct yk_split_status *status = &view->devices[device];
    double all = (double)(view->last - view->first);
    int before =
        snprintf(text, size, "its fixed share is %.1f %%", 100 * shares->items[device].weight);
    if (all > 0 && shares->gone > 0 && (size_t)before < size)
        snprintf(text + before, size - (size_t)before,
                 "; with parts of the shares of lost devices it did %.1f %%",
                 100 * (double)status->items_done / all);
}
