/* replica.c - a device's copies of arrays: made when a job needs them first, in memory for all rows
 * or only for some.
 *
 * If the device maps pages on demand, a small array gets memory for all rows. A large array gets
 * addresses only; memory is committed for the rows that chunks use (map_pages.c).
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "array.h"

/* Arrays of at most this many pages are evicted whole. */
enum { SMALL_PAGES = 2 };
/* The memory of a closed array is kept if it is at most 1 / KEPT_PART of the device's. To copy a
 * larger array takes much longer than to allocate its memory again. */
enum { KEPT_PART = 1024 };

static int goes_by_rows(const yoke_array *array, const struct yk_place *place)
{
    int64_t page = place->device->desc.page_bytes;
    return page > 0 && place->device->backend->reserve &&
           yk_array_bytes(array) > SMALL_PAGES * page;
}

/* Adds the replica's memory to what can be evicted (sign 1), or takes it off (-1), if it is there
 * as a whole and has no users. place->lend_lock held. */
static void count_idle(const struct yk_replica *whole, int sign)
{
    if (whole->buffer && !whole->by_rows && whole->users == 0)
        whole->place->idle_bytes += sign * yk_array_bytes(whole->array);
}

static void list_by_rows(struct yk_replica *replica)
{
    struct yk_replica **first = &replica->place->by_rows;
    replica->next_by_rows = *first;
    replica->link_by_rows = first;
    if (*first)
        (*first)->link_by_rows = &replica->next_by_rows;
    *first = replica;
}

static void unlist_by_rows(struct yk_replica *replica)
{
    if (!replica->link_by_rows)
        return;
    *replica->link_by_rows = replica->next_by_rows;
    if (replica->next_by_rows)
        replica->next_by_rows->link_by_rows = replica->link_by_rows;
    replica->link_by_rows = NULL;
}

static void append_newest(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    if (replica->by_rows)
        list_by_rows(replica);
    replica->older = place->newest;
    replica->newer = NULL;
    *(place->newest ? &place->newest->newer : &place->oldest) = replica;
    place->newest = replica;
}

static void remove_from_place(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    *(replica->older ? &replica->older->newer : &place->oldest) = replica->newer;
    *(replica->newer ? &replica->newer->older : &place->newest) = replica->older;
    replica->older = replica->newer = NULL;
    unlist_by_rows(replica);
    yk_lock(&place->lend_lock);
    count_idle(replica, -1);
    replica->buffer = NULL;
    yk_unlock(&place->lend_lock);
    yk_interval_map_close(&replica->committed);
}

void yk_replica_free(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    struct yk_buffer *buffer = replica->buffer;
    remove_from_place(replica);
    place->device->backend->free(place->device, buffer);
}

void yk_replica_close(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    const struct yk_spare memory = { .buffer = replica->buffer,
                                     .bytes = yk_array_bytes(replica->array) };
    if (replica->by_rows || memory.bytes > place->device->desc.memory_bytes / KEPT_PART) {
        yk_replica_free(replica);
        return;
    }
    remove_from_place(replica);
    yk_place_keep(place, &memory);
}

/* --- rows that are held --- */

struct yk_claimed yk_replica_claimed(const struct yk_replica *replica, struct yk_interval rows)
{
    struct yk_claimed out = { rows.first, 0 };
    const struct yk_claim *claim;
    int grows = 1;
    if (replica->users > 0)
        return (struct yk_claimed){ rows.last, 1 };
    while (grows && out.last < rows.last) {
        grows = 0;
        for (claim = replica->claims; claim; claim = claim->next)
            if (claim->rows.first <= out.last && out.last < claim->rows.last) {
                out.last = claim->rows.last;
                grows = out.claimed = 1;
            }
    }
    if (!out.claimed) {
        out.last = rows.last;
        for (claim = replica->claims; claim; claim = claim->next)
            if (claim->rows.first > rows.first && claim->rows.first < out.last &&
                !yk_interval_empty(claim->rows))
                out.last = claim->rows.first;
    }
    if (out.last > rows.last)
        out.last = rows.last;
    return out;
}

int64_t yk_replica_cost(yoke_array *array, struct yk_place *place, struct yk_interval rows)
{
    const struct yk_replica *replica;
    int64_t count = array->rows, row;
    yk_lock(&array->lock);
    replica = array->replicas[place->number];
    yk_unlock(&array->lock);
    yk_lock(&place->lend_lock);
    if (!goes_by_rows(array, place)) {
        if (replica && replica->users > 0)
            count = 0;
    } else {
        count = rows.last - rows.first;
        for (row = rows.first; replica && row < rows.last;) {
            struct yk_claimed part =
                yk_replica_claimed(replica, (struct yk_interval){ row, rows.last });
            if (part.claimed)
                count -= part.last - row;
            row = part.last;
        }
    }
    yk_unlock(&place->lend_lock);
    return count * array->row_bytes;
}

/* --- holding --- */

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

/* Waits until the eviction is over, which holds evict_lock until then. place->lock held, but
 * released for a time. */
static void await_eviction(struct yk_replica *replica)
{
    yk_unlock(&replica->place->lock);
    yk_lock(&replica->array->places->evict_lock);
    yk_unlock(&replica->array->places->evict_lock);
    yk_lock(&replica->place->lock);
}

/* Opens the record of committed rows; there are none yet. */
static yoke_status note_nothing(struct yk_replica *replica)
{
    if (replica->array->rows == 0 || !replica->place->device->backend->commit)
        return YOKE_OK;
    return yk_interval_map_open(&replica->committed, yk_array_rows(replica->array), 0);
}

static yoke_status make_buffer(const struct yk_replica *replica, struct yk_buffer **out)
{
    const yoke_array *array = replica->array;
    struct yk_place *place = replica->place;
    int64_t bytes = yk_array_bytes(array);
    yoke_status status;
    if (!goes_by_rows(array, place))
        return yk_place_book(array->places, place, bytes > 0 ? bytes : 1, out);
    yk_lock(&place->lock);
    status = place->device->backend->reserve(place->device, bytes, out);
    yk_unlock(&place->lock);
    return status;
}

/* Makes sure that the replica has a buffer. place->lock held, but released for a time. */
static yoke_status need_buffer(struct yk_replica *replica)
{
    struct yk_place *place = replica->place;
    struct yk_buffer *fresh = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (!replica->buffer || replica->leaving)) {
        if (replica->leaving) {
            await_eviction(replica);
        } else if (fresh) {
            status = note_nothing(replica);
            if (status != YOKE_OK)
                break;
            yk_lock(&place->lend_lock);
            replica->buffer = fresh;
            replica->by_rows = goes_by_rows(replica->array, place);
            count_idle(replica, 1);
            yk_unlock(&place->lend_lock);
            fresh = NULL;
            append_newest(replica);
        } else {
            yk_unlock(&place->lock);
            status = make_buffer(replica, &fresh);
            yk_lock(&place->lock);
            if (status != YOKE_OK)
                return status;
        }
    }
    if (fresh) /* another thread was faster */
        place->device->backend->free(place->device, fresh);
    return status;
}

/* Adds replicas for the arrays that keep the array's coherence state. They use the buffer of the
 * whole array's replica, which is held. *out: the array's own replica. */
static yoke_status add_parts(yoke_array *array, struct yk_place *place, struct yk_replica **out)
{
    struct yk_replica *added;
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = add_replica(part, place, &added);
    if (status == YOKE_OK)
        *out = array->replicas[place->number];
    return status;
}

/* place->lend_lock held, here and in let_go. Keeps the claim's rows if rows are evicted one by one;
 * otherwise, or without a claim, the whole replica. */
static void keep(struct yk_replica *whole, struct yk_claim *claim)
{
    if (!claim || !whole->by_rows) {
        count_idle(whole, -1);
        whole->users++;
        return;
    }
    claim->next = whole->claims;
    whole->claims = claim;
}

static void let_go(struct yk_replica *whole, const struct yk_claim *claim)
{
    struct yk_claim **link = &whole->claims;
    if (!claim || !whole->by_rows) {
        whole->users--;
        count_idle(whole, 1);
        return;
    }
    while (*link != claim)
        link = &(*link)->next;
    *link = claim->next;
}

/* place->lock held. */
static yoke_status keep_with_buffer(struct yk_replica *whole, struct yk_claim *claim)
{
    struct yk_place *place = whole->place;
    yoke_status status = need_buffer(whole);
    if (status != YOKE_OK)
        return status;
    yk_lock(&place->lend_lock);
    keep(whole, claim);
    yk_unlock(&place->lend_lock);
    whole->use = ++place->uses;
    return YOKE_OK;
}

yoke_status yk_replica_claim_unchecked(yoke_array *array, struct yk_place *place,
                                       struct yk_claim *claim, struct yk_replica **out)
{
    struct yk_replica *whole;
    yoke_status status = add_replica(array->whole, place, &whole);
    if (status != YOKE_OK)
        return status;
    yk_lock(&place->lock);
    status = keep_with_buffer(whole, claim);
    yk_unlock(&place->lock);
    if (status != YOKE_OK)
        return status;
    status = add_parts(array, place, out);
    if (status != YOKE_OK)
        yk_replica_unclaim(whole, claim);
    return status;
}

yoke_status yk_replica_claim(yoke_array *array, struct yk_place *place, struct yk_claim *claim,
                             struct yk_replica **out)
{
    yoke_status status = yk_replica_claim_unchecked(array, place, claim, out);
    if (status != YOKE_OK)
        return status;
    status = yk_place_check_room(place);
    if (status != YOKE_OK)
        yk_replica_unclaim(*out, claim);
    return status;
}

struct yk_replica *yk_replica_lend(yoke_array *array, struct yk_place *place,
                                   struct yk_claim *claim)
{
    struct yk_replica *replica;
    yk_lock(&array->lock);
    replica = array->replicas[place->number];
    yk_unlock(&array->lock);
    if (!replica)
        return NULL;
    yk_lock(&place->lend_lock);
    if (!replica->whole->leaving && replica->whole->buffer)
        keep(replica->whole, claim);
    else
        replica = NULL;
    yk_unlock(&place->lend_lock);
    return replica;
}

void yk_replica_unclaim(struct yk_replica *replica, struct yk_claim *claim)
{
    yk_lock(&replica->place->lend_lock);
    let_go(replica->whole, claim);
    yk_unlock(&replica->place->lend_lock);
}
