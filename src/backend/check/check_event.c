/* check_event.c - events of checked devices: a complete event stays complete, and its times are
 * read only afterwards.
 *
 * When poll or wait reports an event complete for the first time, an injected failure may replace
 * its outcome. The outcome is stored, and the operations in its past are no longer in flight.
 */
#include "../../base/alloc.h"
#include "../../base/status.h"
#include "check.h"

static yoke_status first_seen(struct check_event *event, yoke_status outcome)
{
    struct check_device *device = event->object.device;
    if (outcome == YOKE_OK)
        outcome = yk_check_inject(device, "event outcome");
    if (outcome == YOKE_EDEVICE)
        atomic_store(&device->lost, 1);
    yk_check_settle(&event->past);
    yk_check_lock();
    event->outcome = outcome;
    event->done = 1;
    yk_check_unlock();
    return outcome;
}

static int seen(struct check_event *event, yoke_status *outcome)
{
    yk_check_lock();
    int done = event->done;
    if (done)
        *outcome = event->outcome;
    yk_check_unlock();
    return done;
}

/* Compares what the backend reports now, `done` and `now`, with its first report: complete, with
 * outcome `before`. */
static void compare(struct check_event *event, int done, yoke_status now, yoke_status before)
{
    struct check_device *device = event->object.device;
    if (!done)
        yk_check_breach(device, "poll", "a complete event is pending again");
    else if (now != before && before != YOKE_EDEVICE && !atomic_load(&device->injected) &&
             !yk_backend_failed())
        yk_check_breach(device, "poll", "an event's outcome became '%s' from '%s'",
                        yoke_status_text(now), yoke_status_text(before));
}

int yk_check_poll(struct yk_event *handle, yoke_status *outcome)
{
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "poll");
    yoke_status inner = YOKE_OK, before;
    if (!event) {
        *outcome = YOKE_EINVAL;
        return 1;
    }
    int done = event->object.device->backend->poll(event->inner, &inner);
    if (seen(event, &before)) {
        compare(event, done, inner, before);
        *outcome = before;
        return 1;
    }
    if (done)
        *outcome = first_seen(event, inner);
    return done;
}

yoke_status yk_check_wait(struct yk_event *handle)
{
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "wait");
    yoke_status outcome;
    if (!event)
        return YOKE_EINVAL;
    yoke_status inner = event->object.device->backend->wait(event->inner);
    if (!seen(event, &outcome))
        return first_seen(event, inner);
    compare(event, 1, inner, outcome);
    return outcome;
}

yoke_status yk_check_notify(struct yk_event *handle, void (*fn)(void *context), void *context)
{
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "notify");
    if (!event)
        return YOKE_EINVAL;
    if (!fn)
        return yk_check_breach(event->object.device, "notify", "no function to call");
    return event->object.device->backend->notify(event->inner, fn, context);
}

void yk_check_event_times(struct yk_event *handle, struct yk_event_times *out)
{
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "event_times");
    struct yk_event_times times = { 0 };
    yoke_status outcome;
    if (!event)
        return;
    if (!seen(event, &outcome)) {
        yk_check_breach(event->object.device, "event_times", "asked before the event is complete");
        return;
    }
    event->object.device->backend->event_times(event->inner, &times);
    if (times.started && times.ended && times.ended < times.started)
        yk_check_breach(event->object.device, "event_times", "it ended before it started");
    *out = times;
}

void yk_check_event_hold(struct yk_event *handle)
{
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "event_hold");
    if (!event)
        return;
    yk_check_lock();
    event->holders++;
    yk_check_unlock();
}

/* Drops one holder. Returns 0 if it was the last. */
static int let_go(struct check_event *event)
{
    yk_check_lock();
    int held = event->holders > 0;
    event->holders -= held;
    yk_check_unlock();
    return held;
}

void yk_check_event_close(struct yk_event *handle)
{
    if (!handle)
        return;
    struct check_event *event = yk_check_find(NULL, CHECK_EVENT, handle, "event_close");
    if (!event || let_go(event))
        return;
    yk_check_remove(&event->object);
    event->object.device->backend->event_close(event->inner);
    yk_free(event);
}
