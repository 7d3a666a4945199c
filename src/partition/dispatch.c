/* dispatch.c - see dispatch.h: opening and closing a dispatcher, and who takes part. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "dispatch_state.h"

static yoke_status check_device(const struct yk_split_device *device, int number)
{
    const char *name = device->name ? device->name : "a device";
    if (device->lanes < 1)
        return yk_fail(YOKE_EINVAL, "%s (device %d) has %d lanes; it needs 1 at least", name,
                       number, device->lanes);
    if (device->fill < 1 || device->limit < 0 || device->lane_fill < 0)
        return yk_fail(YOKE_EINVAL,
                       "%s (device %d): fill %lld, of a lane %lld, limit %lld; fill is 1 at least, "
                       "the others 0 or more",
                       name, number, (long long)device->fill, (long long)device->lane_fill,
                       (long long)device->limit);
    return YOKE_OK;
}

static yoke_status check_spec(const struct yk_split_spec *spec)
{
    int64_t items;
    int d;
    if (spec->first > spec->last || __builtin_sub_overflow(spec->last, spec->first, &items))
        return yk_fail(YOKE_EINVAL,
                       "the range %lld .. %lld ends before it begins or is too long; give first <= "
                       "last, less than 2^63 items",
                       (long long)spec->first, (long long)spec->last);
    if (spec->unit < 1)
        return yk_fail(YOKE_EINVAL, "the unit of a range is %lld items; it is 1 at least",
                       (long long)spec->unit);
    if (spec->device_count < 1 || !spec->devices)
        return yk_fail(YOKE_EINVAL, "a range is split over %d devices; give 1 at least",
                       spec->device_count);
    for (d = 0; d < spec->device_count; d++) {
        yoke_status status = check_device(&spec->devices[d], d);
        if (status != YOKE_OK)
            return status;
    }
    return YOKE_OK;
}

/* "name" or "name:settings" into the partitioner's table and its settings. */
static yoke_status choose(struct yk_dispatch *dispatch, const char *text)
{
    const struct yk_partitioner *found;
    text = text ? text : yk_partitioners[0]->name;
    found = yk_partitioner_find(text);
    if (!found)
        return YOKE_EINVAL;
    dispatch->partitioner_text = yk_strdup(text);
    dispatch->settings = yk_calloc(1, found->settings_bytes);
    if (!dispatch->partitioner_text || !dispatch->settings)
        return YOKE_ENOMEM;
    dispatch->partitioner = found; /* whose settings are to be cleared from here on */
    return yk_partitioner_read(found, text, dispatch->settings);
}

static size_t name_bytes(const struct yk_split_device *device)
{
    return strlen(device->name ? device->name : "") + 1;
}

static yoke_status open_devices(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    size_t bytes = 0, count = (size_t)spec->device_count;
    char *text;
    int d;
    for (d = 0; d < spec->device_count; d++)
        bytes += name_bytes(&spec->devices[d]) + reason_bytes;
    dispatch->status = yk_calloc(count, sizeof *dispatch->status);
    dispatch->devices = yk_calloc(count, sizeof *dispatch->devices);
    dispatch->texts = text = yk_calloc(bytes, 1);
    if (!dispatch->status || !dispatch->devices || !text)
        return YOKE_ENOMEM;
    for (d = 0; d < spec->device_count; d++) {
        const struct yk_split_device *given = &spec->devices[d];
        struct yk_split_status *status = &dispatch->status[d];
        struct yk_device_state *device = &dispatch->devices[d];
        *status = (struct yk_split_status){ .known = *given, .active = 1 };
        if (!(given->rate > 0) || isinf(given->rate))
            status->known.rate = 0;
        if (!(given->share >= 0) || given->share > 1)
            status->known.share = -1;
        status->known.name = memcpy(text, given->name ? given->name : "", name_bytes(given));
        text += name_bytes(given);
        device->reason = text;
        text += reason_bytes;
        device->outs = device->kept = -1;
        yk_speed_open(&device->speed, &status->known, (double)(spec->last - spec->first));
        status->item_ns = device->speed.item_ns;
        status->fixed_ns = device->speed.fixed_ns;
    }
    return YOKE_OK;
}

static void describe_range(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    dispatch->all_or_nothing = spec->all_or_nothing != 0;
    dispatch->outs_unused = -1;
    dispatch->recording = 1;
    dispatch->epoch = 1;
    dispatch->active_count = spec->device_count;
    dispatch->left = spec->last - spec->first;
    dispatch->view = (struct yk_split_view){ .first = spec->first,
                                             .last = spec->last,
                                             .unit = spec->unit,
                                             .free_items = dispatch->left,
                                             .free = &dispatch->free,
                                             .device_count = spec->device_count };
}

yoke_status yk_dispatch_open(const struct yk_split_spec *spec, struct yk_dispatch **out)
{
    struct yk_dispatch *dispatch;
    yoke_status status;
    if (!spec || !out)
        return yk_fail(YOKE_EINVAL, "yk_dispatch_open: %s is NULL; give both",
                       spec ? "out" : "spec");
    status = check_spec(spec);
    if (status != YOKE_OK)
        return status;
    dispatch = yk_calloc(1, sizeof *dispatch);
    if (!dispatch)
        return YOKE_ENOMEM;
    describe_range(dispatch, spec);
    status = open_devices(dispatch, spec);
    if (status != YOKE_OK)
        goto close;
    dispatch->view.devices = dispatch->status;
    status = yk_dispatch_reserve(dispatch, 16 + 2 * (int64_t)spec->device_count);
    if (status != YOKE_OK)
        goto close;
    yk_ranges_add(&dispatch->free, (struct yk_range){ spec->first, spec->last });
    status = choose(dispatch, spec->partitioner);
    if (status != YOKE_OK)
        goto close;
    status = dispatch->partitioner->open(&dispatch->view, dispatch->settings, &dispatch->state);
    if (status != YOKE_OK)
        goto close;
    *out = dispatch;
    return YOKE_OK;
close:
    yk_dispatch_close(dispatch);
    return status;
}

void yk_dispatch_close(struct yk_dispatch *dispatch)
{
    if (!dispatch)
        return;
    if (dispatch->state)
        dispatch->partitioner->close(dispatch->state);
    if (dispatch->partitioner && dispatch->partitioner->options)
        yk_options_clear(dispatch->partitioner->options, dispatch->settings);
    yk_free(dispatch->settings);
    yk_free(dispatch->partitioner_text);
    yk_free(dispatch->decisions);
    yk_free(dispatch->kept);
    yk_free(dispatch->outs);
    yk_ranges_close(&dispatch->free);
    yk_free(dispatch->texts);
    yk_free(dispatch->devices);
    yk_free(dispatch->status);
    yk_free(dispatch);
}

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
        dispatch->partitioner->changed(dispatch->state, &dispatch->view, device);
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

/* It gets nothing more; 1 if it took part until then. */
static int end_part(struct yk_dispatch *dispatch, int device, const char *reason)
{
    struct yk_split_status *status = &dispatch->status[device];
    if (!status->active)
        return 0;
    status->active = 0;
    dispatch->active_count--;
    dispatch->joined_count -= status->joined;
    snprintf(dispatch->devices[device].reason, reason_bytes, "%s", reason ? reason : "");
    return 1;
}

void yk_dispatch_limit(struct yk_dispatch *dispatch, int device, int64_t limit)
{
    dispatch->status[device].known.limit = limit > 0 ? limit : 0;
    yk_dispatch_event(dispatch, dispatch->now);
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

/* With all_or_nothing: what the device completed is to be done again. */
static void take_back(struct yk_dispatch *dispatch, int device)
{
    int64_t from, to = 0;
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
    }
    dispatch->kept_count = to;
    dispatch->devices[device].kept = -1;
    dispatch->status[device].items_done = 0;
}

void yk_dispatch_failed(struct yk_dispatch *dispatch, int device, const char *reason)
{
    const struct yk_device_state *state = &dispatch->devices[device];
    int part = end_part(dispatch, device, reason);
    if (!part && state->kept < 0 && state->outs < 0)
        return;
    yk_dispatch_recall(dispatch, device);
    if (!part) /* it left before, and now what it had under way or kept is lost as well */
        snprintf(dispatch->devices[device].reason, reason_bytes, "%s", reason ? reason : "");
    if (dispatch->all_or_nothing)
        take_back(dispatch, device);
    yk_dispatch_event(dispatch, dispatch->now);
    tell_changed(dispatch, device);
}
