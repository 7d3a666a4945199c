/* auto_probe.c - see auto.h: the first chunks of devices whose speed is unknown. They are part of
 * the work. */
#include <math.h>

#include "../model/cost.h"
#include "auto.h"

/* Cores probe at most 1 / PROBE_PART of the range, and a GPU that of an equal share of it. The
 * first lease of cores that are alone has 1 / PROBE_PART of what they may probe. */
enum { PROBE_PART = 4 };
/* If there is only one GPU and it has the part PROMISING of the theoretical peak of all devices, it
 * begins with a chunk of half of the free items: on an H200 beside 16 cores a chunk of an eighth
 * took a quarter of n-body's time, and the rest could only follow. If these items are the expensive
 * ones it does no more work than it should do anyway; with several GPUs, one would do more. If it
 * promised 98 % and turns out as slow as all others together, nothing is lost. */
#define PROMISING 0.9
/* Copies from memory that is not pinned yet, as in a first job, take UNPINNED times as long. */
#define UNPINNED 5.0

/* The first lease of cores that are alone. Of a job that lasts seconds it must not last long, if
 * another device may join meanwhile. */
static int64_t first_lease(const struct yk_split_view *view)
{
    const int64_t items = (view->last - view->first) / (PROBE_PART * PROBE_PART);
    return view->awaits_ns > 0 ? items / (PROBE_PART * PROBE_PART) : items;
}

/* What cores get until their first result is known. Cores alone get a part of the range, then twice
 * as much each time. Other devices may be a thousand times faster and would have to wait; beside
 * them each lane gets its least part, and the same again as long as no part is done. */
static void probe_cores(struct yk_auto *state, const struct yk_request *request,
                        struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const int device = request->device;
    struct yk_auto_device *mine = &state->devices[device];
    int64_t range = view->last - view->first, lanes = view->devices[device].known.lanes;
    int64_t most = range / PROBE_PART, items;
    int64_t fill = yk_lane_items(view, device);
    items = yk_at_least(yk_at_most(lanes * fill, most), fill);
    if (view->device_count == 1)
        items = yk_at_least(yk_at_least(items, first_lease(view)), mine->probed);
    else if (mine->probed > 0 && (double)(request->now - state->began) > state->end_ns)
        return; /* another one would last at least as long as the first one has lasted so far */
    if (mine->probed > 0 && mine->probed + items > most)
        return;
    mine->probed += items;
    out->items = items;
    yk_auto_lease(view, device, fill, out);
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

/* This device's part of the peak of all devices, if it is the only GPU; 0: it is a CPU, there are
 * more GPUs, or a peak is unknown. */
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
        if (!yk_peak_is_known(known->peak) || (d != device && !known->host_memory))
            return 0;
        all += known->peak;
    }
    return view->devices[device].known.peak / all;
}

/* Items of a GPU's first chunk according to its peak; 0: no promise. */
static int64_t promised(struct yk_auto *state, int device)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_device *known = &view->devices[device].known;
    double items = (double)view->free_items / YK_HELD_PART, copied;
    if (view->device_count < 2 || peak_part(view, device) < PROMISING)
        return 0;
    /* Its copies must take at most that part of the time that the others need for all items. */
    copied = yk_auto_without(state, device) / UNPINNED / YK_HELD_PART;
    if (known->copy_item_ns * items > copied)
        items = copied / known->copy_item_ns;
    return (int64_t)items;
}

/* The time until which cores, whose smallest part takes least_ns, leave what is left to the GPU; 0:
 * they do not. */
static int64_t trusted_until(const struct yk_auto *state, int gpu, double least_ns,
                             double core_item_ns)
{
    const struct yk_split_view *view = state->view;
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
    if (least_ns < item_ns * (double)view->free_items)
        return 0;
    if (!status->joined && !view->crowded)
        return since + YK_WAKE_NS;
    return since + (int64_t)least_ns; /* beside other jobs, its thread may be busy with these */
}

/* Cores are the first to know their speed. If their smallest part takes longer than a promising GPU
 * would need for all remaining items, they would end after it. So they leave the rest to the GPU,
 * until the GPU turns out to be slower than promised. In n-body on an H200 beside 16 cores (131,072
 * bodies) a second piece for each core, given while the GPU's results were being copied home,
 * turned 16 ms into 32. If one round of pieces is the whole job, a device that joins a moment later
 * would find nothing, in every job: products of 666 rows took 11 ms on those cores, and 1.8 on the
 * GPU, which had been dropped because it had loaded a library during its first chunk. */
int yk_auto_trusts(const struct yk_auto *state, const struct yk_request *request,
                   struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const int device = request->device;
    const struct yk_split_status *mine = &view->devices[device];
    double least_ns = mine->item_ns * (double)yk_lane_items(view, device) * mine->known.lanes;
    int d;
    if (!mine->known.host_memory)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        int64_t until = trusted_until(state, d, least_ns, mine->item_ns);
        if (request->now >= until)
            continue;
        out->wake_ns = until;
        return 1;
    }
    return 0;
}

static void probe_gpu(struct yk_auto *state, const struct yk_request *request, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const int device = request->device;
    const struct yk_split_status *status = &view->devices[device];
    int64_t most = (view->last - view->first) / (PROBE_PART * (int64_t)view->device_count);
    /* The GPU works alone, in chunks that its memory keeps short, so no lane need wait. */
    int streams_alone = view->device_count == 1 && status->known.limit > 0;
    double others_ns;
    if (status->items_out > 0 && !streams_alone)
        return;
    /* It waits for the cores' first result, to know their speed. */
    if (cores_unknown(view) && request->now < state->began + YK_WAKE_NS) {
        out->wake_ns = state->began + YK_WAKE_NS;
        return;
    }
    others_ns = yk_auto_without(state, device);
    if (status->fixed_ns * 2 > others_ns) {
        state->devices[device].needed_ns = status->fixed_ns;
        state->devices[device].others_ns = others_ns;
        return;
    }
    out->items = yk_at_least(yk_at_most(status->known.fill, most), view->unit);
    out->items = yk_at_least(out->items, promised(state, device));
    out->reason = "probe";
}

void yk_auto_probe(struct yk_auto *state, const struct yk_request *request, struct yk_take *out)
{
    if (state->view->devices[request->device].known.host_memory)
        probe_cores(state, request, out);
    else
        probe_gpu(state, request, out);
}
