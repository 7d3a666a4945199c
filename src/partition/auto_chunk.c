/* auto_chunk.c - see auto.h: the size of a chunk.
 *
 * Chunks shrink with the remaining items, so all devices end together, and the last chunks are so
 * small that it does not matter which device gets them. A chunk is a part of the remaining items
 * and of the items that the device has done so far. So a device does not end last if its items
 * suddenly cost ten times as much. A chunk is large enough that its overhead does not matter.
 */
#include <math.h>

#include "auto.h"

/* A lane's chunk is at least 1 / REST_PART of what the lane should still do: of a long job, chunks
 * that are the best compromise for their cost would be many. */
#define REST_PART 16.0
/* While the largest chunk is shorter than its cost, the next one is RAMP times as large. */
enum { RAMP = 8 };
/* A part of a chunk's cost is never hidden behind the chunk before it: a kernel's last threads
 * leave a GPU half empty. So no chunk is shorter than LAST_COSTS times its cost. */
#define LAST_COSTS 3.0
/* A device has stages: copy in, compute, copy out. A "chain" is the series of its chunks, of which
 * each stage works on another one. Its chunks hide the cost of a chunk if they last HIDDEN times
 * that cost. */
#define HIDDEN 1.5
/* Copies take up to CONTENDED times as long beside others that use the same memory. */
#define CONTENDED 2.0
/* A chunk of a chain is not made longer than this: a cancelled job has to wait for its chunks. */
#define CHAIN_NS 1e8
/* Time until a chunk's copies begin, beyond the overhead of its calls: twice 8 us, measured on PCI
 * Express 5. */
#define COPIES_BEGIN_NS 16000.0

static int64_t to_items(double items, int64_t most)
{
    return items < (double)most ? (int64_t)items : most;
}

/* Round down to whole fills if the chunk has more than one. */
static int64_t whole_fills(int64_t items, int64_t fill)
{
    return items > fill ? items - items % fill : items;
}

/* Returns 1 if no other device takes part. */
static int is_sole(const struct yk_split_view *view, int device)
{
    int d;
    for (d = 0; d < view->device_count; d++)
        if (d != device && view->devices[d].active)
            return 0;
    return 1;
}

/* Pieces are equal, so equal lanes end together. A lane gets as many as the least size allows. */
void yk_auto_lease(const struct yk_split_view *view, int device, int64_t least, struct yk_take *out)
{
    int64_t fair = (out->items - 1) / view->devices[device].known.lanes + 1;
    int64_t pieces = yk_at_least(yk_at_most(fair / least, YK_LANE_PIECES), 1);
    out->piece = yk_at_least((fair - 1) / pieces + 1, least);
    out->parts = YK_LANE_PARTS;
}

int64_t yk_auto_piece(const struct yk_split_view *view, int device, double item_ns, int64_t most)
{
    const struct yk_split_device *known = &view->devices[device].known;
    const int64_t fill = yk_lane_items(view, device);
    const double core_ns = known->core_item_ns > 0 ? known->core_item_ns : item_ns * known->lanes;
    const int64_t piece = to_items(YK_PIECE_NS / core_ns, most);
    return whole_fills(yk_at_least(piece, fill), fill);
}

/* Number of items whose cost is predictable from the device's chunks so far. Chunks grow until all
 * items are. */
static int64_t foreseen(const struct yk_auto *state, int device, double cost_ns)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[device];
    const struct yk_auto_device *mine = &state->devices[device];
    int64_t covered = status->items_done + status->items_out;
    if (status->known.rate > 0)
        return view->free_items;
    if (mine->longest < cost_ns)
        return RAMP * mine->largest;
    if (state->unknown + state->unsettled == 0)
        covered /= 2;
    return yk_at_least(covered, mine->largest);
}

/* The size c of a chunk, in the unit of `rest`, if each chunk has a cost and a part of one chunk is
 * lost at the ends of their series: rest / c * cost + c * lost is least for this c. */
static double best_size(double rest, double cost_ns, double lost)
{
    return sqrt(rest * cost_ns / lost);
}

/* How long a chunk should last if its lane still has to work for rest_ns: others wait for half of
 * the last one on average. */
static double chunk_ns(double rest_ns, double cost_ns)
{
    return fmax(rest_ns / REST_PART,
                fmin(rest_ns / YK_HELD_PART, best_size(rest_ns, cost_ns, 0.5)));
}

/* If cores are alone (also because others were left out): three quarters of the rest, which gives
 * the same leases in every run, so that cores find their rows again. While another device may join
 * at any moment, what is out must be little. */
static int64_t lease_items(const struct yk_split_view *view, int device, int64_t budget)
{
    const double item_ns = view->devices[device].item_ns, rest_ns = item_ns * (double)budget;
    const int64_t most = budget - budget / YK_LEFT_PART;
    if (is_sole(view, device))
        return view->awaits_ns > 0 ? to_items(view->awaits_ns / REST_PART / item_ns, most) : most;
    return to_items(chunk_ns(rest_ns, YK_PIECE_NS) / item_ns, budget);
}

static void chunk_for_cores(struct yk_auto *state, int device, int64_t budget, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[device];
    int64_t lanes = status->known.lanes, fill = yk_lane_items(view, device), most = budget;
    int64_t items, least, piece;
    piece = yk_auto_piece(view, device, status->item_ns, budget);
    least = piece > budget / lanes ? budget : piece * lanes;
    if (view->device_count > 1 || view->awaits_ns > 0)
        most = foreseen(state, device, 2 * YK_PIECE_NS);
    items = yk_at_most(yk_at_least(lease_items(view, device, budget), least), most);
    items = whole_fills(items, fill * lanes);
    if (budget - items < least / 2 && state->unknown == 0)
        items = budget;
    out->items = items;
    yk_auto_lease(view, device, piece, out);
    out->reason = items == budget ? "tail" : "share";
}

/* The kernel's time is not known separately: it is the slowest stage if items take longer than
 * copies would even beside others that use the same memory. */
static int is_kernel_slowest(const struct yk_split_status *status)
{
    return status->item_ns > CONTENDED * status->known.copy_item_ns * status->known.busier_part;
}

/* Copy in, kernel and copy out of a device's chunks overlap, so the slowest of these stages runs
 * all the time. Returns the ns per item of the other stages of one chunk; 0 if copies hardly count
 * and any size will do. */
static double other_stages(const struct yk_split_status *status)
{
    double copies = status->known.copy_item_ns, busier = copies * status->known.busier_part;
    if (copies < YK_COPIES_COUNT * status->item_ns)
        return 0;
    return is_kernel_slowest(status) ? copies : fmax(copies - busier, copies / 8);
}

static double chain_cost_ns(const struct yk_split_status *status)
{
    return status->fixed_ns + COPIES_BEGIN_NS;
}

static double least_link(const struct yk_split_status *status, double item_ns)
{
    return HIDDEN * chain_cost_ns(status) / item_ns;
}

double yk_auto_drain_ns(const struct yk_split_view *view, const struct yk_split_status *status)
{
    const double rest = other_stages(status), all = (double)(view->last - view->first);
    if (rest <= 0)
        return 0;
    return COPIES_BEGIN_NS +
           rest * fmin(all, fmax((double)status->known.fill, least_link(status, status->item_ns)));
}

/* The size that ends a chain of chunks soonest: the other stages of one chunk stand alone at the
 * chain's ends. If a copy is the slowest stage, only the last chunk's stages stand alone, though.
 * Chunks before it can be so large that their other stages end together with the slowest stage of
 * the next one. */
static double chain_items(const struct yk_split_status *status, int64_t budget)
{
    double rest = other_stages(status), cost = chain_cost_ns(status);
    double part = 1 - rest / status->item_ns;
    double items = best_size((double)budget, cost, rest);
    if (status->known.lanes < 2 || part <= 0 || is_kernel_slowest(status))
        return items;
    return fmax(items, fmin(part * (double)budget, CHAIN_NS / status->item_ns));
}

/* Chunks that keep all stages busy: one in the slowest stage, one in the other stages, and half of
 * one for the time until its end is noticed. */
static int64_t chain_chunks(const struct yk_split_status *status)
{
    double stages = 1.5 + other_stages(status) / status->item_ns;
    return stages < status->known.lanes ? (int64_t)ceil(stages) : status->known.lanes;
}

/* The copies of one chunk stand alone at the ends of a series of chunks, even if they are much
 * shorter than its kernel. So the chunk is no longer than is best for them. */
static double overlapped_ns(const struct yk_split_status *status, double rest_ns)
{
    const double part = status->known.copy_item_ns / status->item_ns;
    return part > 0 && status->known.lanes > 1 ? best_size(rest_ns, chain_cost_ns(status), part)
                                               : rest_ns;
}

/* If the speed is known from an earlier run, the chunks of all lanes together are half of the rest.
 * If two runs have shown the same speed, one chunk is as large as that: there is nothing more to
 * learn. A device that does all that is left needs no second chunk. */
static double known_chunk_ns(const struct yk_split_view *view, int device, double rest_ns,
                             int does_all)
{
    const struct yk_split_status *status = &view->devices[device];
    const double all_ns = status->known.steady ? rest_ns : rest_ns / status->known.lanes;
    return fmin(does_all ? rest_ns : all_ns / YK_HELD_PART, overlapped_ns(status, rest_ns));
}

/* How many times as long as its size promises a chunk may take: its items may be the most expensive
 * ones of the loop, while the device's latest ones were cheap. A device that takes over from
 * another one's region meets such items at once. */
static double dearer(const struct yk_auto *state, int device)
{
    return fmax(1, state->devices[device].dear_ns / state->view->devices[device].item_ns);
}

static double gpu_chunk_ns(const struct yk_auto *state, int device, int64_t budget)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[device];
    const double rest_ns = yk_auto_item_ns(state, device) * (double)budget;
    const int does_all = budget == view->free_items || is_sole(view, device);
    double ns = chunk_ns(rest_ns / status->known.lanes, status->fixed_ns);
    if (status->known.rate > 0)
        ns = fmax(ns, known_chunk_ns(view, device, rest_ns, does_all));
    if (!does_all)
        ns /= dearer(state, device);
    return fmax(ns, LAST_COSTS * status->fixed_ns);
}

static int64_t gpu_items(const struct yk_auto *state, int device, int64_t budget)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[device];
    double item_ns = yk_auto_item_ns(state, device);
    int chain = other_stages(status) > 0;
    int64_t fill = !chain && status->known.busy > 0 ? status->known.busy : status->known.fill;
    int64_t items, least;
    items = least = to_items(gpu_chunk_ns(state, device, budget) / item_ns, budget);
    if (chain) {
        items = to_items(chain_items(status, budget), budget);
        least = to_items(least_link(status, item_ns), budget);
    }
    if (chain && !is_sole(view, device)) {
        items = yk_at_most(
            items, (int64_t)((double)budget / (double)(YK_HELD_PART * chain_chunks(status)) /
                             dearer(state, device)));
        items = yk_at_least(items, least);
    }
    items = yk_at_most(items, foreseen(state, device, LAST_COSTS * status->fixed_ns));
    items = yk_at_least(items, fill);
    if (items >= budget)
        return budget; /* a second chunk for what is no whole fill costs more than idle cores */
    items = whole_fills(items, fill);
    return budget - items < yk_at_most(items, least) / 2 ? budget : items;
}

static void chunk_for_gpu(struct yk_auto *state, int device, int64_t budget, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[device];
    double without;
    int64_t items = gpu_items(state, device, budget);
    out->reason = items == budget ? "tail" : "share";
    if (status->known.rate <= 0) {
        /* The device may be as slow as its first chunk was, and must not delay the others. */
        without = yk_auto_without(state, device);
        items = yk_at_most(items, to_items((without - status->fixed_ns) / status->item_ns, items));
    }
    out->items = yk_at_least(items, view->unit);
}

void yk_auto_chunk(struct yk_auto *state, int device, int64_t budget, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    if (view->devices[device].known.host_memory)
        chunk_for_cores(state, device, budget, out);
    else
        chunk_for_gpu(state, device, budget, out);
}
