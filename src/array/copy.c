/* copy.c - see copy.h.
 *
 * The bytes of a copy are counted without the gaps between its rows. A part that is copied in one
 * piece is a number of whole rows; or a piece of one row, if its host memory is pinned only in part
 * or a staging buffer cannot hold the row.
 */
#include "copy.h"

#include <string.h>

#include "../platform/clock.h"
#include "array.h"

int64_t yk_copy_small_bytes = 64 << 10;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static const char *host_at(const struct yk_copy *copy, int64_t at)
{
    return (const char *)copy->host + at / copy->bytes * copy->host_pitch + at % copy->bytes;
}

/* Makes the question how to copy the bytes from `at` on. The answer may hold for the first of them
 * only. */
static struct yk_pages_question question(const struct yk_place *place, yoke_array *array,
                                         const struct yk_copy *copy, int64_t at)
{
    const char *host = host_at(copy, at);
    const int rows = copy->rows > 1, ways = array ? array->whole->pages.ways : 0;
    const int comes_home = copy->kind == YK_COPY_FROM_DEVICE;
    return (struct yk_pages_question){
        .pinner = place->pinner,
        .range = array ? &array->whole->pages : NULL,
        .name = array ? array->name : NULL,
        .host = (void *)host,
        .bytes = (const char *)copy->host + yk_copy_host_span(copy) - host,
        .gaps = rows ? 1 - (double)copy->bytes / (double)copy->host_pitch : 0,
        .fills = comes_home && !rows,
        .passes = (ways & YK_PIN_UP && !comes_home) + (ways & YK_PIN_HOME ? 1 : 0)
    };
}

struct yk_pages_question yk_copy_question(const struct yk_place *place, yoke_array *array,
                                          struct yk_interval rows, enum yk_copy_kind kind)
{
    struct yk_copy copy = { .kind = kind };
    yk_array_shape_copy(array, rows, &copy);
    return question(place, array, &copy, 0);
}

double yk_copy_expect(const struct yk_place *place, yoke_array *array, struct yk_interval rows)
{
    struct yk_pages_question asked;
    if (yk_array_missing(array, place->number, rows) == 0)
        return 0;
    asked = yk_copy_question(place, array, rows, YK_COPY_TO_DEVICE);
    yk_pages_expect_all(&asked);
    return (double)yk_pages_wait_ns(&asked);
}

/* The largest part of the copy that starts at byte `at`, lies within `span` bytes of host memory,
 * and has at most `most` bytes. */
static struct yk_copy cut(const struct yk_copy *copy, int64_t at, int64_t span, int64_t most)
{
    struct yk_copy part = *copy;
    const int64_t row = at / copy->bytes, skip = at % copy->bytes;
    int64_t rows = (copy->rows > 1 ? copy->rows : 1) - row;
    part.host = (void *)host_at(copy, at);
    part.offset += row * copy->pitch + skip;
    part.bytes = least(copy->bytes - skip, least(span, most));
    part.rows = 1;
    if (rows == 1 || part.bytes < copy->bytes)
        return part;
    rows = least(rows, (span - copy->bytes) / copy->host_pitch + 1);
    part.rows = least(rows, most / copy->bytes);
    return part;
}

/* Copies between rows on the host and a slot, where they lie without gaps. */
enum way { INTO_SLOT, OUT_OF_SLOT };
static void carry(const struct yk_place *place, const struct yk_slot *slot, enum way way)
{
    const int64_t start = yk_clock_ns();
    char *close = slot->memory, *apart = slot->host;
    int64_t row = 0;
    do {
        memcpy(way == INTO_SLOT ? close : apart, way == INTO_SLOT ? apart : close,
               (size_t)slot->bytes);
        close += slot->bytes;
        apart += slot->pitch;
    } while (++row < slot->rows);
    if (!place->device->desc.virtual_clock)
        yk_pages_staged(row * slot->bytes, yk_clock_ns() - start);
}

/* --- to the device --- */

/* Issues a copy of the bytes without a slot. */
static yoke_status up_direct(struct yk_place *place, const struct yk_copy *part)
{
    struct yk_copy copy = *part;
    struct yk_event *event = NULL;
    yoke_status status;
    copy.passing = 1; /* a launch waits for it, so threads rarely need its own end */
    yk_lock(&place->lock);
    status = place->device->backend->copy(place->upload, &copy, &event);
    if (status == YOKE_OK)
        yk_place_uploading(place, event, NULL);
    yk_unlock(&place->lock);
    return status;
}

/* Sleeps until the slot can be filled. Slots are used in turn, so its event is never the place's
 * last_upload and may be closed here. */
static yoke_status wait_for_slot(struct yk_place *place, struct yk_slot *slot)
{
    struct yk_event *event;
    yk_lock(&place->lock);
    event = slot->event;
    slot->event = NULL;
    yk_unlock(&place->lock);
    return yk_place_wait(place, event);
}

/* Makes the copy use the slot instead of the host's rows. */
static void use_slot(struct yk_slot *slot, struct yk_copy *copy)
{
    slot->host = copy->host;
    slot->bytes = copy->bytes;
    slot->rows = copy->rows;
    slot->pitch = copy->host_pitch;
    copy->host = slot->memory;
    copy->host_pitch = copy->bytes;
}

/* Slots that are filled and not sent yet: at most all but the one that the latest upload uses.
 * While a driver pins memory (0.5 ms for 4 MiB), no copy can begin, so more slots are filled in
 * that time. */
struct batch {
    struct yk_copy copies[YK_STAGE_UP - 1];
    int count;
};

static yoke_status fill(struct yk_place *place, const struct yk_copy *part, struct batch *batch)
{
    struct yk_slot *slot = yk_stage_next_up(&place->stage, batch->count);
    const yoke_status status = wait_for_slot(place, slot);
    if (status != YOKE_OK)
        return status;
    batch->copies[batch->count] = *part;
    use_slot(slot, &batch->copies[batch->count]);
    carry(place, slot, INTO_SLOT);
    batch->count++;
    return YOKE_OK;
}

static yoke_status send(struct yk_place *place, struct batch *batch)
{
    struct yk_event *event = NULL;
    yoke_status status = YOKE_OK;
    int i;
    for (i = 0; i < batch->count && status == YOKE_OK; i++) {
        yk_lock(&place->lock);
        status = place->device->backend->copy(place->upload, &batch->copies[i], &event);
        if (status == YOKE_OK) {
            yk_place_uploading(place, event, yk_stage_next_up(&place->stage, 0));
            yk_stage_used_up(&place->stage);
        }
        yk_unlock(&place->lock);
    }
    batch->count = 0;
    return status;
}

static yoke_status up_staged(struct yk_place *place, const struct yk_copy *part,
                             struct batch *batch)
{
    const yoke_status status = fill(place, part, batch);
    if (status != YOKE_OK ||
        (batch->count < YK_STAGE_UP - 1 && place->pinner && yk_pinner_is_busy(place->pinner)))
        return status;
    return send(place, batch);
}

static int can_stage(struct yk_place *place)
{
    int can;
    yk_lock(&place->lock);
    can = yk_stage_open(&place->stage, place->device);
    yk_unlock(&place->lock);
    return can;
}

yoke_status yk_copy_up(struct yk_place *place, yoke_array *array, const struct yk_copy *copy)
{
    const int64_t total = yk_copy_total(copy);
    struct yk_piece piece = { 0 };
    const char *end = NULL; /* end of the piece in host memory */
    struct yk_copy part;
    struct batch batch = { .count = 0 };
    int64_t at, most = INT64_MAX;
    yoke_status status = YOKE_OK;
    for (at = 0; at < total && status == YOKE_OK; at += yk_copy_total(&part)) {
        const char *host = host_at(copy, at);
        if (!end || host >= end) {
            const struct yk_pages_question asked = question(place, array, copy, at);
            status = yk_pages_ready(&asked, &piece);
            if (status != YOKE_OK)
                break;
            end = host + piece.bytes;
            most = piece.fast || piece.bytes <= yk_copy_small_bytes || !can_stage(place)
                       ? INT64_MAX
                       : yk_stage_slot_bytes;
        }
        part = cut(copy, at, end - host, most);
        status = most == INT64_MAX ? up_direct(place, &part) : up_staged(place, &part, &batch);
    }
    return status == YOKE_OK ? send(place, &batch) : status;
}

/* --- to the host --- */

static void append(struct yk_haul *haul, struct yk_slot *slot)
{
    *(haul->first ? &haul->last->next : &haul->first) = slot;
    haul->last = slot;
}

/* The place's lock is held. */
static struct yk_slot *take_slot(struct yk_haul *haul, enum yk_stage_who who)
{
    struct yk_stage *stage = &haul->place->stage;
    if (haul->next.fast || !yk_stage_open(stage, haul->place->device))
        return NULL;
    return yk_stage_take_down(stage, who);
}

/* Returns 1 if the next bytes may be copied without a slot: they are pinned; or there is no stage;
 * or other threads have all slots, and no copy of this haul will free one. */
static int may_go_direct(const struct yk_haul *haul, enum yk_stage_who who)
{
    return haul->next.fast || !haul->place->stage.memory ||
           (who == YK_STAGE_WAITING && !haul->first);
}

/* A copy that was issued. */
struct leg {
    struct yk_slot *slot; /* the slot it arrives in; NULL: it arrives in its final place */
    struct yk_event *event;
    int64_t bytes; /* 0: nothing could be issued */
};

/* All copies of a haul use one in-order queue, because the haul waits only for the latest of them.
 * The place's lock is held. */
static void choose_queue(struct yk_haul *haul)
{
    struct yk_place *place = haul->place;
    const struct yk_backend *backend = place->device->backend;
    if (haul->queue)
        return;
    haul->queue = place->download;
    if (haul->lends &&
        (place->lending || backend->queue_open(place->device, &place->lending) == YOKE_OK))
        haul->queue = place->lending;
}

/* Issues the bytes from haul->issued on. The place's lock is held. */
static yoke_status issue_part(struct yk_haul *haul, enum yk_stage_who who, struct leg *leg)
{
    struct yk_place *place = haul->place;
    int64_t span = haul->known_end - host_at(&haul->copy, haul->issued);
    struct yk_copy part;
    yoke_status status;
    leg->slot = take_slot(haul, who);
    if (!leg->slot && !may_go_direct(haul, who))
        return YOKE_OK;
    part = cut(&haul->copy, haul->issued, span, leg->slot ? yk_stage_slot_bytes : INT64_MAX);
    leg->bytes = yk_copy_total(&part);
    if (leg->slot) {
        leg->slot->event = NULL;
        leg->slot->next = NULL;
        use_slot(leg->slot, &part);
    }
    choose_queue(haul);
    status = place->device->backend->copy(haul->queue, &part, &leg->event);
    if (status == YOKE_OK) {
        haul->direct |= !leg->slot;
        if (leg->slot)
            append(haul, leg->slot);
        return YOKE_OK;
    }
    leg->bytes = 0;
    if (leg->slot)
        yk_stage_give_down(&place->stage, leg->slot);
    return status;
}

/* Issues the next bytes, if possible. */
static yoke_status issue(struct yk_haul *haul, enum yk_stage_who who, struct leg *leg)
{
    yoke_status status = YOKE_OK;
    *leg = (struct leg){ 0 };
    if (haul->issued == yk_copy_total(&haul->copy))
        return YOKE_OK;
    if (!haul->known_end || host_at(&haul->copy, haul->issued) >= haul->known_end) {
        const struct yk_pages_question asked =
            question(haul->place, haul->array, &haul->copy, haul->issued);
        status = yk_pages_ready(&asked, &haul->next);
        haul->known_end = host_at(&haul->copy, haul->issued) + haul->next.bytes;
    }
    if (status != YOKE_OK)
        return status;
    yk_lock(&haul->place->lock);
    status = issue_part(haul, who, leg);
    yk_unlock(&haul->place->lock);
    haul->issued += leg->bytes;
    return status;
}

yoke_status yk_haul_start(struct yk_haul *haul, struct yk_event **event)
{
    yoke_status status;
    struct leg leg;
    do {
        status = issue(haul, YK_STAGE_FLYING, &leg);
        if (status == YOKE_OK && leg.bytes) { /* one in-order queue: the latest copy is complete
                                               * last */
            if (*event)
                haul->place->device->backend->event_close(*event);
            *event = leg.event;
            haul->copy.after_count = 0;
        }
    } while (status == YOKE_OK && leg.bytes);
    haul->copy.after_count = 0; /* those events are over when yk_haul_finish is called */
    return status;
}

int yk_haul_is_open(const struct yk_haul *haul)
{
    return haul->first || haul->issued < yk_copy_total(&haul->copy);
}

/* Waits for a copy of so many bytes, and closes its event. */
static yoke_status wait_for(const struct yk_haul *haul, struct yk_event *event, int64_t bytes)
{
    const int watches = haul->lends && !haul->array->places->sleeps;
    return watches ? yk_place_watch_copy(haul->place, event, bytes)
                   : yk_place_wait(haul->place, event);
}

yoke_status yk_haul_await(const struct yk_haul *haul, struct yk_event *started)
{
    return wait_for(haul, started, yk_copy_total(&haul->copy));
}

/* Waits for the oldest slot, empties it and gives it back. */
static yoke_status land_first(struct yk_haul *haul)
{
    struct yk_slot *slot = haul->first;
    yoke_status status = wait_for(haul, slot->event, slot->bytes * slot->rows);
    slot->event = NULL;
    if (status != YOKE_OK)
        return status;
    carry(haul->place, slot, OUT_OF_SLOT);
    haul->first = slot->next;
    yk_lock(&haul->place->lock);
    yk_stage_give_down(&haul->place->stage, slot);
    yk_unlock(&haul->place->lock);
    return YOKE_OK;
}

yoke_status yk_haul_finish(struct yk_haul *haul)
{
    struct yk_event *direct = NULL; /* the latest copy without a slot */
    yoke_status status = YOKE_OK, arrival;
    struct leg leg;
    while (status == YOKE_OK && yk_haul_is_open(haul)) {
        status = issue(haul, YK_STAGE_WAITING, &leg);
        if (status != YOKE_OK)
            break;
        if (leg.slot)
            leg.slot->event = leg.event;
        else if (leg.bytes) {
            if (direct)
                haul->place->device->backend->event_close(direct);
            direct = leg.event;
        } else {
            status = land_first(haul);
        }
    }
    arrival = yk_haul_await(haul, direct);
    yk_haul_drop(haul);
    return status != YOKE_OK ? status : arrival;
}

void yk_haul_drop(struct yk_haul *haul)
{
    while (haul->first) {
        struct yk_slot *slot = haul->first;
        haul->first = slot->next;
        yk_place_wait(haul->place, slot->event);
        slot->event = NULL;
        yk_lock(&haul->place->lock);
        yk_stage_give_down(&haul->place->stage, slot);
        yk_unlock(&haul->place->lock);
    }
    haul->issued = yk_copy_total(&haul->copy);
}
