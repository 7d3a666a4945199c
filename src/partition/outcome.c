/* outcome.c - the dispatcher's results: each device's part, every decision, and a check of its
 * books. */
#include <math.h>

#include "dispatch_state.h"

enum { CHUNKS_TELL = 3 };

int64_t yk_dispatch_left(const struct yk_dispatch *dispatch)
{
    return dispatch->left;
}

int64_t yk_dispatch_free(const struct yk_dispatch *dispatch)
{
    return dispatch->view.free_items;
}

int64_t yk_dispatch_forecast(const struct yk_dispatch *dispatch, int device, int64_t items)
{
    const struct yk_split_status *status = &dispatch->status[device];
    if (status->item_ns <= 0)
        return 0;
    return (int64_t)(status->fixed_ns + status->item_ns * (double)items);
}

/* Items per ns of all other devices; 0: one that works is not known yet; < 0: no other works. */
static double others_rate(const struct yk_dispatch *dispatch, int device)
{
    double rate = 0;
    int d, any = 0;
    for (d = 0; d < dispatch->view.device_count; d++) {
        const struct yk_split_status *status = &dispatch->status[d];
        if (d == device || !status->active)
            continue;
        if (status->item_ns > 0)
            rate += 1 / status->item_ns;
        else if (!status->joined || status->chunks_out > 0)
            return 0;
        any |= status->item_ns > 0;
    }
    return any ? rate : -1;
}

double yk_dispatch_others_ns(const struct yk_dispatch *dispatch, int device)
{
    const double rate = others_rate(dispatch, device);
    return rate < 0 ? INFINITY : rate > 0 ? (double)dispatch->view.free_items / rate : 0;
}

double yk_dispatch_part_of(const struct yk_dispatch *dispatch, int device)
{
    const double others = others_rate(dispatch, device), mine = dispatch->status[device].item_ns;
    if (others < 0)
        return 1;
    return others > 0 && mine > 0 ? 1 / (1 + mine * others) : 1.0 / dispatch->view.device_count;
}

int yk_dispatch_out(const struct yk_dispatch *dispatch)
{
    return dispatch->out_count;
}

void yk_dispatch_find_undone(const struct yk_dispatch *dispatch,
                             int (*each)(void *context, const struct yk_undone *undone),
                             void *context)
{
    int64_t i;
    int d, index;
    for (i = 0; i < dispatch->free.count; i++)
        if (each(context, &(struct yk_undone){ dispatch->free.items[i], -1, -1 }))
            return;
    for (d = 0; d < dispatch->view.device_count; d++)
        for (index = dispatch->devices[d].outs; index >= 0; index = dispatch->outs[index].next) {
            const struct yk_out *out = &dispatch->outs[index];
            if (each(context,
                     &(struct yk_undone){ { out->chunk.first, out->chunk.last }, d, out->lane }))
                return;
        }
}

const struct yk_decision *yk_dispatch_decisions(const struct yk_dispatch *dispatch, size_t *count)
{
    *count = dispatch->decision_count;
    return dispatch->decisions;
}

uint32_t yk_dispatch_asked(const struct yk_dispatch *dispatch)
{
    const uint32_t asked =
        dispatch->partitioner->asked ? dispatch->partitioner->asked(dispatch->state) : 0;
    return asked ? asked : UINT32_MAX;
}

double yk_dispatch_predicted_ns(const struct yk_dispatch *dispatch)
{
    return dispatch->partitioner->predicted_ns
               ? dispatch->partitioner->predicted_ns(dispatch->state)
               : 0;
}

const char *yk_dispatch_partitioner(const struct yk_dispatch *dispatch)
{
    return dispatch->partitioner_text;
}

/* Returns 1 if the device has had only one chunk ever, which is not enough to judge it. */
static int is_untried(const struct yk_dispatch *dispatch, int device)
{
    const struct yk_split_status *status = &dispatch->status[device];
    return !status->known.host_memory && status->known.rate <= 0 && status->known.share < 0 &&
           status->chunks_done - dispatch->devices[device].apart_chunks == 1;
}

const char *yk_dispatch_reason(const struct yk_dispatch *dispatch, int device)
{
    char *reason = dispatch->devices[device].reason;
    if (!*reason && dispatch->left == 0 && dispatch->partitioner->explain)
        dispatch->partitioner->explain(dispatch->state, device, reason, reason_bytes);
    return *reason ? reason : NULL;
}

/* Several chunks show the time of an item apart from a chunk's cost, and so do cores that share
 * one. For a single chunk the slope by which the device's part was computed stays, unless that was
 * a guess. */
static double slope_of(const struct yk_split_status *status)
{
    const int tells = status->known.host_memory || status->chunks_done >= CHUNKS_TELL;
    return tells || status->known.guessed || !(status->known.line.item_ns > 0)
               ? status->item_ns
               : status->known.line.item_ns;
}

void yk_dispatch_outcome(const struct yk_dispatch *dispatch, int device,
                         struct yk_split_outcome *out)
{
    const struct yk_split_status *status = &dispatch->status[device];
    *out = (struct yk_split_outcome){ .items = status->items_done,
                                      .chunks = status->chunks_done,
                                      .given_back = status->given_back,
                                      .busy_ns = status->busy_ns,
                                      .rate = is_untried(dispatch, device) ? 0 : status->rate,
                                      .item_ns = slope_of(status),
                                      .fixed_ns = status->fixed_ns,
                                      .spread = status->dearest_ns * status->rate,
                                      .copied_bytes = status->copied_bytes,
                                      .copying = (double)dispatch->devices[device].staged_ns /
                                                 fmax(1, (double)status->busy_ns),
                                      .fetch_ns = dispatch->devices[device].fetch_ns,
                                      .work_ns = dispatch->devices[device].work_ns,
                                      .ended_ns = dispatch->devices[device].latest_end,
                                      .waited = dispatch->devices[device].waited,
                                      .left_out = dispatch->devices[device].left_out,
                                      .active = status->active };
}

static int free_in_order(const struct yk_dispatch *dispatch, int64_t *items)
{
    const struct yk_ranges *free = &dispatch->free;
    int64_t at;
    *items = 0;
    for (at = 0; at < free->count; at++) {
        const struct yk_interval *range = &free->items[at];
        if (range->first >= range->last || (at > 0 && range->first <= free->items[at - 1].last))
            return 0;
        *items += range->last - range->first;
    }
    return free->count == 0 || (free->items[0].first >= dispatch->view.first &&
                                free->items[free->count - 1].last <= dispatch->view.last);
}

/* The chunk shares no item with the free ones nor with other chunks that are out. */
static int apart(const struct yk_dispatch *dispatch, int device, int index)
{
    const struct yk_chunk *chunk = &dispatch->outs[index].chunk;
    int d, other;
    if (yk_ranges_items(&dispatch->free, (struct yk_interval){ chunk->first, chunk->last }) > 0)
        return 0;
    for (d = device; d < dispatch->view.device_count; d++) {
        other = d == device ? dispatch->outs[index].next : dispatch->devices[d].outs;
        for (; other >= 0; other = dispatch->outs[other].next)
            if (dispatch->outs[other].chunk.first < chunk->last &&
                chunk->first < dispatch->outs[other].chunk.last)
                return 0;
    }
    return 1;
}

int yk_dispatch_check(const struct yk_dispatch *dispatch)
{
    int64_t free_items, out_items = 0, device_items, done = 0;
    int chunks = 0, d, index;
    if (!free_in_order(dispatch, &free_items) || free_items != dispatch->view.free_items)
        return 0;
    for (d = 0; d < dispatch->view.device_count; d++) {
        device_items = 0;
        for (index = dispatch->devices[d].outs; index >= 0; index = dispatch->outs[index].next) {
            const struct yk_chunk *chunk = &dispatch->outs[index].chunk;
            device_items += chunk->last - chunk->first;
            chunks++;
            if (!apart(dispatch, d, index))
                return 0;
        }
        if (device_items != dispatch->status[d].items_out)
            return 0;
        out_items += device_items;
        done += dispatch->status[d].items_done;
    }
    return chunks == dispatch->out_count && free_items + out_items == dispatch->left &&
           done + dispatch->left == dispatch->view.last - dispatch->view.first;
}
