/* auto_probe.c - see auto.h: the first chunks, which are part of the work, of devices whose speed
 * nobody knows yet.
 */
#include <math.h>

#include "auto.h"

/* A GPU's first chunk waits this long for the cores' first result, to know what it is up against.
 */
#define PROBE_WAIT_NS 50000
/* A GPU that is the only one and has so much of the theoretical peak of all begins with a chunk of
 * half of what is free: on an H200 beside 16 cores one of an eighth took a quarter of n-body's
 * time, and the rest could only follow. Where these items are the dear ones it does no more work
 * than it should do anyway; of several GPUs one would. Who is promised 98 % and turns out as slow
 * as all others together loses nothing by it. */
#define PROMISING     0.9
#define PROMISED_PART 0.5
/* Copies from memory that is not pinned yet, as a first job's is not, take so many times as long.
 */
#define UNPINNED 5.0
/* Nor may its copies take longer than this part of what others would need for all. */
#define PROMISED_COPIES (0.5 / UNPINNED)
/* It is trusted as long as it may be so many times slower than that, or for as long as what the
 * others would do instead lasts; unless that is less than this part of what it would need. */
#define TRUST     4.0
#define LONG_PART 0.5
/* Until its thread is awake: this part of what the cores' least takes, but no less than waking. */
#define LATE_PART 0.05

/* Until the first result is in: a 64th of the range and twice as much each time where cores are
 * alone. Where others, who may be a thousand times faster, would have to wait for it, the
 * least for each lane, and as long as that is not done no more than that again. */
static void probe_cores(struct yk_auto *state, const struct yk_split_view *view, int device,
                        int64_t now, struct yk_take *out)
{
    struct yk_auto_device *mine = &state->devices[device];
    int64_t range = view->last - view->first, lanes = view->devices[device].known.lanes;
    int64_t most = range / (view->device_count > 1 ? 16 : 4), items;
    int64_t fill = yk_lane_items(view, device);
    items = yk_at_least(yk_at_most(lanes * fill, most), fill);
    if (view->device_count == 1)
        items = yk_at_least(yk_at_least(items, range / 64), mine->probed);
    else if (mine->probed > 0 && (double)(now - state->began) > state->end_ns)
        return; /* another one would last at least as long as the first one has by now */
    if (mine->probed > 0 && mine->probed + items > most)
        return;
    mine->probed += items;
    yk_auto_lease(view, device, items, fill, out);
    out->reason = "probe";
}

static int cores_unknown(const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        if (status->known.host_memory && status->joined && status->active && status->item_ns <= 0)
            return 1;
    }
    return 0;
}

/* The part of all devices' peak that is this one's, the only GPU; 0: it is none, there are more, or
 * the peak of one is not known. */
static double peak_part(const struct yk_split_view *view, int device)
{
    double all = 0;
    int d;
    if (view->devices[device].known.host_memory)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (!view->devices[d].active)
            continue;
        if (!(known->peak > 0) || isinf(known->peak) || (d != device && !known->host_memory))
            return 0;
        all += known->peak;
    }
    return view->devices[device].known.peak / all;
}

/* Items of a GPU's first chunk by what its peak promises; 0: nothing. */
static int64_t promised(struct yk_auto *state, const struct yk_split_view *view, int device)
{
    const struct yk_split_device *known = &view->devices[device].known;
    double items = PROMISED_PART * (double)view->free_items, copied;
    if (view->device_count < 2 || peak_part(view, device) < PROMISING)
        return 0;
    copied = PROMISED_COPIES * yk_auto_without(state, view, device);
    if (known->copy_item_ns * items > copied)
        items = copied / known->copy_item_ns;
    return (int64_t)items;
}

/* Until when cores, the least of which takes least_ns, leave what is left to the GPU; 0: not. */
static int64_t trusted_until(const struct yk_auto *state, const struct yk_split_view *view, int gpu,
                             double least_ns, double core_item_ns)
{
    const struct yk_split_status *status = &view->devices[gpu];
    int64_t since = status->items_out > 0 ? state->devices[gpu].mark : state->began;
    double part, item_ns;
    if (status->item_ns > 0 || !status->active)
        return 0;
    if (status->items_out == 0 && status->fixed_ns * 2 > state->end_ns)
        return 0; /* it will not begin */
    part = peak_part(view, gpu);
    if (part < PROMISING)
        return 0;
    item_ns = fmax(core_item_ns * (1 - part) / part, UNPINNED * status->known.copy_item_ns);
    if (least_ns < LONG_PART * item_ns * (double)view->free_items)
        return 0;
    if (!status->joined)
        return since + (int64_t)fmax(LATE_PART * least_ns, YK_EXPECT_NS);
    return since + (int64_t)fmax(least_ns, TRUST * item_ns * (double)status->items_out);
}

/* Cores are the first to know their speed. Where the least they can do at once lasts long beside
 * what a promising GPU would need for all that is left, they would end long after it: they leave it
 * until it has shown that it does not keep its promise. In n-body on an H200 beside 16 cores
 * (131,072 bodies) a second piece for each core, given while the GPU's results were on their way
 * home, made 32 ms of 16. Where one round of pieces is all of the job, who comes a moment later
 * would find nothing, in each job anew: products of 666 rows took 11 ms on those cores, and 1.8 on
 * the GPU, which had been dropped for its first chunk, in which it had loaded a library. */
int yk_auto_trusts(const struct yk_auto *state, const struct yk_split_view *view, int device,
                   int64_t now, struct yk_take *out)
{
    const struct yk_split_status *mine = &view->devices[device];
    double least_ns = mine->item_ns * (double)yk_lane_items(view, device) * mine->known.lanes;
    int d;
    if (!mine->known.host_memory)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        int64_t until = trusted_until(state, view, d, least_ns, mine->item_ns);
        if (now >= until)
            continue;
        out->wake_ns = until;
        return 1;
    }
    return 0;
}

static void probe_gpu(struct yk_auto *state, const struct yk_split_view *view, int device,
                      int64_t now, struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    int64_t most = (view->last - view->first) / (4 * (int64_t)view->device_count);
    /* All of the work is its own, in chunks that memory keeps short: no lane need wait. */
    int streams_alone = view->device_count == 1 && status->known.limit > 0;
    double others_ns;
    if (status->items_out > 0 && !streams_alone)
        return;
    if (cores_unknown(view) && now < state->began + PROBE_WAIT_NS) {
        out->wake_ns = state->began + PROBE_WAIT_NS;
        return;
    }
    others_ns = yk_auto_without(state, view, device);
    if (status->fixed_ns * 2 > others_ns) {
        state->devices[device].needed_ns = status->fixed_ns;
        state->devices[device].others_ns = others_ns;
        return;
    }
    out->items = yk_at_least(yk_at_most(status->known.fill, most), view->unit);
    out->items = yk_at_least(out->items, promised(state, view, device));
    out->reason = "probe";
}

void yk_auto_probe(struct yk_auto *state, const struct yk_split_view *view, int device, int64_t now,
                   struct yk_take *out)
{
    if (view->devices[device].known.host_memory)
        probe_cores(state, view, device, now, out);
    else
        probe_gpu(state, view, device, now, out);
}
