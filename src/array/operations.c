/* operations.c - waits for the operations of a place, and remembers its latest uploads. */
#include "place.h"

#include "../base/status.h"
#include "../base/wake_time.h"
#include "../platform/clock.h"

yoke_status yk_place_await(struct yk_place *place, struct yk_event *event)
{
    const struct yk_backend *backend = place->device->backend;
    yoke_status outcome = YOKE_OK;
    if (!event)
        return YOKE_OK;
    if (place->device->desc.virtual_clock) {
        while (!backend->poll(event, &outcome)) {
            /* The clock cannot move, so nothing is under way. But another thread may just have
             * moved it past this event's end. */
            if (!backend->advance(0) && !backend->poll(event, &outcome)) {
                outcome = yk_fail(YOKE_EDEVICE, "%s: an operation never completes",
                                  place->device->desc.name);
                break;
            }
        }
    } else {
        outcome = backend->wait(event);
    }
    return outcome;
}

yoke_status yk_place_wait(struct yk_place *place, struct yk_event *event)
{
    yoke_status outcome = yk_place_await(place, event);
    if (event)
        place->device->backend->event_close(event);
    return outcome;
}

/* Returns how long a thread watches a copy of so many bytes: as long as the copy should take and,
 * in case it begins late, for as long as a sleep would cost (ski rental). 0: it sleeps. */
static int64_t watch_ns(const struct yk_device_desc *desc, int64_t bytes)
{
    const double lasts_ns =
        desc->link_bytes_per_ns > 0 ? (double)bytes / desc->link_bytes_per_ns : 0;
    return !desc->virtual_clock && lasts_ns < YK_CALLER_BRIEF_NS ? (int64_t)lasts_ns + YK_WAKE_NS
                                                                 : 0;
}

yoke_status yk_place_watch_copy(struct yk_place *place, struct yk_event *event, int64_t bytes)
{
    const struct yk_backend *backend = place->device->backend;
    const int64_t until = yk_clock_ns() + watch_ns(&place->device->desc, bytes);
    yoke_status outcome;
    while (event && yk_clock_ns() < until && !backend->poll(event, &outcome))
        yk_pause();
    return yk_place_wait(place, event);
}

static struct yk_event **recent(struct yk_place *place, uint64_t number)
{
    return &place->recent_uploads[number % YK_RECENT_UPLOADS];
}

/* Counts the upload. Keeps its event only if other devices can read this place's memory. */
static void note_recent(struct yk_place *place, struct yk_event *event)
{
    const struct yk_backend *backend = place->device->backend;
    struct yk_event **at, *before;
    if (!backend->event_hold)
        event = NULL;
    if (event)
        backend->event_hold(event);
    yk_lock(&place->lend_lock);
    at = recent(place, ++place->uploads);
    before = *at;
    *at = event;
    yk_unlock(&place->lend_lock);
    backend->event_close(before);
}

uint64_t yk_place_uploaded(struct yk_place *place)
{
    uint64_t number;
    yk_lock(&place->lend_lock);
    number = place->uploads;
    yk_unlock(&place->lend_lock);
    return number;
}

struct yk_event *yk_place_upload_of(struct yk_place *place, uint64_t number)
{
    struct yk_event *event;
    yk_lock(&place->lend_lock);
    if (number + YK_RECENT_UPLOADS <= place->uploads)
        number = place->uploads + 1 - YK_RECENT_UPLOADS;
    event = *recent(place, number);
    if (event)
        place->device->backend->event_hold(event);
    yk_unlock(&place->lend_lock);
    return event;
}

void yk_place_uploading(struct yk_place *place, struct yk_event *event, struct yk_slot *slot)
{
    note_recent(place, event);
    if (place->last_upload && !place->lender)
        place->device->backend->event_close(place->last_upload);
    place->last_upload = event;
    place->lender = slot;
    if (slot)
        slot->event = event;
}

int yk_place_poll(struct yk_place *place, struct yk_event *event, yoke_status *outcome)
{
    if (!event) {
        *outcome = YOKE_OK;
        return 1;
    }
    return place->device->backend->poll(event, outcome);
}
