/* dispatch.c - see dispatch.h. Bookkeeping of one job's range; what a lane gets is the
 * partitioner's word.
 *
 * Every failing call fails at open: memory for what can come back to the range is reserved when a
 * chunk goes out (next gives YK_WAIT if it cannot be had), so done, returned and failed cannot
 * fail.
 */
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "free_set.h"
#include "partitioner.h"

struct out_chunk {
    struct yk_span span;
    uint32_t serial;
    int device;
};

struct device {
    struct yk_free_set completed; /* only with all_or_nothing: what failure gives back */
    int64_t busy_since;           /* while chunks are out */
    int64_t rate_items, rate_ns;  /* items done and busy time up to the latest done */
    char reason[160];             /* why it left, or what the partitioner says of it */
    int gone;
};

struct yk_dispatch {
    struct yk_free_set free;
    struct out_chunk *out;
    int out_count, out_capacity;
    int64_t left;
    int64_t unit;
    uint32_t serial;
    int all_or_nothing;
    struct yk_split_view view;
    struct yk_split_status *status; /* view.devices, writable */
    struct device *devices;
    const struct yk_partitioner *partitioner;
    void *settings, *state;
    char *full_name;
    struct yk_decision *decisions;
    size_t decision_count, decision_capacity;
};

enum { DECISIONS_MAX = 1 << 20 };

static yoke_status check_spec(const struct yk_split_spec *spec)
{
    int d;
    if (spec->last < spec->first || spec->unit < 1 || spec->device_count < 1)
        return yk_fail(YOKE_EINVAL,
                       "a range %lld .. %lld in units of %lld for %d devices cannot be split",
                       (long long)spec->first, (long long)spec->last, (long long)spec->unit,
                       spec->device_count);
    for (d = 0; d < spec->device_count; d++)
        if (spec->devices[d].lanes < 1 || spec->devices[d].fill < 1)
            return yk_fail(
                YOKE_EINVAL, "device %s: %d lanes, fill %lld; both have to be at least 1",
                spec->devices[d].name, spec->devices[d].lanes, (long long)spec->devices[d].fill);
    return YOKE_OK;
}

static yoke_status open_partitioner(struct yk_dispatch *dispatch, const char *text)
{
    const struct yk_partitioner *p = yk_partitioner_find(text);
    const char *settings = text ? strchr(text, ':') : NULL;
    yoke_status status;
    if (!p)
        return YOKE_EINVAL;
    dispatch->partitioner = p;
    dispatch->full_name = yk_strdup(text ? text : p->name);
    dispatch->settings = yk_calloc(1, p->settings_bytes ? p->settings_bytes : 1);
    if (!dispatch->full_name || !dispatch->settings)
        return YOKE_ENOMEM;
    if (!p->options && settings)
        return yk_fail(YOKE_EINVAL, "partitioner %s has no settings; leave out '%s'", p->name,
                       settings);
    if (p->options) {
        status = yk_options_default(p->options, dispatch->settings);
        if (status == YOKE_OK && settings)
            status = yk_options_parse(p->options, p->name, settings + 1, dispatch->settings);
        if (status != YOKE_OK)
            return status;
    }
    return p->open(&dispatch->view, dispatch->settings, &dispatch->state);
}

static yoke_status open_range(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    int d;
    dispatch->unit = spec->unit;
    dispatch->left = spec->last - spec->first;
    dispatch->all_or_nothing = spec->all_or_nothing;
    dispatch->status = yk_calloc((size_t)spec->device_count, sizeof *dispatch->status);
    dispatch->devices = yk_calloc((size_t)spec->device_count, sizeof *dispatch->devices);
    if (!dispatch->status || !dispatch->devices || yk_free_reserve(&dispatch->free, 8) != YOKE_OK)
        return YOKE_ENOMEM;
    yk_free_put(&dispatch->free, (struct yk_span){ spec->first, spec->last });
    for (d = 0; d < spec->device_count; d++) {
        dispatch->status[d].known = spec->devices[d];
        dispatch->status[d].active = 1;
    }
    dispatch->view = (struct yk_split_view){ .first = spec->first,
                                             .last = spec->last,
                                             .unit = spec->unit,
                                             .free = &dispatch->free,
                                             .free_items = dispatch->left,
                                             .device_count = spec->device_count,
                                             .devices = dispatch->status };
    return YOKE_OK;
}

yoke_status yk_dispatch_open(const struct yk_split_spec *spec, struct yk_dispatch **out)
{
    struct yk_dispatch *dispatch;
    yoke_status status = check_spec(spec);
    if (status != YOKE_OK)
        return status;
    dispatch = yk_calloc(1, sizeof *dispatch);
    if (!dispatch)
        return YOKE_ENOMEM;
    status = open_range(dispatch, spec);
    if (status == YOKE_OK)
        status = open_partitioner(dispatch, spec->partitioner);
    if (status != YOKE_OK) {
        yk_dispatch_close(dispatch);
        return status;
    }
    *out = dispatch;
    return YOKE_OK;
}

void yk_dispatch_close(struct yk_dispatch *dispatch)
{
    int d;
    if (!dispatch)
        return;
    if (dispatch->state)
        dispatch->partitioner->close(dispatch->state);
    if (dispatch->settings && dispatch->partitioner->options)
        yk_options_clear(dispatch->partitioner->options, dispatch->settings);
    for (d = 0; dispatch->devices && d < dispatch->view.device_count; d++)
        yk_free_close(&dispatch->devices[d].completed);
    yk_free_close(&dispatch->free);
    yk_free(dispatch->settings);
    yk_free(dispatch->full_name);
    yk_free(dispatch->decisions);
    yk_free(dispatch->out);
    yk_free(dispatch->status);
    yk_free(dispatch->devices);
    yk_free(dispatch);
}

/* --- taking part --- */

static void changed(struct yk_dispatch *dispatch, int device)
{
    dispatch->view.free_items = dispatch->free.items;
    if (dispatch->partitioner->changed)
        dispatch->partitioner->changed(dispatch->state, &dispatch->view, device);
}

void yk_dispatch_join(struct yk_dispatch *dispatch, int device, int64_t now)
{
    (void)now;
    dispatch->status[device].joined = 1;
    changed(dispatch, device);
}

static void keep_reason(struct yk_dispatch *dispatch, int device, const char *reason)
{
    struct device *d = &dispatch->devices[device];
    size_t length = strcspn(reason ? reason : "", "\n");
    if (length >= sizeof d->reason)
        length = sizeof d->reason - 1;
    memcpy(d->reason, reason ? reason : "", length);
    d->reason[length] = 0;
    d->gone = 1;
}

void yk_dispatch_leave(struct yk_dispatch *dispatch, int device, const char *reason)
{
    if (!dispatch->status[device].active)
        return;
    dispatch->status[device].active = 0;
    keep_reason(dispatch, device, reason);
    changed(dispatch, device);
}

static void take_back(struct yk_dispatch *dispatch, int device)
{
    struct yk_free_set *completed = &dispatch->devices[device].completed;
    int i = 0;
    while (i < dispatch->out_count) {
        if (dispatch->out[i].device != device) {
            i++;
            continue;
        }
        yk_free_put(&dispatch->free, dispatch->out[i].span);
        dispatch->out[i] = dispatch->out[--dispatch->out_count];
    }
    for (i = 0; i < completed->count; i++)
        yk_free_put(&dispatch->free, completed->spans[i]);
    dispatch->left += completed->items;
    dispatch->status[device].items_done -= completed->items;
    completed->items = completed->count = 0;
}

void yk_dispatch_failed(struct yk_dispatch *dispatch, int device, const char *reason)
{
    struct yk_split_status *status = &dispatch->status[device];
    take_back(dispatch, device);
    status->items_out = status->chunks_out = 0;
    status->active = 0;
    keep_reason(dispatch, device, reason);
    changed(dispatch, device);
}

/* --- chunks --- */

/* Room for everything that is out, and this one, to come back in pieces, and to be remembered as
 * completed. */
static int reserve(struct yk_dispatch *dispatch, int device)
{
    int spans = dispatch->free.count + 2 * (dispatch->out_count + 2);
    int d;
    if (dispatch->out_count == dispatch->out_capacity) {
        int capacity = dispatch->out_capacity ? 2 * dispatch->out_capacity : 8;
        struct out_chunk *grown = yk_realloc(dispatch->out, (size_t)capacity, sizeof *grown);
        if (!grown)
            return 0;
        dispatch->out = grown;
        dispatch->out_capacity = capacity;
    }
    if (dispatch->all_or_nothing) {
        struct yk_free_set *completed = &dispatch->devices[device].completed;
        if (yk_free_reserve(completed, completed->count + dispatch->out_count + 2) != YOKE_OK)
            return 0;
        for (d = 0; d < dispatch->view.device_count; d++)
            spans += dispatch->devices[d].completed.count;
    }
    return yk_free_reserve(&dispatch->free, spans) == YOKE_OK;
}

static void record(struct yk_dispatch *dispatch, const struct yk_decision *decision)
{
    if (dispatch->decision_count == dispatch->decision_capacity) {
        size_t capacity = dispatch->decision_capacity ? 2 * dispatch->decision_capacity : 16;
        struct yk_decision *grown = dispatch->decision_count < DECISIONS_MAX
                                        ? yk_realloc(dispatch->decisions, capacity, sizeof *grown)
                                        : NULL;
        if (!grown)
            return;
        dispatch->decisions = grown;
        dispatch->decision_capacity = capacity;
    }
    dispatch->decisions[dispatch->decision_count++] = *decision;
}

/* Bounds on the grid of units, at least one unit, within the limit where the limit is a unit or
 * more. */
static struct yk_span cut(const struct yk_dispatch *dispatch, const struct yk_take *take,
                          struct yk_span found, int64_t limit)
{
    int64_t unit = dispatch->unit, first = dispatch->view.first, items = take->items;
    if (limit > 0 && items > limit)
        items = limit;
    items = items < unit ? unit : items / unit * unit;
    if (found.last - found.first <= items)
        return found;
    if (take->from_high) {
        int64_t at = found.last - items;
        at = first + (at - first + unit - 1) / unit * unit;
        found.first = at < found.last ? at : at - unit;
    } else {
        int64_t at = first + (found.first + items - first) / unit * unit;
        found.last = at > found.first ? at : at + unit;
    }
    return found;
}

static void hand_out(struct yk_dispatch *dispatch, int device, struct yk_span span, int64_t now)
{
    struct yk_split_status *status = &dispatch->status[device];
    struct out_chunk *out = &dispatch->out[dispatch->out_count++];
    *out = (struct out_chunk){ .span = span, .serial = ++dispatch->serial, .device = device };
    yk_free_remove(&dispatch->free, span);
    dispatch->view.free_items = dispatch->free.items;
    if (status->chunks_out == 0)
        dispatch->devices[device].busy_since = now;
    status->chunks_out++;
    status->items_out += span.last - span.first;
}

/* Where the partitioner wants it, else anywhere. */
static int find(const struct yk_dispatch *dispatch, const struct yk_take *take, struct yk_span *out)
{
    struct yk_span all = { dispatch->view.first, dispatch->view.last };
    struct yk_span within = { take->first, take->last };
    if (take->first < take->last && yk_free_find(&dispatch->free, within, take->from_high, out))
        return 1;
    return yk_free_find(&dispatch->free, all, take->from_high, out);
}

enum yk_verdict yk_dispatch_next(struct yk_dispatch *dispatch, int device, int lane, int64_t now,
                                 struct yk_chunk *chunk, int64_t *wake_ns)
{
    struct yk_split_status *status = &dispatch->status[device];
    struct yk_take take = { 0 };
    struct yk_span span;
    int d, anyone = 0;
    *wake_ns = 0;
    for (d = 0; d < dispatch->view.device_count && !anyone; d++)
        anyone = dispatch->status[d].active;
    if (dispatch->left == 0 || !anyone)
        return YK_FINISHED;
    if (!status->active || !status->joined || dispatch->free.items == 0)
        return YK_WAIT;
    dispatch->partitioner->take(dispatch->state, &dispatch->view, device, lane, now, &take);
    if (take.items <= 0 || !find(dispatch, &take, &span)) {
        *wake_ns = take.wake_ns;
        return YK_WAIT;
    }
    if (!reserve(dispatch, device)) {
        *wake_ns = now + 1000000; /* memory may be there again */
        return YK_WAIT;
    }
    span = cut(dispatch, &take, span, status->known.limit);
    hand_out(dispatch, device, span, now);
    *chunk = (struct yk_chunk){ .first = span.first,
                                .last = span.last,
                                .piece = take.piece,
                                .serial = dispatch->serial,
                                .reason = take.reason };
    if (chunk->piece <= 0 || chunk->piece > span.last - span.first)
        chunk->piece = span.last - span.first;
    chunk->piece = (chunk->piece + dispatch->unit - 1) / dispatch->unit * dispatch->unit;
    record(dispatch, &(struct yk_decision){ .when = now,
                                            .first = span.first,
                                            .last = span.last,
                                            .device = device,
                                            .lane = lane,
                                            .reason = take.reason });
    return YK_TAKE;
}

/* The chunk is not out any more; 0 if it was not (its device failed meanwhile). */
static int call_in(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk)
{
    struct yk_split_status *status = &dispatch->status[device];
    int i;
    for (i = 0; i < dispatch->out_count; i++)
        if (dispatch->out[i].serial == chunk->serial)
            break;
    if (i == dispatch->out_count)
        return 0;
    dispatch->out[i] = dispatch->out[--dispatch->out_count];
    status->chunks_out--;
    status->items_out -= chunk->last - chunk->first;
    return 1;
}

static void account(struct yk_dispatch *dispatch, int device, int64_t completed, int64_t ended)
{
    struct yk_split_status *status = &dispatch->status[device];
    struct device *d = &dispatch->devices[device];
    if (ended > d->busy_since) {
        status->busy_ns += ended - d->busy_since;
        d->busy_since = ended;
    }
    status->items_done += completed;
    status->chunks_done++;
    d->rate_items += completed;
    d->rate_ns = status->busy_ns;
    if (d->rate_ns > 0)
        status->rate = (double)d->rate_items / (double)d->rate_ns;
}

void yk_dispatch_done(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk,
                      int64_t completed, const struct yk_chunk_times *times)
{
    struct yk_span done = { chunk->first, chunk->first + completed };
    if (!call_in(dispatch, device, chunk))
        return;
    account(dispatch, device, completed, times->ended);
    dispatch->left -= completed;
    if (dispatch->all_or_nothing)
        yk_free_put(&dispatch->devices[device].completed, done);
    yk_free_put(&dispatch->free, (struct yk_span){ done.last, chunk->last });
    dispatch->view.free_items = dispatch->free.items;
    if (dispatch->partitioner->observe)
        dispatch->partitioner->observe(dispatch->state, &dispatch->view, device, completed, times);
}

void yk_dispatch_limit(struct yk_dispatch *dispatch, int device, int64_t limit)
{
    dispatch->status[device].known.limit = limit;
}

void yk_dispatch_returned(struct yk_dispatch *dispatch, int device, const struct yk_chunk *chunk,
                          int64_t limit)
{
    if (!call_in(dispatch, device, chunk))
        return;
    yk_free_put(&dispatch->free, (struct yk_span){ chunk->first, chunk->last });
    if (limit > 0)
        dispatch->status[device].known.limit = limit;
    changed(dispatch, device);
}

/* --- what there is to know --- */

int64_t yk_dispatch_left(const struct yk_dispatch *dispatch)
{
    return dispatch->left;
}

int yk_dispatch_out(const struct yk_dispatch *dispatch)
{
    return dispatch->out_count;
}

void yk_dispatch_outcome(const struct yk_dispatch *dispatch, int device,
                         struct yk_split_outcome *out)
{
    const struct yk_split_status *status = &dispatch->status[device];
    struct device *d = &dispatch->devices[device];
    if (!d->gone && dispatch->partitioner->explain)
        dispatch->partitioner->explain(dispatch->state, &dispatch->view, device, d->reason,
                                       sizeof d->reason);
    out->items = status->items_done;
    out->chunks = status->chunks_done;
    out->busy_ns = status->busy_ns;
    out->rate = status->rate;
    out->fixed_ns = status->known.fixed_ns;
    out->active = status->active;
    out->reason = d->reason[0] ? d->reason : NULL;
}

const struct yk_decision *yk_dispatch_decisions(const struct yk_dispatch *dispatch, size_t *count)
{
    *count = dispatch->decision_count;
    return dispatch->decisions;
}

const char *yk_dispatch_partitioner(const struct yk_dispatch *dispatch)
{
    return dispatch->full_name;
}

int yk_dispatch_check(const struct yk_dispatch *dispatch)
{
    int64_t out = 0;
    int i;
    for (i = 0; i < dispatch->out_count; i++)
        out += dispatch->out[i].span.last - dispatch->out[i].span.first;
    return yk_free_check(&dispatch->free) && dispatch->free.items + out == dispatch->left &&
           dispatch->free.items == dispatch->view.free_items;
}
