/* replica.c - device memory as a cache of arrays: allocate whole, evict the least recently used.
 *
 * Eviction picks a victim under the place's lock, then writes its modified rows back without it
 * (that sleeps), with evict_lock held throughout, so that neither a second eviction nor the closing
 * of an array interferes. Who wants the victim meanwhile waits until it has left: what a kernel
 * wrote there would come home torn, or be freed with the memory.
 *
 * Where the device maps pages on demand, a replica is booked whole and only the rows that chunks
 * touch are committed; the replica notes which, so that asking again costs nothing.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "array.h"
#include "panel.h"

static void unlink_replica(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    *(replica->older ? &replica->older->newer : &place->oldest) = replica->newer;
    *(replica->newer ? &replica->newer->older : &place->newest) = replica->older;
    replica->older = replica->newer = NULL;
}

static void append_newest(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    replica->older = place->newest;
    replica->newer = NULL;
    *(place->newest ? &place->newest->newer : &place->oldest) = replica;
    place->newest = replica;
}

/* From then on nobody else starts to use it. evict_lock held. */
static struct yk_replica *pick_victim(struct yk_place *place)
{
    struct yk_replica *replica;
    yk_lock(&place->lock);
    for (replica = place->oldest; replica && replica->users > 0; replica = replica->newer)
        ;
    if (replica)
        replica->leaving = 1;
    yk_unlock(&place->lock);
    return replica;
}

/* *kept: rows that it came to be the only one to have meanwhile, as others lost theirs. */
static yoke_status write_back_rows(const struct yk_replica *victim, yoke_array *array,
                                   int64_t *kept)
{
    struct yk_interval rows = yk_array_rows(array), part;
    int64_t row;
    yoke_status status = YOKE_OK;
    for (row = rows.first; row < rows.last && status == YOKE_OK; row = part.last) {
        enum yk_row_state state;
        yk_lock(&array->lock);
        state = yk_coherence_state(array->coherence, victim->place->number, row, &part);
        yk_unlock(&array->lock);
        if (state == YK_MODIFIED)
            status = yk_transfer_back(array, victim->place->number, part);
    }
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->lock);
    status = yk_coherence_drop(array->coherence, victim->place->number, rows, kept);
    yk_unlock(&array->lock);
    return status;
}

static yoke_status write_back(const struct yk_replica *victim)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(victim->array, part))) {
        int64_t kept;
        do {
            kept = 0;
            status = write_back_rows(victim, part, &kept);
        } while (status == YOKE_OK && kept > 0);
    }
    return status;
}

/* 1 if there was a spare to give up. */
static int free_spare(struct yk_place *place)
{
    struct yk_buffer *spare;
    yk_lock(&place->lock);
    spare = place->spare;
    if (spare)
        place->device->backend->free(place->device, spare);
    place->spare = NULL;
    place->spare_bytes = 0;
    yk_unlock(&place->lock);
    return spare != NULL;
}

/* YOKE_ENOMEM if there is nothing to evict. */
static yoke_status evict_one(struct yk_places *places, struct yk_place *place)
{
    struct yk_replica *victim;
    yoke_status status;
    if (free_spare(place)) /* which nothing has to be copied for */
        return YOKE_OK;
    yk_lock(&places->evict_lock);
    victim = pick_victim(place);
    if (!victim) {
        yk_unlock(&places->evict_lock);
        return YOKE_ENOMEM;
    }
    status = write_back(victim);
    yk_lock(&place->lock);
    victim->leaving = 0;
    if (status == YOKE_OK) {
        unlink_replica(victim);
        place->device->backend->free(place->device, victim->buffer);
        victim->buffer = NULL;
        yk_interval_map_close(&victim->committed);
        yk_log(YOKE_LOG_DEBUG, "%s: array %s left its memory", place->device->desc.name,
               victim->array->name);
    }
    yk_unlock(&place->lock);
    yk_unlock(&places->evict_lock);
    return status;
}

/* A buffer whose pages may not be there yet. */
static yoke_status book(struct yk_places *places, struct yk_place *place, int64_t bytes,
                        struct yk_buffer **out)
{
    struct yk_device *device = place->device;
    yoke_status status;
    for (;;) {
        yk_lock(&place->lock);
        status = device->backend->alloc(device, bytes, out);
        yk_unlock(&place->lock);
        if (status != YOKE_ENOMEM)
            return status;
        status = evict_one(places, place);
        if (status != YOKE_OK)
            return status == YOKE_ENOMEM
                       ? yk_fail(YOKE_ENOMEM,
                                 "%s: no room for %lld bytes; give it more memory "
                                 "(mem=) or smaller arrays",
                                 device->desc.name, (long long)bytes)
                       : status;
    }
}

/* Bytes first .. last - 1 of the buffer get their pages. Others may have taken the memory since it
 * was booked: then replicas that nobody holds make room. */
static yoke_status commit(struct yk_places *places, struct yk_place *place,
                          struct yk_buffer *buffer, struct yk_interval bytes)
{
    struct yk_device *device = place->device;
    yoke_status status;
    for (;;) {
        yk_lock(&place->lock);
        status = device->backend->commit(device, buffer, bytes.first, bytes.last - bytes.first);
        yk_unlock(&place->lock);
        if (status != YOKE_ENOMEM)
            return status;
        status = evict_one(places, place);
        if (status != YOKE_OK)
            return status == YOKE_ENOMEM
                       ? yk_fail(YOKE_ENOMEM,
                                 "%s: others have taken the memory that %lld bytes were to get; "
                                 "give this process less of it (mem=)",
                                 device->desc.name, (long long)(bytes.last - bytes.first))
                       : status;
    }
}

yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
                           struct yk_buffer **out)
{
    struct yk_buffer *made;
    yoke_status status = book(places, place, bytes, &made);
    if (status == YOKE_OK && place->device->backend->commit) {
        status = commit(places, place, made, (struct yk_interval){ 0, bytes });
        if (status != YOKE_OK) {
            yk_lock(&place->lock);
            place->device->backend->free(place->device, made);
            yk_unlock(&place->lock);
        }
    }
    if (status == YOKE_OK)
        *out = made;
    return status;
}

void yk_place_give(struct yk_place *place, struct yk_buffer *buffer, int64_t bytes)
{
    yk_lock(&place->lock);
    if (place->spare_bytes < bytes) {
        struct yk_buffer *smaller = place->spare;
        place->spare = buffer;
        place->spare_bytes = bytes;
        buffer = smaller;
    }
    if (buffer)
        place->device->backend->free(place->device, buffer);
    yk_unlock(&place->lock);
}

yoke_status yk_place_borrow(struct yk_places *places, struct yk_place *place, int64_t bytes,
                            struct yk_buffer **out, int64_t *got)
{
    struct yk_buffer *spare = NULL;
    yoke_status status;
    yk_lock(&place->lock);
    if (place->spare_bytes >= bytes) {
        spare = place->spare;
        *got = place->spare_bytes;
        place->spare = NULL;
        place->spare_bytes = 0;
    }
    yk_unlock(&place->lock);
    if (spare) {
        *out = spare;
        return YOKE_OK;
    }
    status = yk_place_alloc(places, place, bytes, out);
    if (status == YOKE_OK)
        *got = bytes;
    return status;
}

int64_t yk_place_room(struct yk_place *place)
{
    struct yk_device *device = place->device;
    const struct yk_replica *replica;
    int64_t bytes;
    yk_lock(&place->lock);
    bytes = device->backend->memory_free(device) + place->spare_bytes;
    for (replica = place->oldest; replica; replica = replica->newer)
        if (replica->users == 0)
            bytes += replica->array->rows * replica->array->row_bytes;
    yk_unlock(&place->lock);
    return bytes;
}

int64_t yk_replica_cost(yoke_array *array, struct yk_place *place)
{
    const struct yk_replica *replica;
    int held;
    yk_lock(&array->lock);
    replica = array->replicas[place->number];
    yk_unlock(&array->lock);
    yk_lock(&place->lock);
    held = replica && replica->users > 0;
    yk_unlock(&place->lock);
    return held ? 0 : array->rows * array->row_bytes;
}

static int is_noted(const struct yk_interval_map *note, struct yk_interval rows)
{
    return note->count > 0 && yk_interval_map_spans(note, rows) == 1 &&
           note->items[yk_interval_map_find(note, rows.first)].value;
}

/* Costs two binary searches once the rows are there. Without memory for the note the device is
 * asked every time, which is slow and right. */
yoke_status yk_replica_commit(struct yk_replica *part, struct yk_interval rows)
{
    struct yk_replica *replica = part->whole; /* pages lie along rows */
    yoke_array *array = replica->array;
    struct yk_interval_map *note = &replica->committed;
    int64_t skip = rows.first - array->first_row, count = rows.last - rows.first;
    yoke_status status;
    int noted;
    if (count <= 0 || !replica->place->device->backend->commit)
        return YOKE_OK;
    yk_lock(&replica->place->lock);
    noted = is_noted(note, rows);
    yk_unlock(&replica->place->lock);
    if (noted)
        return YOKE_OK;
    status =
        commit(array->places, replica->place, replica->buffer,
               (struct yk_interval){ skip * array->row_bytes, (skip + count) * array->row_bytes });
    if (status != YOKE_OK)
        return status;
    atomic_fetch_add(&replica->place->mapped, count * array->row_bytes);
    yk_lock(&replica->place->lock);
    if (note->count > 0 && yk_interval_map_reserve(note, 2) == YOKE_OK)
        yk_interval_map_assign(note, rows, 1);
    yk_unlock(&replica->place->lock);
    return YOKE_OK;
}

static yoke_status add_replica(yoke_array *array, struct yk_place *place, struct yk_replica **out)
{
    struct yk_replica *replica;
    yoke_status status = YOKE_OK;
    yk_lock(&array->lock);
    replica = array->replicas[place->number];
    if (!replica) {
        replica = yk_calloc(1, sizeof *replica);
        if (replica) {
            replica->array = array;
            replica->place = place;
            replica->whole =
                array->whole == array ? replica : array->whole->replicas[place->number];
            array->replicas[place->number] = replica;
        } else {
            status = YOKE_ENOMEM;
        }
    }
    yk_unlock(&array->lock);
    *out = replica;
    return status;
}

/* place->lock held, and given up meanwhile. Whoever evicts holds evict_lock until that is over. */
static void await_eviction(struct yk_replica *replica)
{
    yk_unlock(&replica->place->lock);
    yk_lock(&replica->array->places->evict_lock);
    yk_unlock(&replica->array->places->evict_lock);
    yk_lock(&replica->place->lock);
}

/* No rows are committed yet; nothing noted where there is no memory for it, or nothing to note. */
static void note_nothing(struct yk_replica *replica)
{
    struct yk_interval_map note;
    if (replica->array->rows > 0 && replica->place->device->backend->commit &&
        yk_interval_map_open(&note, yk_array_rows(replica->array), 0) == YOKE_OK)
        replica->committed = note;
}

/* The replica of an array that is no panel. */
static yoke_status hold(yoke_array *array, struct yk_place *place, struct yk_replica **out)
{
    struct yk_replica *replica;
    struct yk_buffer *fresh = NULL;
    int64_t bytes = array->rows * array->row_bytes;
    yoke_status status = add_replica(array, place, &replica);
    if (status != YOKE_OK)
        return status;
    yk_lock(&place->lock);
    while (!replica->buffer || replica->leaving) {
        if (replica->leaving) {
            await_eviction(replica);
            continue;
        }
        if (fresh) {
            replica->buffer = fresh;
            fresh = NULL;
            append_newest(replica);
            note_nothing(replica);
            break;
        }
        yk_unlock(&place->lock);
        status = book(array->places, place, bytes > 0 ? bytes : 1, &fresh);
        if (status != YOKE_OK)
            return status;
        yk_lock(&place->lock);
    }
    if (fresh) /* another thread was quicker */
        place->device->backend->free(place->device, fresh);
    replica->users++;
    unlink_replica(replica);
    append_newest(replica);
    yk_unlock(&place->lock);
    *out = replica;
    return YOKE_OK;
}

/* Replicas of those that keep books of the array's columns, in the memory of one that is held. */
static yoke_status add_parts(yoke_array *array, struct yk_place *place)
{
    struct yk_replica *added;
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = add_replica(part, place, &added);
    return status;
}

yoke_status yk_replica_hold(yoke_array *array, struct yk_place *place, struct yk_replica **out)
{
    struct yk_replica *held;
    yoke_status status = hold(array->whole, place, &held);
    if (status != YOKE_OK)
        return status;
    status = add_parts(array, place);
    if (status == YOKE_OK)
        *out = array->whole == array ? held : array->replicas[place->number];
    else
        yk_replica_release(held);
    return status;
}

void yk_replica_release(struct yk_replica *replica)
{
    yk_lock(&replica->place->lock);
    replica->whole->users--;
    yk_unlock(&replica->place->lock);
}

void yk_array_close(yoke_array *array)
{
    int number;
    if (!array)
        return;
    yk_lock(&array->places->evict_lock);
    for (number = 0; number < YK_PLACES; number++) {
        struct yk_replica *replica = array->replicas[number];
        if (!replica)
            continue;
        if (replica->buffer) {
            struct yk_place *place = replica->place;
            yk_lock(&place->lock);
            unlink_replica(replica);
            place->device->backend->free(place->device, replica->buffer);
            yk_unlock(&place->lock);
        }
        yk_interval_map_close(&replica->committed);
        yk_free(replica);
    }
    yk_unlock(&array->places->evict_lock);
    yk_panels_free(array->panels);
    yk_array_close_books(array);
    yk_pages_leave(&array->pages);
    if (array->owns_host)
        yk_pages_free(array->host);
    yk_free(array->name);
    yk_free(array);
}
