/* auto.c - the default: no number from the user, close to the best split on the first call already.
 *
 * Each device owns a contiguous region, sized by its speed, in device order, so that a series of
 * jobs finds its rows where they are. Speeds come from earlier jobs of the same kernel and range;
 * where they do not, first chunks are the probe: as large as fills the device once, for less can
 * cost a GPU five times its worth. Until every device's speed is known nobody commits itself to
 * more than a fraction of the time that has passed, so a wrong guess costs little.
 *
 * Within its region a CPU takes leases of half of what is left, a piece for each core, down to
 * pieces of some 20 us: few big contiguous pieces, small ones only at the end. A GPU whose rows
 * have to be copied takes an eighth at a time, so that copies in both directions overlap kernels;
 * one whose rows are there takes half of what is left. Who is done takes over from the device that
 * would end last, so much that both end together; a device for which that is less than a chunk is
 * worth stays out. A device whose whole share would be less than a unit, or than half of what fills
 * it, does not take part in the job at all, and its entry in the result says so with the figures.
 */
#include <stdio.h>

#include "../base/alloc.h"
#include "regions.h"

#define MIN_PIECE_NS 20000.0 /* a CPU piece: a thousand times what cutting it costs */
#define FIXED_NS     15000.0 /* cost of a GPU chunk beside its items, where nothing is known */
#define FIXED_WORTH  50.0    /* a GPU chunk lasts that many times its fixed cost, if it can */
#define COMMIT       0.25    /* of the time passed, while some speed is unknown */
#define COPY_CHUNKS  8       /* chunks of a region whose rows are copied */
#define GUESS        4.0     /* a GPU core's speed in CPU cores, before anything is known */
#define SAME_SHARE   0.02    /* shares that differ by less are left as they were: rows stay */

struct device {
    double rate; /* items per ns, 0: unknown */
    double fixed_ns;
    int copies; /* chunks bring or send rows */
    int dropped;
    char why[120];
};

struct state {
    struct device *devices;
    double *weights;
    int64_t *bounds;
    int settled;     /* regions are from speeds of all that take part */
    int64_t started; /* first take; -1: none yet */
};

static int takes_part(const struct state *state, const struct yk_split_view *view, int d)
{
    return view->devices[d].active && !state->devices[d].dropped;
}

static double total_rate(const struct state *state, const struct yk_split_view *view, int without)
{
    double sum = 0;
    int d;
    for (d = 0; d < view->device_count; d++)
        if (d != without && takes_part(state, view, d))
            sum += state->devices[d].rate;
    return sum;
}

static int all_known(const struct state *state, const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++)
        if (takes_part(state, view, d) && (state->devices[d].rate <= 0 || !view->devices[d].joined))
            return 0;
    return 1;
}

/* Devices that cannot contribute one efficient chunk before the others are through. */
static void drop_idle(struct state *state, const struct yk_split_view *view)
{
    double items = (double)(view->last - view->first);
    int d;
    for (d = 0; d < view->device_count; d++) {
        struct device *device = &state->devices[d];
        const struct yk_split_device *known = &view->devices[d].known;
        double others = total_rate(state, view, d), share, least = (double)view->unit;
        if (!takes_part(state, view, d) || device->rate <= 0 || others <= 0)
            continue;
        share = items * device->rate / (others + device->rate);
        if (!known->host_memory && (double)known->fill / 2 > least)
            least = (double)known->fill / 2;
        if (share >= least && device->rate * items / others > device->fixed_ns * device->rate)
            continue;
        device->dropped = 1;
        snprintf(
            device->why, sizeof device->why,
            "does not pay: its share would be %.0f items, efficient are %.0f or more; the others "
            "need %.3g us",
            share, least, items / others * 1e-3);
    }
}

/* Weights from speeds; from the shares of the last job where these agree with the speeds, so that
 * no row moves for noise. */
static void weigh(struct state *state, const struct yk_split_view *view)
{
    double sum = total_rate(state, view, -1);
    int d, same = 1;
    for (d = 0; d < view->device_count; d++) {
        double share = view->devices[d].known.share, now;
        now = takes_part(state, view, d) && sum > 0 ? state->devices[d].rate / sum : 0;
        state->weights[d] = now;
        same &= share >= 0 && share - now < SAME_SHARE && now - share < SAME_SHARE;
    }
    for (d = 0; same && d < view->device_count; d++)
        state->weights[d] = view->devices[d].known.share;
}

static void guess(struct state *state, const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        state->weights[d] =
            takes_part(state, view, d) ? (known->host_memory ? (double)known->lanes : GUESS) : 0;
    }
}

static void divide(struct state *state, const struct yk_split_view *view)
{
    struct yk_span whole = { view->first, view->last };
    if (view->free->count) {
        whole.first = view->free->spans[0].first;
        whole.last = view->free->spans[view->free->count - 1].last;
    }
    yk_regions_cut(view, whole, state->weights, state->bounds);
}

static void settle(struct state *state, const struct yk_split_view *view)
{
    if (all_known(state, view)) {
        drop_idle(state, view);
        weigh(state, view);
        state->settled = 1;
    } else {
        guess(state, view);
        state->settled = 0;
    }
    divide(state, view);
}

static void auto_close(void *opaque)
{
    struct state *state = opaque;
    yk_free(state->bounds);
    yk_free(state->weights);
    yk_free(state->devices);
    yk_free(state);
}

static yoke_status auto_open(const struct yk_split_view *view, const void *settings, void **out)
{
    size_t count = (size_t)view->device_count;
    struct state *state = yk_calloc(1, sizeof *state);
    int d;
    (void)settings;
    if (!state)
        return YOKE_ENOMEM;
    state->devices = yk_calloc(count, sizeof *state->devices);
    state->weights = yk_calloc(count, sizeof *state->weights);
    state->bounds = yk_calloc(count + 1, sizeof *state->bounds);
    if (!state->devices || !state->weights || !state->bounds) {
        auto_close(state);
        return YOKE_ENOMEM;
    }
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        state->devices[d].rate = known->rate;
        state->devices[d].copies = !known->host_memory;
        state->devices[d].fixed_ns = known->fixed_ns > 0  ? known->fixed_ns
                                     : known->host_memory ? 0
                                                          : FIXED_NS;
    }
    state->started = -1;
    *out = state;
    return YOKE_OK;
}

/* --- how much --- */

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* A lease for all cores, in equal pieces not below what a piece is worth. */
static void lease(const struct yk_split_view *view, const struct device *device, int d,
                  int64_t items, struct yk_take *out)
{
    int lanes = view->devices[d].known.lanes;
    int64_t least = (int64_t)(device->rate / lanes * MIN_PIECE_NS);
    out->items = items;
    out->piece = ceil_div(items, lanes);
    if (out->piece < least)
        out->piece = least;
}

/* Nothing is known: pieces so small that they only tell the speed, or as large as fills the device.
 */
static int64_t probe(const struct state *state, const struct yk_split_view *view, int d)
{
    const struct yk_split_device *known = &view->devices[d].known;
    int64_t region = state->bounds[d + 1] - state->bounds[d];
    int64_t items = known->host_memory ? region / 64 : known->fill;
    if (items < region / 64)
        items = region / 64;
    if (!known->host_memory && items > region / 2)
        items = region / 2;
    return items < view->unit ? view->unit : items;
}

/* The most a device may take while others' speeds are unknown. */
static int64_t commitment(const struct state *state, int d, int64_t now)
{
    double time = COMMIT * (double)(now - state->started);
    return (int64_t)(state->devices[d].rate * (time > MIN_PIECE_NS ? time : MIN_PIECE_NS));
}

static int64_t worthwhile(const struct state *state, const struct yk_split_view *view, int d)
{
    const struct device *device = &state->devices[d];
    int64_t least = (int64_t)(device->rate * device->fixed_ns * FIXED_WORTH);
    return least < view->devices[d].known.fill ? view->devices[d].known.fill : least;
}

static void from_region(const struct state *state, const struct yk_split_view *view, int d,
                        int64_t mine, struct yk_take *out)
{
    const struct device *device = &state->devices[d];
    const struct yk_split_device *known = &view->devices[d].known;
    int64_t least, items;
    out->reason = "share";
    if (known->host_memory) {
        int64_t small = (int64_t)(device->rate * MIN_PIECE_NS) + 1;
        lease(view, device, d, mine <= 2 * small ? mine : mine / 2, out);
        return;
    }
    least = worthwhile(state, view, d);
    items = device->copies ? (state->bounds[d + 1] - state->bounds[d]) / COPY_CHUNKS : mine / 2;
    if (items < least)
        items = least;
    out->items = mine - items < least ? mine : items;
}

/* When a device will have done what is its own. */
static double finish(const struct state *state, const struct yk_split_view *view, int d,
                     int64_t unclaimed)
{
    const struct yk_split_status *status = &view->devices[d];
    double rate = state->devices[d].rate;
    if (rate <= 0 || !takes_part(state, view, d) || !status->joined)
        return 1e300; /* perhaps never */
    return ((double)unclaimed + (double)status->items_out / 2) / rate;
}

/* Part of the region that would be done last, from its end nearest to the taker. */
static void take_over(const struct state *state, const struct yk_split_view *view, int d,
                      struct yk_take *out)
{
    const struct device *device = &state->devices[d];
    int cpu = view->devices[d].known.host_memory, victim = -1, v;
    int64_t left = 0, least;
    double latest = 0, items;
    for (v = 0; v < view->device_count; v++) {
        struct yk_span region = { state->bounds[v], state->bounds[v + 1] };
        int64_t unclaimed = v == d ? 0 : yk_free_count(view->free, region);
        double end = unclaimed ? finish(state, view, v, unclaimed) : 0;
        if (unclaimed && end > latest) {
            latest = end;
            victim = v;
            left = unclaimed;
        }
    }
    if (victim < 0) { /* between regions: nobody's */
        out->items = view->free_items;
        return;
    }
    items = latest >= 1e300 ? (double)left
                            : (latest - device->fixed_ns) /
                                  (1 / state->devices[victim].rate + 1 / device->rate);
    least = cpu ? view->unit : worthwhile(state, view, d) / 4;
    if (least < view->unit)
        least = view->unit;
    *out = (struct yk_take){ .items = items > (double)left ? left : (int64_t)items,
                             .first = state->bounds[victim],
                             .last = state->bounds[victim + 1],
                             .from_high = d > victim,
                             .reason = "taken over" };
    if (out->items < least)
        out->items = 0;
    else if (cpu)
        lease(view, device, d, out->items, out);
}

static int anything_out(const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++)
        if (view->devices[d].chunks_out)
            return 1;
    return 0;
}

static void take_unknown(const struct state *state, const struct yk_split_view *view, int d,
                         struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[d];
    double others = total_rate(state, view, d);
    if (!status->known.host_memory && status->chunks_out)
        return; /* one probe tells enough */
    if (!status->known.host_memory && others > 0 &&
        (double)view->free_items / others < 2 * state->devices[d].fixed_ns && anything_out(view))
        return; /* it is over before the probe would tell */
    *out = (struct yk_take){ .items = probe(state, view, d),
                             .first = state->bounds[d],
                             .last = state->bounds[d + 1],
                             .reason = "probe" };
    if (status->known.host_memory)
        out->piece = ceil_div(out->items, status->known.lanes);
}

static void take_known(const struct state *state, const struct yk_split_view *view, int d,
                       int64_t now, struct yk_take *out)
{
    struct yk_span region = { state->bounds[d], state->bounds[d + 1] };
    int64_t mine = yk_free_count(view->free, region), most;
    if (mine) {
        from_region(state, view, d, mine, out);
        out->first = region.first;
        out->last = region.last;
    } else {
        take_over(state, view, d, out);
    }
    if (state->settled || !out->items)
        return;
    most = commitment(state, d, now);
    if (!view->devices[d].known.host_memory && most < view->devices[d].known.fill)
        most = view->devices[d].known.fill;
    if (out->items > most)
        out->items = most > view->unit ? most : view->unit;
    if (view->devices[d].known.host_memory)
        lease(view, &state->devices[d], d, out->items, out);
}

static void auto_take(void *opaque, const struct yk_split_view *view, int device, int lane,
                      int64_t now, struct yk_take *out)
{
    struct state *state = opaque;
    (void)lane;
    out->items = 0;
    if (state->started < 0) {
        state->started = now;
        settle(state, view);
    }
    if (!takes_part(state, view, device))
        return;
    if (!state->settled && all_known(state, view))
        settle(state, view);
    if (!takes_part(state, view, device))
        return;
    if (state->devices[device].rate <= 0)
        take_unknown(state, view, device, out);
    else
        take_known(state, view, device, now, out);
    /* Somebody has to go on: without a chunk out no event would ever wake those who wait. */
    if (out->items <= 0 && !anything_out(view))
        *out = (struct yk_take){ .items = view->free_items, .reason = "nobody else" };
}

static void auto_observe(void *opaque, const struct yk_split_view *view, int device, int64_t items,
                         const struct yk_chunk_times *times)
{
    struct state *state = opaque;
    struct device *me = &state->devices[device];
    const struct yk_split_status *status = &view->devices[device];
    int64_t region = state->bounds[device + 1] - state->bounds[device];
    (void)items;
    me->copies = times->copied_bytes > 0;
    /* One small chunk says less than an earlier job. */
    if (status->known.rate <= 0 || status->items_done > region / 8)
        me->rate = status->rate;
}

static void auto_changed(void *opaque, const struct yk_split_view *view, int device)
{
    struct state *state = opaque;
    int d, any = 0;
    (void)device;
    for (d = 0; d < view->device_count; d++)
        any |= takes_part(state, view, d);
    for (d = 0; !any && d < view->device_count; d++)
        state->devices[d].dropped = 0;
    if (state->started >= 0)
        settle(state, view);
}

static void auto_explain(const void *opaque, const struct yk_split_view *view, int d, char *text,
                         size_t size)
{
    const struct state *state = opaque;
    const struct device *device = &state->devices[d];
    double sum = total_rate(state, view, -1);
    if (device->dropped)
        snprintf(text, size, "%s", device->why);
    else if (device->rate > 0 && sum > 0)
        snprintf(text, size, "%.3g items/s, %.1f %% of all devices together%s", device->rate * 1e9,
                 100 * device->rate / sum,
                 view->devices[d].items_done ? "" : "; the others were done before it could start");
    else
        snprintf(text, size, "the others were done before its speed was known");
}

const struct yk_partitioner yk_partitioner_auto = {
    .name = "auto",
    .summary = "by the speed of each device, known or probed",
    .open = auto_open,
    .close = auto_close,
    .take = auto_take,
    .observe = auto_observe,
    .changed = auto_changed,
    .explain = auto_explain,
};
