/* device_memory.c - tells how much of a device's memory is available, and allocates it. Allocations
 * evict rows if they have to (evict.c).
 *
 * Held rows without pages count as if they had pages, because their claim was promised the room.
 */
#include "../base/status.h"
#include "array.h"

/* --- how much room there is --- */

/* Bytes of the pages that rows touch, summed in row order. */
struct touched {
    int64_t page;  /* bytes of a page; the buffer's last one takes as many */
    int64_t up_to; /* end of the last page so far */
    int64_t bytes;
};

static void touch(struct touched *touched, int64_t first, int64_t last)
{
    int64_t start = first / touched->page * touched->page;
    int64_t end = ((last - 1) / touched->page + 1) * touched->page;
    if (start < touched->up_to)
        start = touched->up_to;
    if (end > start) {
        touched->bytes += end - start;
        touched->up_to = end;
    }
}

static struct touched touch_nothing(const struct yk_replica *replica)
{
    const int64_t bytes = yk_array_bytes(replica->array);
    return (struct touched){ .page = yk_page_bytes(&replica->place->device->desc, bytes) };
}

static int64_t committed_bytes(const struct yk_replica *replica)
{
    const struct yk_interval_map *note = &replica->committed;
    struct touched touched = touch_nothing(replica);
    int run;
    for (run = 0; run < note->count; run++)
        if (note->items[run].value != 0)
            touch(&touched, yk_array_offset(replica->array, note->items[run].first),
                  yk_array_offset(replica->array, yk_interval_map_last(note, run)));
    return touched.bytes;
}

static int64_t claimed_bytes(const struct yk_replica *replica)
{
    struct yk_interval rows = yk_array_rows(replica->array);
    struct touched touched = touch_nothing(replica);
    while (!yk_interval_empty(rows)) {
        struct yk_claimed part = yk_replica_claimed(replica, rows);
        if (part.claimed)
            touch(&touched, yk_array_offset(replica->array, rows.first),
                  yk_array_offset(replica->array, part.last));
        rows.first = part.last;
    }
    return touched.bytes;
}

/* Rows that are committed and not claimed can be evicted; rows that are claimed and not yet
 * committed will take memory. */
static int64_t room_in(const struct yk_replica *replica)
{
    return committed_bytes(replica) - claimed_bytes(replica);
}

/* place->lock held. */
static int64_t room_locked(struct yk_place *place)
{
    struct yk_device *device = place->device;
    int64_t bytes = device->backend->memory_free(device) + yk_place_spare_bytes(place);
    const struct yk_replica *replica;
    yk_lock(&place->lend_lock);
    bytes += place->idle_bytes;
    for (replica = place->by_rows; replica; replica = replica->next_by_rows)
        bytes += room_in(replica);
    yk_unlock(&place->lend_lock);
    return bytes;
}

int64_t yk_place_room(struct yk_place *place)
{
    int64_t bytes;
    yk_lock(&place->lock);
    bytes = room_locked(place);
    yk_unlock(&place->lock);
    return bytes;
}

/* A driver call, which takes most of a microsecond. */
yoke_status yk_place_check_room(struct yk_place *place)
{
    const struct yk_device_desc *desc = &place->device->desc;
    const int64_t room = desc->page_bytes ? yk_place_room(place) : 0;
    if (room >= 0)
        return YOKE_OK;
    return yk_fail(YOKE_ENOMEM,
                   "%s: its memory of %lld bytes is %lld bytes too small for the rows that are "
                   "needed at the same time; give it more memory (mem=) or smaller arrays",
                   desc->name, (long long)desc->memory_bytes, (long long)-room);
}

/* --- taking it --- */

static yoke_status no_room(const struct yk_place *place, int64_t bytes)
{
    return yk_fail(YOKE_ENOMEM,
                   "%s: no room for %lld bytes; give it more memory (mem=) or smaller arrays",
                   place->device->desc.name, (long long)bytes);
}

struct memory {
    struct yk_buffer *buffer;
    int64_t bytes;
};

static yoke_status alloc(struct yk_place *place, void *context)
{
    struct memory *memory = context;
    return place->device->backend->alloc(place->device, memory->bytes, &memory->buffer);
}

static yoke_status commit(struct yk_place *place, void *context)
{
    const struct memory *memory = context;
    return place->device->backend->commit(place->device, memory->buffer, 0, memory->bytes);
}

/* Takes a spare of that size; NULL: there is none. */
static struct yk_buffer *take_spare(struct yk_place *place, int64_t bytes)
{
    struct yk_buffer *found = NULL;
    int i;
    yk_lock(&place->lock);
    for (i = 0; i < YK_SPARES && !found; i++)
        if (place->spares[i].bytes == bytes) {
            found = place->spares[i].buffer;
            place->spares[i] = (struct yk_spare){ 0 };
        }
    yk_unlock(&place->lock);
    return found;
}

yoke_status yk_place_book(struct yk_places *places, struct yk_place *place, int64_t bytes,
                          struct yk_buffer **out)
{
    struct memory memory = { .bytes = bytes };
    yoke_status status;
    /* Without this check it could take memory that was promised to a claim. */
    if (place->device->desc.page_bytes && yk_place_room(place) < bytes)
        return no_room(place, bytes);
    *out = take_spare(place, bytes);
    if (*out)
        return YOKE_OK;
    status = yk_place_evict_for(places, place, alloc, &memory);
    if (status == YOKE_OK)
        *out = memory.buffer;
    return status == YOKE_ENOMEM ? no_room(place, bytes) : status;
}

/* Maps all of the memory. Frees it on failure. */
static yoke_status commit_all(struct yk_places *places, struct yk_place *place,
                              struct memory *memory)
{
    const struct yk_backend *backend = place->device->backend;
    yoke_status status;
    if (!backend->commit)
        return YOKE_OK;
    status = yk_place_evict_for(places, place, commit, memory);
    if (status == YOKE_ENOMEM)
        no_room(place, memory->bytes);
    if (status != YOKE_OK) {
        yk_lock(&place->lock);
        backend->free(place->device, memory->buffer);
        yk_unlock(&place->lock);
    }
    return status;
}

yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
                           struct yk_buffer **out)
{
    struct memory memory = { .bytes = bytes };
    yoke_status status = yk_place_book(places, place, bytes, &memory.buffer);
    if (status == YOKE_OK)
        status = commit_all(places, place, &memory);
    if (status == YOKE_OK)
        *out = memory.buffer;
    return status;
}

/* Returns the smallest spare that is large enough, but at most twice as large as needed. */
static struct yk_spare *fitting(struct yk_place *place, int64_t bytes)
{
    struct yk_spare *best = NULL;
    int i;
    for (i = 0; i < YK_SPARES; i++) {
        struct yk_spare *spare = &place->spares[i];
        if (spare->buffer && spare->bytes >= bytes && spare->bytes / 2 <= bytes &&
            (!best || spare->bytes < best->bytes))
            best = spare;
    }
    return best;
}

yoke_status yk_place_borrow(struct yk_places *places, struct yk_place *place, int64_t bytes,
                            struct yk_spare *out)
{
    struct yk_spare found = { .bytes = bytes }, *spare;
    yoke_status status;
    yk_lock(&place->lock);
    spare = fitting(place, bytes);
    if (spare && room_locked(place) >= spare->bytes) {
        found = *spare;
        *spare = (struct yk_spare){ 0 };
    }
    yk_unlock(&place->lock);
    if (found.buffer) { /* memory of a closed array may lack pages that were never used */
        struct memory memory = { found.buffer, found.bytes };
        status = commit_all(places, place, &memory);
    } else {
        status = yk_place_alloc(places, place, bytes, &found.buffer);
    }
    if (status == YOKE_OK)
        *out = found;
    return status;
}
