/* auto_planned.c - see auto.h: a plan (plan.h) says which rows each device works on in this job, as
 * in the jobs before and after it. Rows that another one did instead would have to come back, so
 * each keeps to its own, and takes all of it at once unless what it may be late by is worth a
 * second chunk. What is held back so, or belongs to one that is not there, goes to whoever is done
 * first, if that ends sooner though the rows travel both ways.
 */
#include <math.h>

#include "auto.h"

/* Of two parts that take equally long on average, with a standard deviation of 1, the later one
 * ends 0.56 later than the mean; half of that a second chunk, which either may do, saves. */
#define SAVED 0.28
/* So many standard deviations are held back. */
#define HELD 1.0

static void begin(struct yk_auto *state, const struct yk_split_view *view)
{
    if (state->planned)
        return;
    state->planned = state->regions = 1;
    yk_auto_lay_out_shares(state, view);
}

static double item_ns(const struct yk_split_status *status)
{
    return status->item_ns > 0      ? status->item_ns
           : status->known.rate > 0 ? 1 / status->known.rate
                                    : 0;
}

/* Items of the region that are left for a second chunk. */
static int64_t held_back(const struct yk_split_view *view, int device, int64_t own)
{
    const struct yk_split_status *status = &view->devices[device];
    const double late_ns = HELD * status->known.doubt * item_ns(status) * (double)own;
    const double held = HELD * status->known.doubt * (double)own;
    if (status->known.host_memory || status->chunks_done + status->chunks_out > 0 ||
        SAVED * late_ns <= status->fixed_ns + held * status->known.row_ns)
        return 0;
    return (int64_t)fmin(held, (double)own / 2);
}

static void offer(const struct yk_split_view *view, int device, int64_t items, struct yk_take *out)
{
    const struct yk_split_device *known = &view->devices[device].known;
    if (known->host_memory)
        yk_auto_lease(view, device, items,
                      known->fetches ? (items - 1) / known->lanes + 1 : yk_lane_items(view, device),
                      out);
    else
        out->items = items;
}

/* How long until the device is done with what it has out. */
static double busy_ns(const struct yk_auto *state, const struct yk_split_view *view, int d,
                      int64_t now)
{
    const struct yk_split_status *status = &view->devices[d];
    const double all_ns = status->fixed_ns + item_ns(status) * (double)status->items_out;
    return status->items_out > 0 ? fmax(0, all_ns - (double)(now - state->devices[d].mark)) : 0;
}

/* And with its region. */
static double end_ns(const struct yk_auto *state, const struct yk_split_view *view, int d,
                     int64_t now)
{
    const struct yk_split_status *status = &view->devices[d];
    return busy_ns(state, view, d, now) + status->fixed_ns +
           item_ns(status) * (double)yk_auto_own(state, view, d);
}

/* Who is late by t comes within another t, as far as anybody can tell. */
static double late_ns(const struct yk_auto *state, const struct yk_split_view *view, int d,
                      int64_t now)
{
    return view->devices[d].joined ? 0 : (double)(now - state->began);
}

/* Whose region has free rows that would be done last; infinite where it is gone. */
static int latest(const struct yk_auto *state, const struct yk_split_view *view, int device,
                  int64_t now, double *end)
{
    int d, found = -1;
    *end = -1;
    for (d = 0; d < view->device_count; d++) {
        double theirs;
        if (d == device || yk_auto_own(state, view, d) == 0)
            continue;
        theirs = view->devices[d].active
                     ? late_ns(state, view, d, now) + end_ns(state, view, d, now)
                     : INFINITY;
        if (theirs > *end) {
            *end = theirs;
            found = d;
        }
    }
    return found;
}

/* Both end together, with the way there and back of the rows; nothing where that is no gain. */
static int64_t worth_taking(const struct yk_split_view *view, int device, int from, double from_ns,
                            int64_t theirs)
{
    const struct yk_split_status *mine = &view->devices[device], *other = &view->devices[from];
    const double item = item_ns(mine) + mine->known.row_ns, begin = mine->fixed_ns;
    double items;
    if (isinf(from_ns))
        return theirs;
    if (!(item > 0) || from_ns <= begin)
        return 0;
    items = fmin((from_ns - begin) / (item + item_ns(other)), (double)theirs);
    /* What comes back is copied in the next job. */
    return begin + item * items + items * other->known.row_ns < from_ns ? (int64_t)items : 0;
}

static void take_over(struct yk_auto *state, const struct yk_split_view *view, int device,
                      int64_t now, struct yk_take *out)
{
    double end;
    const int from = latest(state, view, device, now, &end);
    int64_t items, theirs;
    if (from < 0)
        return;
    theirs = yk_auto_own(state, view, from);
    items = worth_taking(view, device, from, end, theirs);
    if (items < yk_lane_items(view, device) && items < theirs)
        return;
    out->first = state->devices[from].region.first;
    out->last = state->devices[from].region.last;
    out->from_high = 1;
    out->reason = "taken over";
    offer(view, device, items, out);
}

void yk_auto_follow(struct yk_auto *state, const struct yk_split_view *view, int device,
                    int64_t now, struct yk_take *out)
{
    int64_t own;
    begin(state, view);
    own = yk_auto_own(state, view, device);
    if (view->devices[device].chunks_out > 0)
        own = 0; /* what it holds back, it holds back from its other lanes, too */
    if (own > 0) {
        out->first = state->devices[device].region.first;
        out->last = state->devices[device].region.last;
        out->reason = "plan";
        offer(view, device, own - held_back(view, device, own), out);
    } else if (view->devices[device].chunks_out == 0) {
        take_over(state, view, device, now, out);
    }
    if (out->items <= 0) {
        yk_sooner(&out->wake_ns, now + yk_at_least(now - state->began, YK_EXPECT_NS));
        return;
    }
    if (view->devices[device].chunks_out == 0)
        state->devices[device].mark = now;
}

uint32_t yk_auto_asked(const void *state, const struct yk_split_view *view)
{
    uint32_t asked = 0;
    int d;
    (void)state;
    for (d = 0; view->planned && d < view->device_count && d < 32; d++)
        if (view->devices[d].known.share > 0)
            asked |= (uint32_t)1 << d;
    return asked;
}

double yk_auto_planned_ns(const void *state)
{
    return ((const struct yk_auto *)state)->planned_ns;
}
