/* auto_planned.c - see auto.h: a plan (plan.h) gives the rows that each device works on in this job
 * and in the jobs before and after it. Rows that another device did instead would have to come
 * back, so each device keeps to its own region. A GPU takes the whole region at once. Rows that
 * cores have not begun, and the rows of a device that is not there, go to the device that finishes
 * first, if the job then ends sooner although these rows travel both ways. */
#include <math.h>

#include "auto.h"

static void begin(struct yk_auto *state)
{
    if (state->planned)
        return;
    state->planned = state->regions = 1;
    yk_auto_lay_out_shares(state);
}

static double item_ns(const struct yk_split_status *status)
{
    return status->known.item_ns > 0 ? status->known.item_ns
           : status->item_ns > 0     ? status->item_ns
           : status->known.rate > 0  ? 1 / status->known.rate
                                     : 0;
}

/* Items of the region that cores leave for their second lease; none if that is less than a piece.
 */
static int64_t held_back(const struct yk_split_view *view, int device, int64_t own)
{
    const struct yk_split_status *status = &view->devices[device];
    const int64_t left = own / YK_LEFT_PART;
    const double ns = item_ns(status);
    const int has_one = status->chunks_done + status->chunks_out > 0;
    if (!status->known.host_memory || has_one || status->known.fetches || !(ns > 0))
        return 0;
    return left >= yk_auto_piece(view, device, ns, own) ? left : 0;
}

/* Cores get at most one piece for each lane if they fetch rows, because each piece starts copies of
 * its own. */
static void cut_for_lanes(const struct yk_split_view *view, int device, int fetches,
                          struct yk_take *out)
{
    const struct yk_split_status *status = &view->devices[device];
    const int64_t fair = (out->items - 1) / status->known.lanes + 1;
    const double ns = item_ns(status);
    if (status->known.host_memory)
        yk_auto_lease(view, device,
                      fetches || !(ns > 0) ? fair : yk_auto_piece(view, device, ns, fair), out);
}

/* ns until the device has done the chunks that it has out. */
static double busy_ns(const struct yk_auto *state, int d, int64_t now)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[d];
    const double all_ns = status->fixed_ns + item_ns(status) * (double)status->items_out;
    return status->items_out > 0 ? fmax(0, all_ns - (double)(now - state->devices[d].mark)) : 0;
}

/* ns until it has also done its region. */
static double end_ns(const struct yk_auto *state, int d, int64_t now)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[d];
    return busy_ns(state, d, now) + status->fixed_ns +
           item_ns(status) * (double)yk_auto_own(state, d);
}

/* The best guess: a device that is late by t joins within another t. */
static double late_ns(const struct yk_auto *state, int d, int64_t now)
{
    const struct yk_split_view *view = state->view;
    return view->devices[d].joined ? 0 : (double)(now - state->began);
}

/* Another device whose region has free rows. */
struct late {
    int device;    /* -1: there is none */
    double end_ns; /* infinite if it is gone */
    int64_t items; /* free rows of its region */
};

/* The one that would end last. */
static struct late latest(const struct yk_auto *state, int device, int64_t now)
{
    const struct yk_split_view *view = state->view;
    struct late late = { -1, -1, 0 };
    int d;
    for (d = 0; d < view->device_count; d++) {
        const int64_t items = d == device ? 0 : yk_auto_own(state, d);
        double theirs;
        if (items == 0)
            continue;
        theirs = yk_split_serves(&view->devices[d]) ? late_ns(state, d, now) + end_ns(state, d, now)
                                                    : INFINITY;
        if (theirs > late.end_ns)
            late = (struct late){ d, theirs, items };
    }
    return late;
}

/* The number of items with which both end together, including the copies there and back; 0 if that
 * is no gain. */
static int64_t worth_taking(const struct yk_split_view *view, int device, const struct late *late)
{
    const struct yk_split_status *mine = &view->devices[device];
    const struct yk_split_status *other = &view->devices[late->device];
    const double item = item_ns(mine) + mine->known.row_ns, begin = mine->fixed_ns;
    double items;
    if (isinf(late->end_ns))
        return late->items;
    if (!(item > 0) || late->end_ns <= begin)
        return 0;
    items = fmin((late->end_ns - begin) / (item + item_ns(other)), (double)late->items);
    /* Results that return to their device are copied in the next job. */
    return begin + item * items + items * other->known.back_ns < late->end_ns ? (int64_t)items : 0;
}

static void take_over(const struct yk_auto *state, int device, int64_t now, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const struct late late = latest(state, device, now);
    int64_t items;
    if (late.device < 0)
        return;
    items = worth_taking(view, device, &late);
    if (items < yk_lane_items(view, device) && items < late.items)
        return;
    out->items = items;
    out->first = state->devices[late.device].region.first;
    out->last = state->devices[late.device].region.last;
    out->from_high = 1;
    out->reason = "taken over";
    cut_for_lanes(view, device, 1, out);
}

void yk_auto_follow(struct yk_auto *state, const struct yk_request *request, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    const int device = request->device;
    const int64_t now = request->now;
    int64_t own;
    begin(state);
    own = yk_auto_own(state, device);
    if (own > 0) {
        out->first = state->devices[device].region.first;
        out->last = state->devices[device].region.last;
        out->reason = "plan";
        out->items = own - held_back(view, device, own);
        cut_for_lanes(view, device, view->devices[device].known.fetches, out);
    } else if (view->devices[device].chunks_out == 0) {
        take_over(state, device, now, out);
    }
    if (out->items <= 0) {
        yk_sooner(&out->wake_ns, now + yk_at_least(now - state->began, YK_WAKE_NS));
        return;
    }
    if (view->devices[device].chunks_out == 0)
        state->devices[device].mark = now;
}

/* ns in which device d would do a chunk of another device; 0: unknown, infinite: it gets none. */
static double instead_ns(const struct yk_auto *state, int d, const struct yk_chunk *chunk)
{
    const struct yk_split_status *status = &state->view->devices[d];
    const double item = item_ns(status) > 0 ? item_ns(status) + status->known.row_ns : 0;
    if (d == chunk->device || !yk_split_serves(status))
        return INFINITY;
    return item > 0 ? status->fixed_ns + item * (double)(chunk->last - chunk->first) : 0;
}

int yk_auto_gives_back(const void *given, const struct yk_chunk *chunk, double left_ns)
{
    const struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    int d;
    for (d = 0; d < view->device_count; d++) {
        const double ns = instead_ns(state, d, chunk);
        if (view->devices[d].joined && view->devices[d].chunks_out == 0 && ns > 0 && ns < left_ns)
            return 1;
    }
    return 0;
}

int yk_auto_may_give_back(const void *given, const struct yk_chunk *chunk)
{
    const struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[chunk->device];
    const double ns = item_ns(status) > 0 ? item_ns(status) * status->known.lanes : INFINITY;
    int d;
    for (d = 0; d < view->device_count; d++)
        if (instead_ns(state, d, chunk) < ns)
            return 1;
    return 0;
}

int yk_auto_served(const void *given, int device)
{
    const struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    if (view->planned || state->regions)
        return yk_auto_own(state, device) == 0;
    return view->devices[device].known.rate > 0 &&
           state->loads[device].items < (double)yk_lane_items(view, device);
}

double yk_auto_planned_ns(const void *state)
{
    return ((const struct yk_auto *)state)->planned_ns;
}
