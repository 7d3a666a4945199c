/* dispatch_life.c - see dispatch.h: opens and closes a dispatcher, and opens one again in the
 * memory of a finished one. */
#include <math.h>
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
                       "the range [%lld, %lld) ends before it begins or is too long; give first <= "
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

static void close_state(struct yk_dispatch *dispatch)
{
    if (dispatch->state)
        dispatch->partitioner->close(dispatch->state);
    dispatch->state = NULL;
}

static yoke_status open_state(struct yk_dispatch *dispatch)
{
    const struct yk_partitioner *partitioner = dispatch->partitioner;
    if (dispatch->state && partitioner->reopen &&
        dispatch->state_devices == dispatch->view.device_count) {
        partitioner->reopen(dispatch->state, &dispatch->view);
        return YOKE_OK;
    }
    close_state(dispatch);
    dispatch->state_devices = dispatch->view.device_count;
    return partitioner->open(&dispatch->view, dispatch->settings, &dispatch->state);
}

static void forget_partitioner(struct yk_dispatch *dispatch)
{
    close_state(dispatch);
    if (dispatch->partitioner && dispatch->partitioner->options)
        yk_options_clear(dispatch->partitioner->options, dispatch->settings);
    yk_free(dispatch->settings);
    yk_free(dispatch->partitioner_text);
    dispatch->partitioner = NULL;
    dispatch->settings = dispatch->partitioner_text = NULL;
}

/* Finds the partitioner of "name" or "name:settings" and reads its settings. */
static yoke_status choose(struct yk_dispatch *dispatch, const char *text)
{
    const struct yk_partitioner *found;
    text = text ? text : yk_partitioners[0]->name;
    /* keeps only a partitioner without options: others read the environment, which may have
     * changed */
    if (dispatch->partitioner && !dispatch->partitioner->options &&
        strcmp(text, dispatch->partitioner_text) == 0)
        return YOKE_OK;
    forget_partitioner(dispatch);
    found = yk_partitioner_find(text);
    if (!found)
        return YOKE_EINVAL;
    dispatch->partitioner_text = yk_strdup(text);
    dispatch->settings = yk_calloc(1, found->settings_bytes);
    if (!dispatch->partitioner_text || !dispatch->settings)
        return YOKE_ENOMEM;
    dispatch->partitioner = found; /* from here on its settings have to be cleared */
    return yk_partitioner_read(found, text, dispatch->settings);
}

static size_t name_bytes(const struct yk_split_device *device)
{
    return strlen(device->name ? device->name : "") + 1;
}

/* The bytes that a device's name and reason take. */
static size_t text_bytes(const struct yk_split_device *device)
{
    return name_bytes(device) + reason_bytes;
}

/* A dispatcher's arrays of devices. */
struct room {
    struct yk_split_status *status;
    struct yk_device_state *devices;
    char *texts;
};

static void free_room(struct room room)
{
    yk_free(room.texts);
    yk_free(room.devices);
    yk_free(room.status);
}

static struct room room_of(const struct yk_dispatch *dispatch)
{
    return (struct room){ dispatch->status, dispatch->devices, dispatch->texts };
}

/* Copies device d, with its texts, to other arrays. */
static void copy_device(const struct yk_dispatch *dispatch, int d, struct room to)
{
    const struct yk_split_device *known = &dispatch->status[d].known;
    char *text = to.texts + (known->name - dispatch->texts);
    to.status[d] = dispatch->status[d];
    to.devices[d] = dispatch->devices[d];
    to.status[d].known.name = memcpy(text, known->name, text_bytes(known));
    to.devices[d].reason = text + name_bytes(known);
}

/* Makes room for `count` devices, whose names and reasons take `bytes`. The first `kept` devices
 * stay. After an error everything is as before. */
static yoke_status make_room(struct yk_dispatch *dispatch, int kept, size_t count, size_t bytes)
{
    struct room room;
    int d;
    if (count <= dispatch->device_capacity && bytes <= dispatch->text_capacity)
        return YOKE_OK;
    room = (struct room){ yk_calloc(count, sizeof *room.status),
                          yk_calloc(count, sizeof *room.devices), yk_calloc(bytes, 1) };
    if (!room.status || !room.devices || !room.texts) {
        free_room(room);
        return YOKE_ENOMEM;
    }
    for (d = 0; d < kept; d++)
        copy_device(dispatch, d, room);
    free_room(room_of(dispatch));
    dispatch->view.devices = dispatch->status = room.status;
    dispatch->devices = room.devices;
    dispatch->texts = room.texts;
    dispatch->device_capacity = count;
    dispatch->text_capacity = bytes;
    return YOKE_OK;
}

/* Opens device d, with its name and reason at `text`. Returns the end of these. */
static char *open_device(struct yk_dispatch *dispatch, int d, const struct yk_split_device *given,
                         char *text)
{
    const struct yk_split_view *view = &dispatch->view;
    struct yk_split_status *status = &dispatch->status[d];
    struct yk_device_state *device = &dispatch->devices[d];
    *status = (struct yk_split_status){ .known = *given, .active = 1 };
    if (!(given->rate > 0) || isinf(given->rate))
        status->known.rate = 0;
    if (!(given->share >= 0) || given->share > 1)
        status->known.share = -1;
    status->known.name = memcpy(text, given->name ? given->name : "", name_bytes(given));
    text += name_bytes(given);
    *device = (struct yk_device_state){ .outs = -1, .kept = -1, .reason = text };
    *text = 0;
    yk_speed_open(&device->speed, &status->known, (double)(view->last - view->first));
    status->item_ns = device->speed.item_ns;
    status->fixed_ns = device->speed.fixed_ns;
    return text + reason_bytes;
}

static yoke_status open_devices(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    size_t bytes = 0;
    yoke_status made;
    char *text;
    int d;
    for (d = 0; d < spec->device_count; d++)
        bytes += text_bytes(&spec->devices[d]);
    made = make_room(dispatch, 0, (size_t)spec->device_count, bytes);
    text = dispatch->texts;
    for (d = 0; made == YOKE_OK && d < spec->device_count; d++)
        text = open_device(dispatch, d, &spec->devices[d], text);
    return made;
}

/* The whole range is free and nothing is known; allocated memory stays. */
static void begin_anew(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    int64_t i;
    dispatch->free.count = dispatch->kept_count = 0;
    dispatch->outs_unused = -1;
    for (i = 0; i < dispatch->outs_capacity; i++) {
        dispatch->outs[i].next = dispatch->outs_unused;
        dispatch->outs_unused = (int)i;
    }
    dispatch->out_count = dispatch->joined_count = dispatch->refused_count = 0;
    dispatch->decision_count = 0;
    dispatch->now = 0;
    dispatch->serial = 0;
    dispatch->all_or_nothing = spec->all_or_nothing != 0;
    dispatch->recording = 1;
    dispatch->epoch = 1;
    dispatch->active_count = spec->device_count;
    dispatch->left = spec->last - spec->first;
    dispatch->view = (struct yk_split_view){ .first = spec->first,
                                             .last = spec->last,
                                             .unit = spec->unit,
                                             .free_items = dispatch->left,
                                             .free = &dispatch->free,
                                             .late = spec->late,
                                             .crowded = spec->crowded,
                                             .planned = spec->planned,
                                             .planned_ns = spec->planned_ns,
                                             .awaits_ns = spec->awaits_ns,
                                             .settles = spec->settles,
                                             .device_count = spec->device_count };
    if (spec->adjust)
        dispatch->view.adjust = *spec->adjust;
}

yoke_status yk_dispatch_reopen(struct yk_dispatch *dispatch, const struct yk_split_spec *spec)
{
    yoke_status status = check_spec(spec);
    int d;
    if (status != YOKE_OK)
        return status;
    begin_anew(dispatch, spec);
    status = open_devices(dispatch, spec);
    if (status != YOKE_OK)
        return status;
    dispatch->view.devices = dispatch->status;
    status = yk_dispatch_reserve(dispatch, 16 + 2 * (int64_t)spec->device_count);
    if (status != YOKE_OK)
        return status;
    yk_ranges_add(&dispatch->free, (struct yk_interval){ spec->first, spec->last });
    status = choose(dispatch, spec->partitioner);
    if (status == YOKE_OK)
        status = open_state(dispatch);
    for (d = 0; d < spec->device_count; d++)
        dispatch->status[d].known.fit = NULL;
    return status;
}

/* Gives the partitioner a new state, for one more device than before. */
static yoke_status renew_state(struct yk_dispatch *dispatch)
{
    void *state;
    yoke_status status;
    dispatch->view.device_count++;
    status = dispatch->partitioner->open(&dispatch->view, dispatch->settings, &state);
    if (status != YOKE_OK) {
        dispatch->view.device_count--;
        return status;
    }
    close_state(dispatch);
    dispatch->state = state;
    dispatch->state_devices = dispatch->view.device_count;
    return YOKE_OK;
}

yoke_status yk_dispatch_admit(struct yk_dispatch *dispatch, const struct yk_split_device *device)
{
    const int count = dispatch->view.device_count;
    size_t used = 0;
    int d;
    yoke_status status = check_device(device, count);
    for (d = 0; d < count; d++)
        used += text_bytes(&dispatch->status[d].known);
    if (status == YOKE_OK)
        status = make_room(dispatch, count, (size_t)count + 1, used + text_bytes(device));
    if (status != YOKE_OK)
        return status;
    open_device(dispatch, count, device, dispatch->texts + used);
    dispatch->status[count].known.fit = NULL;
    status = renew_state(dispatch);
    if (status != YOKE_OK)
        return status;
    dispatch->active_count++;
    yk_dispatch_event(dispatch, dispatch->now);
    return YOKE_OK;
}

void yk_dispatch_await_none(struct yk_dispatch *dispatch)
{
    dispatch->view.awaits_ns = 0;
}

yoke_status yk_dispatch_open(const struct yk_split_spec *spec, struct yk_dispatch **out)
{
    struct yk_dispatch *dispatch;
    yoke_status status;
    if (!spec || !out)
        return yk_fail(YOKE_EINVAL, "yk_dispatch_open: %s is NULL; give both",
                       spec ? "out" : "spec");
    dispatch = yk_calloc(1, sizeof *dispatch);
    if (!dispatch)
        return YOKE_ENOMEM;
    status = yk_dispatch_reopen(dispatch, spec);
    if (status == YOKE_OK)
        *out = dispatch;
    else
        yk_dispatch_close(dispatch);
    return status;
}

void yk_dispatch_close(struct yk_dispatch *dispatch)
{
    if (!dispatch)
        return;
    forget_partitioner(dispatch);
    yk_free(dispatch->decisions);
    yk_free(dispatch->kept);
    yk_free(dispatch->outs);
    yk_ranges_close(&dispatch->free);
    free_room(room_of(dispatch));
    yk_free(dispatch);
}
