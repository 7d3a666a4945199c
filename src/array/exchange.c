/* exchange.c - see exchange.h. */
#include "exchange.h"

#include <string.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "place.h"

/* In ns, from the end of a copy to the start of a kernel that waits for it on another queue: 5.6 us
 * on two H200s. A copy that takes less goes into the queue of the kernel that needs it. */
static const double hop_ns = 5000;

struct yk_exchange_copy {
    struct yk_event *event; /* NULL: the copy was complete when it was issued */
    struct yk_queue *queue;
    struct yk_place *source;
    int over;   /* 1: it is known to be over */
    int waited; /* number of threads that wait for it without the lock; they need `event` */
};

yoke_status yk_exchange_open(struct yk_place *place)
{
    if (place->exchange.queue)
        return YOKE_OK;
    return place->device->backend->queue_open(place->device, &place->exchange.queue);
}

void yk_exchange_close(struct yk_place *place)
{
    struct yk_exchange *exchange = &place->exchange;
    int i;
    for (i = 0; i < exchange->count; i++)
        place->device->backend->event_close(exchange->copies[i].event);
    if (exchange->queue)
        place->device->backend->queue_close(exchange->queue);
    yk_free(exchange->copies);
    *exchange = (struct yk_exchange){ 0 };
}

static uint64_t number_of(const struct yk_exchange *exchange, int i)
{
    return exchange->issued - (uint64_t)(exchange->count - 1 - i);
}

/* Notes that copy i is over, as the driver has just reported. */
static void note_end(struct yk_place *place, int i, yoke_status outcome)
{
    struct yk_exchange *exchange = &place->exchange;
    struct yk_exchange_copy *copy = &exchange->copies[i];
    struct yk_event_times times = { 0 };
    copy->over = 1;
    if (outcome == YOKE_ELOST)
        atomic_store(&copy->source->lost, 1); /* the thread that drives it handles the loss */
    if (outcome != YOKE_OK && number_of(exchange, i) > exchange->failed)
        exchange->failed = number_of(exchange, i);
    if (outcome != YOKE_OK || !exchange->timed || !copy->event)
        return;
    place->device->backend->event_times(copy->event, &times);
    if (!exchange->ran.started || times.started < exchange->ran.started)
        exchange->ran.started = times.started;
    if (times.ended > exchange->ran.ended)
        exchange->ran.ended = times.ended;
}

/* Notes, in order, which copies are over, and forgets those that no thread waits for. */
static void sweep(struct yk_place *place)
{
    struct yk_exchange *exchange = &place->exchange;
    yoke_status outcome;
    int i, gone = 0;
    for (i = 0; i < exchange->count; i++) {
        if (exchange->copies[i].over)
            continue;
        if (!yk_place_poll(place, exchange->copies[i].event, &outcome))
            break;
        note_end(place, i, outcome);
    }
    while (gone < exchange->count && exchange->copies[gone].over && !exchange->copies[gone].waited)
        place->device->backend->event_close(exchange->copies[gone++].event);
    exchange->count -= gone;
    if (gone && exchange->count)
        memmove(exchange->copies, exchange->copies + gone,
                (size_t)exchange->count * sizeof *exchange->copies);
}

/* Makes room for one more copy. Polling takes driver time, so the earlier copies are polled only
 * when the list is full (or when a thread waits for one). */
static yoke_status reserve(struct yk_place *place)
{
    struct yk_exchange *exchange = &place->exchange;
    int capacity = exchange->capacity ? 2 * exchange->capacity : 16;
    struct yk_exchange_copy *copies;
    if (exchange->count == exchange->capacity)
        sweep(place);
    if (exchange->count < exchange->capacity)
        return YOKE_OK;
    copies = yk_realloc(exchange->copies, (size_t)capacity, sizeof *copies);
    if (!copies)
        return YOKE_ENOMEM;
    exchange->copies = copies;
    exchange->capacity = capacity;
    return YOKE_OK;
}

struct yk_event *yk_exchange_latest(const struct yk_exchange *exchange,
                                    const struct yk_queue *queue)
{
    const int last = exchange->count - 1;
    return last < 0 || exchange->copies[last].queue == queue ? NULL : exchange->copies[last].event;
}

/* Lock held. `copy` has bytes, buffers and events to wait for; there is room for it in the list. */
static yoke_status issue(struct yk_place *place, struct yk_place *source, struct yk_queue *queue,
                         struct yk_copy copy)
{
    struct yk_exchange *exchange = &place->exchange;
    struct yk_event *event = NULL;
    yoke_status status;
    copy.kind = YK_COPY_PEER;
    copy.peer = source->device;
    copy.timed = exchange->timed;
    copy.passing = 1;
    status = place->device->backend->copy(queue, &copy, &event);
    if (status != YOKE_OK)
        return status;
    exchange->copies[exchange->count++] =
        (struct yk_exchange_copy){ .event = event, .queue = queue, .source = source };
    exchange->issued++;
    return YOKE_OK;
}

yoke_status yk_exchange_issue(struct yk_place *place, struct yk_place *source,
                              const struct yk_copy *copy, const struct yk_exchange_after *after)
{
    struct yk_event *before[3 + YK_BEHIND_MOST] = { NULL };
    struct yk_copy ordered = *copy;
    const int is_short = (double)yk_copy_total(copy) < hop_ns * place->reach[source->number];
    struct yk_queue *queue = is_short && after->queue ? after->queue : place->exchange.queue;
    yoke_status status;
    ordered.after = before;
    ordered.after_count = 3;
    if (after->upload)
        before[0] = yk_place_upload_of(source, after->upload);
    for (int i = 0; after->behind && i < after->behind->count; i++)
        before[ordered.after_count++] = after->behind->kernel[i];
    yk_lock(&place->lock);
    if (after->own)
        before[1] = place->last_upload;
    status = reserve(place);
    if (status == YOKE_OK) {
        before[2] = yk_exchange_latest(&place->exchange, queue);
        status = issue(place, source, queue, ordered);
    }
    yk_unlock(&place->lock);
    source->device->backend->event_close(before[0]);
    return status;
}

void yk_exchange_begin(struct yk_place *place)
{
    yk_lock(&place->lock);
    if (place->exchange.unsettled++ == 0)
        place->exchange.since = place->exchange.issued + 1;
    yk_unlock(&place->lock);
}

void yk_exchange_settled(struct yk_place *place)
{
    yk_lock(&place->lock);
    place->exchange.unsettled--;
    yk_unlock(&place->lock);
}

/* Without the lock: the queue is made, with the lock, while other threads work on the place, and
 * before the first bit is set. */
static int exchanges(const struct yk_place *place)
{
    return atomic_load(&place->direct) != 0;
}

uint64_t yk_exchange_oldest(struct yk_place *place)
{
    uint64_t oldest;
    if (!exchanges(place))
        return 1; /* the number of the first copy that it may ever make */
    yk_lock(&place->lock);
    oldest = place->exchange.unsettled ? place->exchange.since : place->exchange.issued + 1;
    yk_unlock(&place->lock);
    return oldest;
}

/* Notes that the copies up to number `latest` ended well, as an operation behind them did. Asking
 * the driver instead takes 1.7 us. */
static void note_well(struct yk_place *place, uint64_t latest)
{
    struct yk_exchange *exchange = &place->exchange;
    int i;
    for (i = 0; i < exchange->count && number_of(exchange, i) <= latest; i++)
        if (!exchange->copies[i].over)
            note_end(place, i, YOKE_OK);
}

yoke_status yk_exchange_outcome(struct yk_place *place, const struct yk_reliance *relies)
{
    uint64_t failed;
    if (!exchanges(place))
        return YOKE_OK;
    yk_lock(&place->lock);
    if (place->device->desc.fails_as_one)
        note_well(place, relies->latest);
    sweep(place);
    failed = place->exchange.failed;
    yk_unlock(&place->lock);
    if (failed < relies->oldest)
        return YOKE_OK;
    return yk_fail(YOKE_ELOST,
                   "%s: another device was lost while rows were copied from it; they are taken "
                   "from elsewhere",
                   place->device->desc.name);
}

struct yk_event_times yk_exchange_ran(struct yk_place *place)
{
    struct yk_event_times ran;
    yk_lock(&place->lock);
    ran = place->exchange.ran;
    place->exchange.ran = (struct yk_event_times){ 0 };
    yk_unlock(&place->lock);
    return ran;
}

/* The event of the first copy that is not known to be over, and its number; NULL: there is none.
 * The event stays open until the caller reduces `waited`. Lock held. */
static struct yk_event *take_pending(struct yk_exchange *exchange, uint64_t *number)
{
    int i;
    for (i = 0; i < exchange->count; i++)
        if (!exchange->copies[i].over) {
            exchange->copies[i].waited++;
            *number = number_of(exchange, i);
            return exchange->copies[i].event;
        }
    return NULL;
}

void yk_exchange_drain(struct yk_place *place)
{
    struct yk_exchange *exchange = &place->exchange;
    struct yk_event *event;
    uint64_t number;
    if (!exchanges(place))
        return;
    yk_lock(&place->lock);
    for (sweep(place); (event = take_pending(exchange, &number)); sweep(place)) {
        yoke_status outcome;
        yk_unlock(&place->lock);
        outcome = yk_place_await(place, event);
        yk_lock(&place->lock);
        int i = exchange->count - 1 - (int)(exchange->issued - number);
        if (!exchange->copies[i].over)
            note_end(place, i, outcome);
        exchange->copies[i].waited--;
    }
    yk_unlock(&place->lock);
}
