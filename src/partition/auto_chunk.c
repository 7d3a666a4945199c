/* auto_chunk.c - see auto.h: how large a chunk is. */
#include <math.h>

#include "auto.h"

/* A piece lasts this long at least, once the speed is known: longer than waking a thread takes. */
#define PIECE_NS 20000.0
/* A chunk's own cost is at most 1 / this much of its time, if the quota allows. */
#define COST_SHARE            50.0
#define COST_SHARE_OVERLAPPED 20.0
/* Copies that take less than this part of an item's time do not decide a chunk's size. */
#define COPIES_COUNT 0.1
/* Chunks under way are at most 1 / this of what is left. */
enum { HELD_PART = 4 };
/* A GPU's first chunk waits this long for the cores' first result, to know what it is up against.
 */
#define PROBE_WAIT_NS 50000

static int64_t to_items(double items, int64_t most)
{
    return items < (double)most ? (int64_t)items : most;
}

static int64_t at_least(int64_t items, int64_t least)
{
    return items > least ? items : least;
}

static int64_t at_most(int64_t items, int64_t most)
{
    return items < most ? items : most;
}

/* `items` of a CPU device, cut so that every lane gets one piece. */
static void lease(const struct yk_split_view *view, int device, int64_t items, int64_t least_piece,
                  struct yk_take *out)
{
    int64_t lanes = view->devices[device].known.lanes;
    out->items = items;
    out->piece = at_least((items - 1) / lanes + 1, least_piece);
}

static int64_t least_piece(const struct yk_split_view *view, int device)
{
    const struct yk_split_status *status = &view->devices[device];
    double lane_item_ns = status->item_ns * status->known.lanes;
    return at_least(to_items(PIECE_NS / lane_item_ns, view->last - view->first), view->unit);
}

/* Until the first result is in: twice as much each time where cores are alone, the same again where
 * others, who may be far faster, would have to wait for it. */
static void probe_cores(struct yk_auto *state, const struct yk_split_view *view, int device,
                        int64_t now, struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    struct yk_auto_device *mine = &state->devices[device];
    int64_t range = view->last - view->first, lanes = status->known.lanes, share = 64, most = 4;
    int64_t items;
    if (state->devices_here > 1) {
        share = 256;
        most = 16;
    }
    /* A unit for each lane, but not so much that nothing is left for faster devices. */
    items = at_least(range / share, at_most(lanes, range / view->unit / most) * view->unit);
    items = at_least(items, view->unit);
    if (state->devices_here == 1)
        items = at_least(items, mine->probed);
    else if (mine->probed > 0 && (double)(now - state->began) > state->end_ns)
        return; /* another one would last at least as long as the first one has by now */
    if (mine->probed > 0 && mine->probed + items > range / most)
        return;
    mine->probed += items;
    lease(view, device, items, view->unit, out);
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

static void probe_gpu(struct yk_auto *state, const struct yk_split_view *view, int device,
                      int64_t now, struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    int64_t most = (view->last - view->first) / (4 * (int64_t)state->devices_here);
    if (status->items_out > 0)
        return;
    if (cores_unknown(view) && now < state->began + PROBE_WAIT_NS) {
        out->wake_ns = state->began + PROBE_WAIT_NS;
        return;
    }
    if (status->fixed_ns * 2 > state->end_ns) {
        state->devices[device].needed_ns = status->fixed_ns;
        state->devices[device].others_ns = state->end_ns;
        return;
    }
    out->items = at_least(at_most(status->known.fill, most), view->unit);
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

/* Half of the budget, and half of the rest, ...: large contiguous pieces first, small ones at the
 * end. While others' speeds are open, only as much as can be afforded to be wrong about. */
static void chunk_for_cores(struct yk_auto *state, const struct yk_split_view *view, int device,
                            int64_t budget, struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    int64_t piece = least_piece(view, device), lanes = status->known.lanes, items, least;
    least = piece > budget / lanes ? budget : piece * lanes;
    items = budget / (state->devices_here > 1 ? 4 : 2);
    if (state->unknown > 0)
        items = at_most(items, view->free_items / 256);
    else if (state->unsettled > 0)
        items = at_most(items, to_items(state->end_ns / 8 / status->item_ns, budget));
    items = at_least(items, least);
    if (budget - items < least / 2 && state->unknown == 0)
        items = budget;
    lease(view, device, items, piece, out);
    out->reason = items == budget ? "tail" : "share";
}

/* Whole fills, where the chunk is more than one. */
static int64_t whole_fills(int64_t items, int64_t fill)
{
    return items > fill ? items - items % fill : items;
}

/* The size that ends a chain of chunks soonest. Of the stages copy in, kernel, copy out, the
 * slowest runs all the time; the others of one chunk stand alone at the chain's ends; and each
 * chunk has its cost: N items in chunks of c take N * slowest + c * rest + N / c * cost, least for
 * c = sqrt(N * cost / rest). Where copies hardly count, 0: any size will do. */
static double chain_items(const struct yk_split_status *status, int64_t budget)
{
    double copies = status->known.copy_item_ns, rest = copies - status->item_ns;
    if (copies < COPIES_COUNT * status->item_ns)
        return 0;
    if (rest < copies / 8) /* the kernel is the slowest stage */
        rest = copies;
    return sqrt((double)budget * status->fixed_ns / rest);
}

static void chunk_for_gpu(struct yk_auto *state, const struct yk_split_view *view, int device,
                          int64_t budget, struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    struct yk_auto_device *mine = &state->devices[device];
    double item_ns = yk_auto_item_ns(state, view, device), without, raw_ns = status->item_ns, chain;
    int64_t fill = status->known.fill, lanes = status->known.lanes, items, least, overlapped;
    least = at_least(fill, to_items(COST_SHARE * status->fixed_ns / item_ns, budget));
    overlapped =
        at_least(fill, to_items(COST_SHARE_OVERLAPPED * status->fixed_ns / item_ns, budget));
    items = mine->largest > 0 ? at_most(budget / (2 * lanes), 2 * mine->largest) : budget / 16;
    chain = chain_items(status, budget);
    if (chain > 0) {
        least = overlapped;
        items = to_items(chain, status->known.rate > 0 ? budget : at_least(items, 1));
        /* All lanes together hold no more than can be put right when a speed turns out wrong. */
        items = at_most(items, budget / (HELD_PART * lanes));
    }
    items = whole_fills(at_least(items, least), fill);
    if (items > budget / 2 && lanes > 1 && status->items_out == 0 && overlapped <= budget / 2)
        items = budget - budget / 2;
    if (budget - items < overlapped / 2)
        items = budget;
    out->reason = items == budget ? "tail" : "share";
    if (status->known.rate <= 0) {
        /* As long as it might be as slow as its first chunk was, it must not hold up the others. */
        without = yk_auto_without(state, view, device);
        items = at_most(items, to_items((without - status->fixed_ns) / raw_ns, items));
    }
    if (items < view->unit)
        items = view->unit;
    out->items = items;
}

void yk_auto_chunk(struct yk_auto *state, const struct yk_split_view *view, int device,
                   int64_t budget, struct yk_take *out)
{
    if (view->devices[device].known.host_memory)
        chunk_for_cores(state, view, device, budget, out);
    else
        chunk_for_gpu(state, view, device, budget, out);
}
