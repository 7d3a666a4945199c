/* auto.c - PURE. The default: a share for each device such that all end together, found while the
 * work is done.
 *
 * It begins with what earlier runs taught, or else with small chunks for the cores and one that
 * fills each GPU; these are part of the work. At every decision it computes quotas (balance.h) from
 * each device's time a*v + b. If there are regions (auto.h) a device keeps to its own. It takes
 * over from the region that would end last, from the far end, only if that pays. A device that
 * could not end its smallest chunk in time gets nothing.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/words.h"
#include "auto.h"

static size_t state_bytes(const struct yk_split_view *view)
{
    return sizeof(struct yk_auto) + (size_t)view->device_count * (sizeof(struct yk_auto_device) +
                                                                  2 * sizeof(struct yk_taker));
}

static void reopen_auto(void *given, const struct yk_split_view *view)
{
    struct yk_auto *state = memset(given, 0, state_bytes(view));
    state->view = view;
    state->devices = (struct yk_auto_device *)(state + 1);
    state->loads = (struct yk_taker *)(state->devices + view->device_count);
    state->others = state->loads + view->device_count;
    state->began = -1;
    state->planned_ns = view->planned ? view->planned_ns : 0;
}

static yoke_status open_auto(const struct yk_split_view *view, const void *settings, void **out)
{
    (void)settings;
    *out = yk_calloc(1, state_bytes(view));
    if (!*out)
        return YOKE_ENOMEM;
    reopen_auto(*out, view);
    return YOKE_OK;
}

/* Returns 1 if the device's lanes have work until twice the time at which another device is
 * expected. Then it need not take that device's part. */
static int can_wait(const struct yk_auto *state, int device, int64_t now)
{
    const struct yk_split_view *view = state->view;
    int d;
    if (view->devices[device].known.host_memory || view->devices[device].items_out == 0)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        int64_t expected = yk_auto_expected_ns(state, d, now);
        if (expected > 0 && state->loads[d].items > 0 &&
            2 * (double)expected < state->loads[device].ready)
            return 1;
    }
    return 0;
}

/* Takes from the far end of the region that would end last, unless another device is expected.
 * `budget`: the items that the device should still do. */
static int64_t take_over(const struct yk_auto *state, const struct yk_request *request,
                         int64_t budget, struct yk_take *out)
{
    const int device = request->device, victim = yk_auto_latest(state, device);
    if (victim < 0 || can_wait(state, device, request->now))
        return 0;
    out->first = state->devices[victim].region.first;
    out->last = state->devices[victim].region.last;
    out->from_high = state->view->devices[victim].known.host_memory;
    out->reason = "taken over";
    return yk_at_most(budget, yk_auto_own(state, victim));
}

/* The device's quota in whole items; 0 if the quota is too small for it. `own`: free items of its
 * region. */
static int64_t quota_items(const struct yk_auto *state, int device, int64_t own)
{
    const struct yk_split_view *view = state->view;
    const double quota = state->loads[device].items;
    const int64_t least = yk_at_most(yk_lane_items(view, device), view->free_items);
    const int64_t items = quota + 0.5 * (double)view->unit < (double)view->free_items
                              ? (int64_t)quota
                              : view->free_items;
    if (items >= least)
        return items;
    /* One device has to do the rest; but a region belongs to its device. */
    if (device == state->best && (!state->regions || own > 0))
        return least;
    return quota >= 0.5 * (double)least ? least : 0;
}

/* How many of the free items the device may still do, and where: in its own region, or at the far
 * end of the region that would end last. */
static int64_t budget_of(const struct yk_auto *state, const struct yk_request *request,
                         struct yk_take *out)
{
    const int device = request->device;
    int64_t own, budget;
    out->from_high = !state->view->devices[device].known.host_memory;
    if (!state->regions)
        return can_wait(state, device, request->now) ? 0 : quota_items(state, device, 0);
    own = yk_auto_own(state, device);
    out->first = state->devices[device].region.first;
    out->last = state->devices[device].region.last;
    if (!state->uneven)
        return own;
    budget = quota_items(state, device, own);
    if (own > 0 || budget == 0)
        return budget < own ? budget : own;
    return take_over(state, request, budget, out);
}

static void note_left_out(struct yk_auto *state, int device)
{
    const struct yk_split_view *view = state->view;
    const struct yk_taker *load = &state->loads[device];
    if (load->items > 0 || load->item <= 0 || view->devices[device].chunks_out > 0)
        return;
    state->devices[device].needed_ns = load->ready + load->least;
    state->devices[device].others_ns = state->end_ns;
}

/* A lane that got nothing because another device was expected retries when that device is overdue.
 */
static void wait_for_expected(const struct yk_auto *state, int64_t now, struct yk_take *out)
{
    const struct yk_split_view *view = state->view;
    int d;
    if (state->regions && state->parts_until > now)
        yk_sooner(&out->wake_ns, state->parts_until);
    for (d = 0; d < view->device_count; d++) {
        int64_t expected = yk_auto_expected_ns(state, d, now);
        if (expected > 0)
            yk_sooner(&out->wake_ns, now + expected);
    }
}

/* How many times as expensive as the mean a chunk of this loop has been in earlier jobs, at most.
 */
static double spread(const struct yk_split_view *view)
{
    double most = 1;
    int d;
    for (d = 0; d < view->device_count; d++)
        most = fmax(most, view->devices[d].known.spread);
    return most;
}

/* Chunks may be out already, if a device was admitted to the job. */
static void begin(struct yk_auto *state, int64_t now)
{
    const double dearer = spread(state->view);
    int d;
    state->began = now;
    for (d = 0; d < state->view->device_count; d++) {
        state->devices[d].mark = now;
        state->devices[d].dear_ns = dearer * state->view->devices[d].item_ns;
    }
}

static void take(void *given, const struct yk_request *request, struct yk_take *out)
{
    struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    const int device = request->device;
    const int64_t now = request->now;
    struct yk_auto_device *mine = &state->devices[device];
    const char *where;
    int64_t budget;
    if (state->began < 0)
        begin(state, now);
    if (!yk_split_serves(&view->devices[device]))
        return; /* the dispatcher gives it the rest if no other device is left */
    if (view->planned) {
        yk_auto_follow(state, request, out);
        return;
    }
    if (!state->planned || view->device_count <= 32 || state->events * 16 >= view->device_count)
        yk_auto_plan(state, now);
    budget = budget_of(state, request, out);
    where = out->reason;
    if (view->devices[device].item_ns <= 0)
        yk_auto_probe(state, request, out);
    else if (budget > 0 && !yk_auto_trusts(state, request, out))
        yk_auto_chunk(state, device, budget, out);
    else
        note_left_out(state, device);
    if (out->items <= 0) {
        wait_for_expected(state, now, out);
        return;
    }
    if (where)
        out->reason = where;
    if (view->devices[device].chunks_out == 0)
        mine->mark = now;
    mine->others_ns = 0;
    state->loads[device].items -= (double)out->items;
    state->events++;
}

static void observe(void *given, int device, const struct yk_chunk_times *times)
{
    struct yk_auto *state = given;
    struct yk_auto_device *mine = &state->devices[device];
    const struct yk_split_status *status = &state->view->devices[device];
    mine->mark = times->ended;
    if (times->items > mine->largest) {
        mine->largest = times->items;
        mine->longest = status->item_ns * (double)times->items + status->fixed_ns;
    }
    state->events++;
}

/* If a device leaves or gives a chunk back, its region is free for all. A device that joins late
 * keeps its region. */
static void changed(void *given, int device)
{
    struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    if (!yk_split_serves(&view->devices[device]))
        state->regions = 0;
    state->events = view->device_count;
}

static void explain(const void *given, int device, char *text, size_t size)
{
    const struct yk_auto *state = given;
    const struct yk_split_view *view = state->view;
    const struct yk_auto_device *mine = &state->devices[device];
    const struct yk_split_status *status = &view->devices[device];
    double all = (double)(view->last - view->first);
    int length = 0;
    if (status->chunks_done > 0)
        length = snprintf(
            text, size,
            "did %.1f %% in %lld chunk%s, at %s items/us while busy; overhead per chunk %s",
            100 * (double)status->items_done / all, (long long)status->chunks_done,
            status->chunks_done == 1 ? "" : "s", yk_number_words(1e3 * status->rate).text,
            yk_time_words(status->fixed_ns).text);
    else if (status->given_back > 0)
        length = snprintf(text, size,
                          "did nothing: it gave back what it had begun, because another device "
                          "would do that sooner");
    else if (!status->joined)
        length = snprintf(text, size, "did nothing: its kernel was not ready before the job ended");
    else if (mine->others_ns <= 0)
        length =
            snprintf(text, size, "did nothing: the other devices had finished before it asked");
    if (mine->others_ns > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length,
                 "%s: its next chunk would have taken %s or more, the others needed %s for all "
                 "remaining items",
                 length > 0 ? "; then left out" : "left out", yk_time_words(mine->needed_ns).text,
                 yk_time_words(mine->others_ns).text);
}

/* Without a plan `predicted_ns` reports that there is none. */
#define AS_AUTO                                                                                    \
    .open = open_auto, .reopen = reopen_auto, .close = yk_free, .take = take, .observe = observe,  \
    .changed = changed, .explain = explain, .predicted_ns = yk_auto_planned_ns,                    \
    .served = yk_auto_served, .gives_back = yk_auto_gives_back,                                    \
    .may_give_back = yk_auto_may_give_back

/* It follows a plan (auto_planned.c) if the runtime makes one. */
const struct yk_partitioner yk_partitioner_auto = {
    .name = "auto",
    .summary = "a share for each device such that all end together; one plan for all jobs on "
               "arrays that stay on devices",
    AS_AUTO
};

/* The same, but the runtime makes no plan. */
const struct yk_partitioner yk_partitioner_alone = {
    .name = "alone", .summary = "auto for each job alone, wherever its arrays are", AS_AUTO
};
