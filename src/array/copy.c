/* copy.c - see copy.h. */
#include "copy.h"

#include <string.h>

#include "array.h"

int64_t yk_copy_small_bytes = 64 << 10;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How the first bytes of a copy go. */
static yoke_status ask(struct yk_place *place, yoke_array *array, const struct yk_copy *copy,
                       struct yk_piece *out)
{
    return yk_pages_ready(&(struct yk_pages_question){ .pinner = place->pinner,
                                                       .range = array ? &array->pages : NULL,
                                                       .name = array ? array->name : NULL,
                                                       .host = copy->host,
                                                       .bytes = copy->bytes,
                                                       .fills = copy->kind == YK_COPY_FROM_DEVICE },
                          out);
}

/* --- to the device --- */

/* Straight from where the bytes are. */
static yoke_status up_direct(struct yk_place *place, const struct yk_copy *part)
{
    struct yk_copy copy = *part;
    struct yk_event *event = NULL;
    yoke_status status;
    copy.passing = 1; /* a launch comes after it */
    yk_lock(&place->lock);
    status = place->device->backend->copy(place->upload, &copy, &event);
    if (status == YOKE_OK)
        yk_place_uploading(place, event, NULL);
    yk_unlock(&place->lock);
    return status;
}

/* Sleeps until the slot can be filled. A slot comes round only after all others were used, so its
 * event is not the latest upload's. */
static yoke_status wait_for_slot(struct yk_place *place, struct yk_slot *slot)
{
    struct yk_event *event;
    yk_lock(&place->lock);
    event = slot->event;
    slot->event = NULL;
    yk_unlock(&place->lock);
    return yk_place_wait(place, event);
}

static yoke_status up_staged(struct yk_place *place, const struct yk_copy *part)
{
    struct yk_slot *slot = yk_stage_next_up(&place->stage);
    struct yk_event *event = NULL;
    struct yk_copy copy = *part;
    yoke_status status = wait_for_slot(place, slot);
    if (status != YOKE_OK)
        return status;
    memcpy(slot->memory, part->host, (size_t)part->bytes);
    copy.host = slot->memory;
    yk_lock(&place->lock);
    status = place->device->backend->copy(place->upload, &copy, &event);
    if (status == YOKE_OK) {
        yk_place_uploading(place, event, slot);
        yk_stage_used_up(&place->stage);
    }
    yk_unlock(&place->lock);
    return status;
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
    struct yk_piece piece = { 0 };
    struct yk_copy part = *copy;
    int64_t left = copy->bytes;
    int staged = 0;
    yoke_status status = YOKE_OK;
    for (; left > 0 && status == YOKE_OK; left -= part.bytes) {
        if (!piece.bytes) {
            part.bytes = left;
            status = ask(place, array, &part, &piece);
            if (status != YOKE_OK)
                break;
            staged = !piece.fast && piece.bytes > yk_copy_small_bytes && can_stage(place);
        }
        part.bytes = staged ? least(piece.bytes, yk_stage_slot_bytes) : piece.bytes;
        status = staged ? up_staged(place, &part) : up_direct(place, &part);
        piece.bytes -= part.bytes;
        part.host = (char *)part.host + part.bytes;
        part.offset += part.bytes;
    }
    return status;
}

/* --- to the host --- */

static void append(struct yk_haul *haul, struct yk_slot *slot)
{
    *(haul->first ? &haul->last->next : &haul->first) = slot;
    haul->last = slot;
}

/* Place's lock held. */
static struct yk_slot *take_slot(struct yk_haul *haul, enum yk_stage_who who)
{
    struct yk_stage *stage = &haul->place->stage;
    if (haul->next.fast || !yk_stage_open(stage, haul->place->device))
        return NULL;
    return yk_stage_take_down(stage, who);
}

/* Whether these bytes may go without a slot: they are pinned, there is no stage at all, or (with
 * nothing on its way that will free one) everybody else has the slots. */
static int may_go_direct(const struct yk_haul *haul, enum yk_stage_who who)
{
    return haul->next.fast || !haul->place->stage.memory ||
           (who == YK_STAGE_WAITING && !haul->first);
}

/* A copy that was issued. */
struct leg {
    struct yk_slot *slot; /* in which it arrives; NULL: in place */
    struct yk_event *event;
    int64_t bytes; /* 0: nothing could be issued */
};

/* Place's lock held. `part` is what could go in one piece. */
static yoke_status issue_part(struct yk_haul *haul, struct yk_copy *part, enum yk_stage_who who,
                              struct leg *leg)
{
    struct yk_place *place = haul->place;
    yoke_status status;
    leg->slot = take_slot(haul, who);
    if (!leg->slot && !may_go_direct(haul, who))
        return YOKE_OK;
    if (leg->slot) {
        part->bytes = least(part->bytes, yk_stage_slot_bytes);
        *leg->slot =
            (struct yk_slot){ .memory = leg->slot->memory, .to = part->host, .bytes = part->bytes };
        part->host = leg->slot->memory;
    }
    status = place->device->backend->copy(place->download, part, &leg->event);
    if (status == YOKE_OK) {
        leg->bytes = part->bytes;
        haul->direct |= !leg->slot;
        if (leg->slot)
            append(haul, leg->slot);
    } else if (leg->slot) {
        yk_stage_give_down(&place->stage, leg->slot);
    }
    return status;
}

/* The next bytes, if they can go. */
static yoke_status issue(struct yk_haul *haul, enum yk_stage_who who, struct leg *leg)
{
    struct yk_copy part = haul->copy;
    yoke_status status = YOKE_OK;
    *leg = (struct leg){ 0 };
    part.host = (char *)part.host + haul->issued;
    part.offset += haul->issued;
    part.bytes -= haul->issued;
    if (!part.bytes)
        return YOKE_OK;
    if (!haul->next.bytes)
        status = ask(haul->place, haul->array, &part, &haul->next);
    if (status != YOKE_OK)
        return status;
    part.bytes = haul->next.bytes;
    yk_lock(&haul->place->lock);
    status = issue_part(haul, &part, who, leg);
    yk_unlock(&haul->place->lock);
    haul->issued += leg->bytes;
    haul->next.bytes -= leg->bytes;
    return status;
}

yoke_status yk_haul_start(struct yk_haul *haul, struct yk_event **event)
{
    yoke_status status;
    struct leg leg;
    do {
        status = issue(haul, YK_STAGE_FLYING, &leg);
        if (status == YOKE_OK && leg.bytes) { /* one queue: the latest is complete last */
            if (*event)
                haul->place->device->backend->event_close(*event);
            *event = leg.event;
            haul->copy.after_count = 0;
        }
    } while (status == YOKE_OK && leg.bytes);
    haul->copy.after_count = 0; /* whoever finishes it comes later */
    return status;
}

int yk_haul_is_open(const struct yk_haul *haul)
{
    return haul->first || haul->issued < haul->copy.bytes;
}

/* The oldest slot, given back afterwards. */
static yoke_status land_first(struct yk_haul *haul)
{
    struct yk_slot *slot = haul->first;
    yoke_status status = yk_place_wait(haul->place, slot->event);
    slot->event = NULL;
    if (status != YOKE_OK)
        return status;
    memcpy(slot->to, slot->memory, (size_t)slot->bytes);
    haul->first = slot->next;
    yk_lock(&haul->place->lock);
    yk_stage_give_down(&haul->place->stage, slot);
    yk_unlock(&haul->place->lock);
    return YOKE_OK;
}

yoke_status yk_haul_finish(struct yk_haul *haul)
{
    struct yk_event *direct = NULL; /* the latest of those without a slot */
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
    arrival = yk_place_wait(haul->place, direct);
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
    haul->issued = haul->copy.bytes;
}
