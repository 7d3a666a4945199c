/* evict.c - device memory as a cache: the least recently used rows are evicted.
 *
 * One eviction takes rows of one replica that were last used together, except held ones. If the
 * device does not map pages on demand, or the array is small, it takes a whole replica that is not
 * held. The victim is picked under the place's lock. Then its modified rows are written back
 * without that lock, because this sleeps. evict_lock is held throughout, so that neither a second
 * eviction nor the closing of an array interferes. A thread that needs the replica in that time
 * waits until the eviction is over. Otherwise the host could get a mixture of old rows and rows
 * that a kernel is writing, or these could be freed with the memory.
 */
#include "../base/status.h"
#include "array.h"

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

/* Considers the first unclaimed rows of each run. */
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

/* Picks the least recently used rows. From then on no other thread starts to use their replica.
 * evict_lock held. */
static struct victim pick_victim(struct yk_place *place)
{
    struct victim best = { 0 };
    struct yk_replica *replica;
    yk_lock(&place->lock);
    yk_lock(&place->lend_lock);
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
    yk_unlock(&place->lend_lock);
    yk_unlock(&place->lock);
    return best;
}

/* *kept: number of rows that were not dropped, because other places lost theirs in the meantime and
 * only this place has them. */
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
        part = yk_interval_common(part, (struct yk_interval){ row, victim->rows.last });
        if (state == YK_MODIFIED)
            status = yk_transfer_back(array, number, part);
    }
    if (status != YOKE_OK)
        return status;
    return yk_transfer_drop(array, number, victim->rows, kept);
}

static int is_claimed(const struct yk_replica *replica)
{
    int claimed;
    yk_lock(&replica->place->lend_lock);
    claimed = replica->claims != NULL;
    yk_unlock(&replica->place->lend_lock);
    return claimed;
}

/* Frees the pages of the rows, including pages that they share with rows evicted before. Call it
 * only when the map has room for two more runs. */
static void free_rows(struct yk_replica *replica, struct yk_interval rows)
{
    struct yk_interval_map *note = &replica->committed;
    struct yk_device *device = replica->place->device;
    struct yk_interval empty;
    int run;
    yk_interval_map_assign(note, rows, 0);
    run = yk_interval_map_find(note, rows.first);
    empty = yk_interval_map_part(note, run, yk_array_rows(replica->array));
    if (note->count == 1 && !is_claimed(replica)) {
        yk_replica_free(replica);
        return;
    }
    device->backend->decommit(device, replica->buffer, yk_array_offset(replica->array, empty.first),
                              yk_array_span(replica->array, empty));
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

/* Returns 1 if there was a spare to free. */
static int free_spare(struct yk_place *place)
{
    int freed;
    yk_lock(&place->lock);
    freed = yk_place_free_spare(place);
    yk_unlock(&place->lock);
    return freed;
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
    yk_lock(&place->lend_lock);
    replica->leaving = 0;
    yk_unlock(&place->lend_lock);
    yk_unlock(&place->lock);
    if (status == YOKE_OK)
        yk_log(YOKE_LOG_DEBUG, "%s: rows %lld to %lld of array %s left its memory",
               place->device->desc.name, (long long)victim->rows.first,
               (long long)victim->rows.last - 1, replica->array->name);
    return status;
}

/* YOKE_ENOMEM: there is nothing to evict. */
static yoke_status evict(struct yk_places *places, struct yk_place *place)
{
    struct victim victim;
    yoke_status status = YOKE_ENOMEM;
    if (free_spare(place)) /* needs no copy */
        return YOKE_OK;
    yk_lock(&places->evict_lock);
    victim = pick_victim(place);
    if (victim.replica)
        status = let_leave(&victim);
    yk_unlock(&places->evict_lock);
    return status;
}

yoke_status yk_place_evict_for(struct yk_places *places, struct yk_place *place,
                               yk_place_taking *take, void *context)
{
    yoke_status status;
    do {
        yk_lock(&place->lock);
        status = take(place, context);
        yk_unlock(&place->lock);
        if (status != YOKE_ENOMEM)
            return status;
        status = evict(places, place);
    } while (status == YOKE_OK);
    return status;
}
