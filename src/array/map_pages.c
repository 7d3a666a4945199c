/* map_pages.c - gives rows of a replica their pages if the device maps pages on demand.
 *
 * The replica records which rows have pages, so that a second call costs almost nothing, and when
 * they were last committed, so that the least recently used rows are evicted first (evict.c).
 */
#include "../base/status.h"
#include "array.h"

/* Whether the rows were committed in the replica's current use. */
static int is_noted(const struct yk_replica *replica, struct yk_interval rows)
{
    const struct yk_interval_map *note = &replica->committed;
    return yk_interval_map_spans(note, rows) == 1 &&
           note->items[yk_interval_map_find(note, rows.first)].value == replica->use;
}

static int64_t uncommitted(const struct yk_interval_map *note, struct yk_interval rows)
{
    int64_t count = 0;
    int run = yk_interval_map_find(note, rows.first);
    for (; yk_interval_map_touches(note, run, rows); run++) {
        struct yk_interval part = yk_interval_map_part(note, run, rows);
        if (note->items[run].value == 0)
            count += part.last - part.first;
    }
    return count;
}

/* place->lock held. */
static yoke_status commit_locked(struct yk_replica *replica, struct yk_interval rows)
{
    const yoke_array *array = replica->array;
    struct yk_device *device = replica->place->device;
    int64_t fresh = uncommitted(&replica->committed, rows);
    yoke_status status = yk_interval_map_reserve(&replica->committed, 2);
    if (status == YOKE_OK && fresh)
        status =
            device->backend->commit(device, replica->buffer, yk_array_offset(array, rows.first),
                                    yk_array_span(array, rows));
    if (status != YOKE_OK)
        return status;
    yk_interval_map_assign(&replica->committed, rows, replica->use);
    atomic_fetch_add(&replica->place->mapped, fresh * array->row_bytes);
    return YOKE_OK;
}

struct rows_there {
    struct yk_replica *replica;
    struct yk_interval rows;
};

static yoke_status commit_unless_noted(struct yk_place *place, void *context)
{
    const struct rows_there *what = context;
    (void)place;
    return is_noted(what->replica, what->rows) ? YOKE_OK : commit_locked(what->replica, what->rows);
}

/* Costs two binary searches if the rows have pages. If another process has taken the memory since
 * it was promised, rows that are not held are evicted. */
yoke_status yk_replica_commit(struct yk_replica *part, struct yk_interval rows)
{
    struct rows_there what = { .replica = part->whole, .rows = rows }; /* pages contain whole rows,
                                                                        * not panels */
    const yoke_array *array = part->whole->array;
    struct yk_place *place = part->place;
    yoke_status status;
    if (yk_array_span(array, rows) == 0 || !place->device->backend->commit)
        return YOKE_OK;
    status = yk_place_evict_for(array->places, place, commit_unless_noted, &what);
    if (status != YOKE_ENOMEM)
        return status;
    return yk_fail(YOKE_ENOMEM,
                   "%s: other processes have taken the memory for %lld bytes; give this process "
                   "less of it (mem=)",
                   place->device->desc.name, (long long)yk_array_span(array, rows));
}
