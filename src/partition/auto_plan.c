/* auto_plan.c - see auto.h: how much each device should do (quotas). */
#include <math.h>
#include <string.h>

#include "auto.h"
#include "speed.h"

static int takes_part(const struct yk_split_status *status)
{
    return status->joined && yk_split_serves(status);
}

int yk_auto_like(const struct yk_split_view *view, int d)
{
    const struct yk_split_device *known = &view->devices[d].known;
    int other;
    if (view->devices[d].item_ns > 0)
        return d;
    for (other = 0; other < view->device_count && known->make > 0 && !known->host_memory; other++)
        if (view->devices[other].item_ns > 0 && yk_split_alike(known, &view->devices[other].known))
            return other;
    return -1;
}

/* The chunk size with which its speed was measured, at most one fill. Its share of the last run
 * does not tell: it may have had none. */
static double measured_items(const struct yk_auto *state, int d)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_device *known = &view->devices[d].known;
    double largest = (double)state->devices[d].largest, before = 0;
    if (known->rate > 0)
        before = known->part > 0 ? known->part : known->share * (double)(view->last - view->first);
    return fmin((double)known->fill, fmax(largest, before));
}

/* ns per item of a chunk of `items`. */
static double item_ns_in(const struct yk_auto *state, int device, double items)
{
    const struct yk_split_status *status = &state->view->devices[device];
    const double measured = measured_items(state, device);
    if (status->known.host_memory || measured <= 0)
        return status->item_ns;
    return status->item_ns / yk_underfilled(&status->known, measured, items);
}

double yk_auto_item_ns(const struct yk_auto *state, int device)
{
    return item_ns_in(state, device, INFINITY);
}

void yk_auto_costs(const struct yk_auto *state, int d, int whose, struct yk_taker *load)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[d], *speed = &view->devices[whose];
    double unit = (double)yk_lane_items(view, d);
    if (status->known.host_memory) {
        load->least = load->item * unit * status->known.lanes;
        return;
    }
    /* The overhead of a chunk is hidden behind a chunk that is out. */
    if (status->items_out > 0 && status->known.lanes > 1)
        load->ready += yk_auto_drain_ns(view, speed);
    else
        load->fixed = speed->fixed_ns + yk_auto_drain_ns(view, speed);
    load->least =
        load->fixed + load->item * fmax(unit, measured_items(state, whose) / YK_UNDERFILLED);
}

/* Cores that have not ended anything yet count as if all of them ended now: the device that ended
 * first must not take all that is left. */
static void bound_of(const struct yk_auto *state, int d, int64_t now, struct yk_taker *load)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[d];
    if (!status->known.host_memory || status->items_out == 0 || now <= state->devices[d].mark)
        return;
    load->item =
        (double)(now - state->devices[d].mark) /
        fmax((double)status->items_out, (double)yk_lane_items(view, d) * status->known.lanes);
    yk_auto_costs(state, d, d, load);
}

static void load_of(const struct yk_auto *state, int d, int64_t now, struct yk_taker *load)
{
    const struct yk_split_view *view = state->view;
    const struct yk_split_status *status = &view->devices[d], *speed;
    int64_t expected = yk_auto_expected_ns(state, d, now);
    int whose = yk_auto_like(view, d);
    *load = (struct yk_taker){ 0 };
    if (!takes_part(status) && expected < 0)
        return;
    if (whose < 0) {
        bound_of(state, d, now, load);
        return;
    }
    speed = &view->devices[whose];
    load->item = yk_auto_item_ns(state, whose);
    if (expected > 0)
        load->ready = (double)expected;
    if (status->items_out > 0) {
        const double out = (double)status->items_out;
        /* in an earlier run about as much as is out took as long as it will now */
        const double item_ns = speed->known.rate > 0 ? item_ns_in(state, whose, out) : load->item;
        double since = (double)(now - state->devices[d].mark) - speed->fixed_ns;
        double left = item_ns * out - since;
        if (left < 0) /* the device is slower than was assumed for the size of its chunks */
            left = speed->item_ns * out - since;
        load->ready = fmax(0, left);
    }
    yk_auto_costs(state, d, whose, load);
}

static int settled(const struct yk_split_status *status)
{
    return status->known.rate > 0 || status->chunks_done >= (status->known.host_memory ? 1 : 2);
}

static void solve(struct yk_auto *state, int64_t now)
{
    const struct yk_split_view *view = state->view;
    int d;
    state->unknown = state->unsettled = 0;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        load_of(state, d, now, &state->loads[d]);
        if (yk_split_serves(status) && (!status->joined || status->item_ns <= 0))
            state->unknown++;
        else if (yk_split_serves(status) && !settled(status))
            state->unsettled++;
    }
    state->end_ns = yk_balance(state->loads, view->device_count, (double)view->free_items);
    state->best = 0;
    for (d = 1; d < view->device_count; d++)
        if (state->loads[d].items > state->loads[state->best].items)
            state->best = d;
}

double yk_auto_without(struct yk_auto *state, int device)
{
    const struct yk_split_view *view = state->view;
    memcpy(state->others, state->loads, (size_t)view->device_count * sizeof *state->others);
    state->others[device].item = 0;
    return yk_balance(state->others, view->device_count, (double)view->free_items);
}

void yk_auto_plan(struct yk_auto *state, int64_t now)
{
    solve(state, now);
    if (!state->planned) {
        state->planned = 1;
        state->regions = yk_auto_lay_out(state);
    }
    state->uneven = yk_auto_uneven(state, now);
    state->events = 0;
}
