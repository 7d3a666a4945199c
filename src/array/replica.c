/* replica.c - device memory as a cache of arrays: allocate whole, evict the least recently used.
 *
 * Eviction picks a victim under the place's lock, then writes its modified rows back without it
 * (that sleeps), with evict_lock held throughout, so that neither a second eviction nor the closing
 * of an array interferes.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "array.h"

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

/* Holds it, so that nobody else starts to use or evict it. */
static struct yk_replica *pick_victim(struct yk_place *place)
{
    struct yk_replica *replica;
    yk_lock(&place->lock);
    for (replica = place->oldest; replica && replica->users > 0; replica = replica->newer)
        ;
    if (replica)
        replica->users = 1;
    yk_unlock(&place->lock);
    return replica;
}

static yoke_status write_back(struct yk_replica *victim)
{
    yoke_array *array = victim->array;
    struct yk_interval rows = yk_array_rows(array), part;
    int64_t row, kept;
    yoke_status status = YOKE_OK;
    for (row = rows.first; row < rows.last && status == YOKE_OK; row = part.last) {
        enum yk_row_state state;
        yk_lock(&array->lock);
        state = yk_coherence_state(array->coherence, victim->place->number, row, &part);
        yk_unlock(&array->lock);
        if (state == YK_MODIFIED)
            status = yk_transfer_home(array, part);
    }
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->lock);
    status = yk_coherence_drop(array->coherence, victim->place->number, rows, &kept);
    yk_unlock(&array->lock);
    return status;
}

/* YOKE_ENOMEM if there is nothing to evict. evict_lock held. */
static yoke_status evict_one(struct yk_place *place)
{
    struct yk_replica *victim = pick_victim(place);
    yoke_status status;
    if (!victim)
        return YOKE_ENOMEM;
    status = write_back(victim);
    yk_lock(&place->lock);
    victim->users = 0;
    if (status == YOKE_OK) {
        unlink_replica(victim);
        place->device->backend->free(place->device, victim->buffer);
        victim->buffer = NULL;
        yk_log(YOKE_LOG_DEBUG, "%s: array %s left its memory", place->device->desc.name,
               victim->array->name);
    }
    yk_unlock(&place->lock);
    return status;
}

yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
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
        yk_lock(&places->evict_lock);
        status = evict_one(place);
        yk_unlock(&places->evict_lock);
        if (status != YOKE_OK)
            return status == YOKE_ENOMEM
                       ? yk_fail(YOKE_ENOMEM,
                                 "%s: no room for %lld bytes; give it more memory "
                                 "(mem=) or smaller arrays",
                                 device->desc.name, (long long)bytes)
                       : status;
    }
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
            array->replicas[place->number] = replica;
        } else {
            status = YOKE_ENOMEM;
        }
    }
    yk_unlock(&array->lock);
    *out = replica;
    return status;
}

yoke_status yk_replica_hold(yoke_array *array, struct yk_place *place, struct yk_replica **out)
{
    struct yk_replica *replica;
    struct yk_buffer *fresh = NULL;
    int64_t bytes = array->rows * array->row_bytes;
    yoke_status status = add_replica(array, place, &replica);
    if (status != YOKE_OK)
        return status;
    yk_lock(&place->lock);
    while (!replica->buffer) {
        if (fresh) {
            replica->buffer = fresh;
            fresh = NULL;
            append_newest(replica);
            break;
        }
        yk_unlock(&place->lock);
        status = yk_place_alloc(array->places, place, bytes > 0 ? bytes : 1, &fresh);
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

void yk_replica_release(struct yk_replica *replica)
{
    yk_lock(&replica->place->lock);
    replica->users--;
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
        yk_free(replica);
    }
    yk_unlock(&array->places->evict_lock);
    yk_coherence_close(array->coherence);
    yk_mutex_close(&array->lock);
    yk_mutex_close(&array->home_lock);
    if (array->owns_host)
        yk_free(array->host);
    yk_free(array->name);
    yk_free(array);
}
