/* evict.c - device memory as a cache: what was not used for longest makes room.
 *
 * What leaves at a time are the rows of a replica that were last used together, less those that
 * somebody holds; where the device has no pages, or the array is small, a whole replica that nobody
 * holds. A victim is picked under the place's lock, then its modified rows are written back without
 * it (that sleeps), with evict_lock held throughout, so that neither a second eviction nor the
 * closing of an array interferes. Who wants the replica meanwhile waits until the rows have left:
 * what a kernel wrote there would come home torn, or be freed with the memory.
 *
 * Rows that are held and have no pages yet count as if they had: whoever claimed them was promised
 * that there is room.
 */
#include "../base/status.h"
#include "array.h"

/* --- how much room there is --- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of the pages that rows touch, added up in row order. */
struct touched {
    int64_t page, all; /* bytes: of a page, of the buffer */
    int64_t up_to;     /* the end of the last page so far */
    int64_t bytes;
};

static void touch(struct touched *touched, int64_t first, int64_t last)
{
    int64_t start = first / touched->page * touched->page;
    int64_t end = ((last - 1) / touched->page + 1) * touched->page;
    if (end > touched->all)
        end = touched->all;
    if (start < touched->up_to)
        start = touched->up_to;
    if (end > start) {
        touched->bytes += end - start;
        touched->up_to = end;
    }
}

static struct touched touch_nothing(const struct yk_replica *replica)
{
    return (struct touched){ .page = replica->place->device->desc.page_bytes,
                             .all = replica->array->rows * replica->array->row_bytes };
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

/* What was committed and is not claimed can be had; what is claimed and not yet committed will be
 * taken. */
static int64_t room_in(const struct yk_replica *replica)
{
    return committed_bytes(replica) - claimed_bytes(replica);
}

int64_t yk_place_room_locked(struct yk_place *place)
{
    struct yk_device *device = place->device;
    int64_t bytes = device->backend->memory_free(device) + place->spare_bytes;
    const struct yk_replica *replica;
    for (replica = place->oldest; replica; replica = replica->newer)
        if (replica->by_rows)
            bytes += room_in(replica);
        else if (replica->users == 0)
            bytes += replica->array->rows * replica->array->row_bytes;
    return bytes;
}

int64_t yk_place_room(struct yk_place *place)
{
    int64_t bytes;
    yk_lock(&place->lock);
    bytes = yk_place_room_locked(place);
    yk_unlock(&place->lock);
    return bytes;
}

/* --- making room --- */

struct victim {
    struct yk_replica *replica;
    struct yk_interval rows;
    uint64_t use;
};

static void consider(struct victim *best, const struct victim *other)
{
    if (!best->replica || other->use < best->use)
        *best = *other;
}

/* The first rows of each run that nobody claims. */
static void consider_rows(struct victim *best, struct yk_replica *replica)
{
    const struct yk_interval_map *note = &replica->committed;
    int run;
    for (run = 0; run < note->count; run++) {
        struct yk_interval rows = { note->items[run].first, yk_interval_map_last(note, run) };
        struct yk_claimed part;
        if (note->items[run].value == 0)
            continue;
        part = yk_replica_claimed(replica, rows);
        if (part.claimed) {
            rows.first = part.last;
            if (yk_interval_empty(rows))
                continue;
            part = yk_replica_claimed(replica, rows);
        }
        rows.last = part.last;
        consider(best, &(struct victim){ replica, rows, note->items[run].value });
    }
}

/* From then on nobody else starts to use it. evict_lock held. */
static struct victim pick_victim(struct yk_place *place)
{
    struct victim best = { 0 };
    struct yk_replica *replica;
    yk_lock(&place->lock);
    for (replica = place->oldest; replica; replica = replica->newer)
        if (replica->users > 0)
            continue;
        else if (replica->by_rows)
            consider_rows(&best, replica);
        else
            consider(&best,
                     &(struct victim){ replica, yk_array_rows(replica->array), replica->use });
    if (best.replica)
        best.replica->leaving = 1;
    yk_unlock(&place->lock);
    return best;
}

/* *kept: rows that it came to be the only one to have meanwhile, as others lost theirs. */
static yoke_status write_back_rows(const struct victim *victim, yoke_array *array, int64_t *kept)
{
    int number = victim->replica->place->number;
    struct yk_interval part;
    int64_t row;
    yoke_status status = YOKE_OK;
    for (row = victim->rows.first; row < victim->rows.last && status == YOKE_OK; row = part.last) {
        enum yk_row_state state;
        yk_lock(&array->lock);
        state = yk_coherence_state(array->coherence, number, row, &part);
        yk_unlock(&array->lock);
        part.first = row;
        part.last = least(part.last, victim->rows.last);
        if (state == YK_MODIFIED)
            status = yk_transfer_back(array, number, part);
    }
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->lock);
    status = yk_coherence_drop(array->coherence, number, victim->rows, kept);
    yk_unlock(&array->lock);
    return status;
}

/* Their pages, and those they shared with rows that had left before. The map has room for two more
 * runs. */
static void free_rows(struct yk_replica *replica, struct yk_interval rows)
{
    struct yk_interval_map *note = &replica->committed;
    const struct yk_device *device = replica->place->device;
    int64_t skip, count;
    int run;
    yk_interval_map_assign(note, rows, 0);
    run = yk_interval_map_find(note, rows.first);
    skip = note->items[run].first - replica->array->first_row;
    count = yk_interval_map_last(note, run) - note->items[run].first;
    if (note->count == 1 && !replica->claims) {
        yk_replica_free(replica);
        return;
    }
    device->backend->decommit(replica->place->device, replica->buffer,
                              skip * replica->array->row_bytes, count * replica->array->row_bytes);
}

static yoke_status write_back(const struct victim *victim)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(victim->replica->array, part))) {
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

/* evict_lock held. */
static yoke_status let_leave(const struct victim *victim)
{
    struct yk_replica *replica = victim->replica;
    struct yk_place *place = replica->place;
    yoke_status status = write_back(victim);
    yk_lock(&place->lock);
    if (status == YOKE_OK && replica->by_rows)
        status = yk_interval_map_reserve(&replica->committed, 2);
    if (status == YOKE_OK && replica->by_rows)
        free_rows(replica, victim->rows);
    else if (status == YOKE_OK)
        yk_replica_free(replica);
    replica->leaving = 0;
    yk_unlock(&place->lock);
    if (status == YOKE_OK)
        yk_log(YOKE_LOG_DEBUG, "%s: rows %lld to %lld of array %s left its memory",
               place->device->desc.name, (long long)victim->rows.first,
               (long long)victim->rows.last - 1, replica->array->name);
    return status;
}

yoke_status yk_place_evict(struct yk_places *places, struct yk_place *place)
{
    struct victim victim;
    yoke_status status = YOKE_ENOMEM;
    if (free_spare(place)) /* which nothing has to be copied for */
        return YOKE_OK;
    yk_lock(&places->evict_lock);
    victim = pick_victim(place);
    if (victim.replica)
        status = let_leave(&victim);
    yk_unlock(&places->evict_lock);
    return status;
}

/* --- memory that had to be made room for --- */

static yoke_status no_room(const struct yk_place *place, int64_t bytes)
{
    return yk_fail(YOKE_ENOMEM,
                   "%s: no room for %lld bytes; give it more memory (mem=) or smaller arrays",
                   place->device->desc.name, (long long)bytes);
}

yoke_status yk_place_book(struct yk_places *places, struct yk_place *place, int64_t bytes,
                          struct yk_buffer **out)
{
    struct yk_device *device = place->device;
    yoke_status status;
    /* Else it could take what was promised to whoever claimed rows. */
    if (device->desc.page_bytes && yk_place_room(place) < bytes)
        return no_room(place, bytes);
    do {
        yk_lock(&place->lock);
        status = device->backend->alloc(device, bytes, out);
        yk_unlock(&place->lock);
        if (status != YOKE_ENOMEM)
            return status;
        status = yk_place_evict(places, place);
    } while (status == YOKE_OK);
    return status == YOKE_ENOMEM ? no_room(place, bytes) : status;
}

static yoke_status commit_all(struct yk_places *places, struct yk_place *place,
                              struct yk_buffer *buffer, int64_t bytes)
{
    struct yk_device *device = place->device;
    yoke_status status;
    do {
        yk_lock(&place->lock);
        status = device->backend->commit(device, buffer, 0, bytes);
        yk_unlock(&place->lock);
        if (status != YOKE_ENOMEM)
            return status;
        status = yk_place_evict(places, place);
    } while (status == YOKE_OK);
    return status == YOKE_ENOMEM ? no_room(place, bytes) : status;
}

yoke_status yk_place_alloc(struct yk_places *places, struct yk_place *place, int64_t bytes,
                           struct yk_buffer **out)
{
    const struct yk_device *device = place->device;
    struct yk_buffer *made;
    yoke_status status;
    status = yk_place_book(places, place, bytes, &made);
    if (status == YOKE_OK && device->backend->commit) {
        status = commit_all(places, place, made, bytes);
        if (status != YOKE_OK) {
            yk_lock(&place->lock);
            device->backend->free(place->device, made);
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
    if (place->spare_bytes >= bytes && place->spare_bytes / 2 <= bytes &&
        yk_place_room_locked(place) >= place->spare_bytes) {
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
