/* dispatch.c - see dispatch.h: which devices take part. */
#include <assert.h>
#include <string.h>

#include "dispatch_state.h"

void yk_dispatch_event(struct yk_dispatch *dispatch, int64_t now)
{
    if (now > dispatch->now)
        dispatch->now = now;
    dispatch->epoch++;
    dispatch->refused_count = 0;
#ifdef YK_CHECKED
    assert(dispatch->out_count > 64 || yk_dispatch_check(dispatch));
#endif
}

static void tell_changed(struct yk_dispatch *dispatch, int device)
{
    if (dispatch->partitioner->changed)
        dispatch->partitioner->changed(dispatch->state, device);
}

void yk_dispatch_join(struct yk_dispatch *dispatch, int device, int64_t now)
{
    struct yk_split_status *status = &dispatch->status[device];
    if (!status->active || status->joined)
        return;
    status->joined = 1;
    dispatch->joined_count++;
    yk_dispatch_event(dispatch, now);
    tell_changed(dispatch, device);
}

/* Copies what fits. Each job gives reasons for the devices that it leaves out; snprintf would take
 * five times as long. */
static void set_reason(struct yk_dispatch *dispatch, int device, const char *reason)
{
    char *text = dispatch->devices[device].reason;
    *text = '\0';
    strncat(text, reason ? reason : "", reason_bytes - 1);
}

/* The device gets nothing more. Returns 1 if it took part until now. */
static int end_part(struct yk_dispatch *dispatch, int device, const char *reason)
{
    struct yk_split_status *status = &dispatch->status[device];
    if (!status->active)
        return 0;
    status->active = 0;
    dispatch->active_count--;
    dispatch->joined_count -= status->joined;
    set_reason(dispatch, device, reason);
    return 1;
}

int yk_dispatch_gives_back(const struct yk_dispatch *dispatch, const struct yk_chunk *chunk,
                           double left_ns)
{
    const struct yk_partitioner *partitioner = dispatch->partitioner;
    return partitioner->gives_back && partitioner->gives_back(dispatch->state, chunk, left_ns);
}

int yk_dispatch_may_give_back(const struct yk_dispatch *dispatch, const struct yk_chunk *chunk)
{
    const struct yk_partitioner *partitioner = dispatch->partitioner;
    return partitioner->may_give_back && partitioner->may_give_back(dispatch->state, chunk);
}

void yk_dispatch_limit(struct yk_dispatch *dispatch, int device, int64_t limit)
{
    struct yk_split_device *known = &dispatch->status[device].known;
    known->limit = limit > 0 ? limit : 0;
    /* It never gets more than its limit, so do not wait for larger chunks. */
    if (known->limit > 0 && known->fill > known->limit)
        known->fill = known->limit;
    yk_dispatch_event(dispatch, dispatch->now);
}

void yk_dispatch_bound(struct yk_dispatch *dispatch, int device, int64_t items)
{
    dispatch->devices[device].bound = items > 0 ? items : 0;
}

void yk_dispatch_renew(struct yk_dispatch *dispatch, int device)
{
    struct yk_device_state *state = &dispatch->devices[device];
    struct yk_split_status *status = &dispatch->status[device];
    struct yk_split_device unknown = status->known;
    unknown.rate = 0;
    yk_speed_open(&state->speed, &unknown, (double)(dispatch->view.last - dispatch->view.first));
    state->apart_items = status->items_done;
    state->apart_chunks = status->chunks_done;
    state->apart_ns = status->busy_ns;
    status->item_ns = status->rate = status->dearest_ns = 0;
    status->fixed_ns = state->speed.fixed_ns;
}

void yk_dispatch_leave(struct yk_dispatch *dispatch, int device, const char *reason)
{
    if (!end_part(dispatch, device, reason))
        return;
    yk_dispatch_event(dispatch, dispatch->now);
    tell_changed(dispatch, device);
}

void yk_dispatch_readmit(struct yk_dispatch *dispatch, int device)
{
    struct yk_split_status *status = &dispatch->status[device];
    if (status->active)
        return;
    status->active = 1;
    status->joined = 0;
    dispatch->active_count++;
    dispatch->devices[device].reason[0] = 0;
    tell_changed(dispatch, device);
}

/* With all_or_nothing: returns the number of items that the device completed. They must be done
 * again. */
static int64_t take_back(struct yk_dispatch *dispatch, int device)
{
    int64_t from, to = 0, count = 0;
    for (from = 0; from < dispatch->kept_count; from++) {
        struct yk_kept entry = dispatch->kept[from];
        int64_t items = entry.range.last - entry.range.first;
        if (entry.device != device) {
            dispatch->devices[entry.device].kept = (int)to;
            dispatch->kept[to++] = entry;
            continue;
        }
        yk_ranges_add(&dispatch->free, entry.range);
        dispatch->view.free_items += items;
        dispatch->left += items;
        count += items;
    }
    dispatch->kept_count = to;
    dispatch->devices[device].kept = -1;
    dispatch->status[device].items_done = 0;
    return count;
}

int64_t yk_dispatch_failed(struct yk_dispatch *dispatch, int device, const char *reason)
{
    const struct yk_device_state *state = &dispatch->devices[device];
    int part = end_part(dispatch, device, reason);
    int64_t again = 0;
    if (!part && state->kept < 0 && state->outs < 0)
        return 0;
    yk_dispatch_recall(dispatch, device);
    if (!part) /* it left before; now the chunks and results that it still had are lost as well */
        set_reason(dispatch, device, reason);
    if (dispatch->all_or_nothing)
        again = take_back(dispatch, device);
    yk_dispatch_event(dispatch, dispatch->now);
    tell_changed(dispatch, device);
    return again;
}
