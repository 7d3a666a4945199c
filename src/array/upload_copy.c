/* upload_copy.c - see upload_copy.h. */
#include "upload_copy.h"

#include "../base/alloc.h"
#include "../base/status.h"
#include "copy.h"

/* --- rows that were sent --- */

void yk_replica_note_sent(struct yk_replica *replica, struct yk_interval rows, uint64_t upload)
{
    struct yk_interval_map *note = &replica->sent;
    if (!note->items &&
        (!upload || yk_interval_map_open(note, yk_array_rows(replica->array), 0) != YOKE_OK))
        return;
    if (yk_interval_map_reserve(note, 2) == YOKE_OK)
        yk_interval_map_assign(note, rows, upload);
    else if (!upload)
        yk_interval_map_close(note);
}

int yk_replica_was_sent(const struct yk_replica *replica, struct yk_interval rows)
{
    const struct yk_interval_map *note = &replica->sent;
    int run = note->items ? yk_interval_map_find(note, rows.first) : -1;
    if (run < 0)
        return 0;
    for (; yk_interval_map_touches(note, run, rows); run++)
        if (!note->items[run].value)
            return 0;
    return 1;
}

/* --- loans --- */

int yk_upload_borrowed(const struct yk_upload *upload, int number, struct yk_interval rows)
{
    const struct yk_loan *loan;
    for (loan = upload->load->loans; loan; loan = loan->next)
        if (loan->replica->place->number == number &&
            (!loan->replica->whole->by_rows ||
             (loan->claim.rows.first <= rows.first && rows.last <= loan->claim.rows.last)))
            return 1;
    return 0;
}

yoke_status yk_upload_borrow(struct yk_upload *upload, int number, struct yk_interval rows,
                             enum yk_lending lending)
{
    struct yk_place *place = yk_places_find(upload->array->places, number);
    struct yk_loan *loan;
    yoke_status status = YOKE_OK;
    if (atomic_load(&place->lost))
        return YOKE_EDEVICE;
    if (yk_upload_borrowed(upload, number, rows))
        return YOKE_OK;
    loan = yk_calloc(1, sizeof *loan);
    if (!loan)
        return YOKE_ENOMEM;
    loan->claim.rows = rows;
    if (lending == YK_LEND_ROOM)
        status = yk_replica_claim(upload->root, place, &loan->claim, &loan->replica);
    else
        loan->replica = yk_replica_lend(upload->root, place, &loan->claim);
    if (status == YOKE_OK && !loan->replica)
        status = YOKE_ENOMEM;
    if (status != YOKE_OK) {
        yk_free(loan);
        return status;
    }
    loan->next = upload->load->loans;
    upload->load->loans = loan;
    return YOKE_OK;
}

/* --- one copy --- */

static int64_t bytes_of(const yoke_array *array, struct yk_interval rows)
{
    return (rows.last - rows.first) * array->row_bytes; /* of its own columns */
}

static yoke_status append(const struct yk_upload *upload, struct yk_copy_needs *list,
                          struct yk_interval rows, int source)
{
    const struct yk_copy_need issued = { .rows = rows, .source = source, .part = upload->part };
    return yk_copy_needs_append(list, &issued);
}

yoke_status yk_upload_exchange_begin(struct yk_upload *upload, struct yk_interval rows, int via,
                                     struct yk_exchange_after *after)
{
    yoke_array *array = upload->array;
    int number = upload->place->number;
    yoke_status status = append(upload, &upload->load->issued, rows, via);
    if (status != YOKE_OK)
        return status;
    if (yk_coherence_flying(array->coherence, number, rows))
        after->own = 1;
    status = yk_coherence_copy_begun(array->coherence, number, after->upload ? YK_HOST : via, rows);
    if (status == YOKE_OK)
        yk_replica_note_sent(upload->replica, rows, 0);
    else
        upload->load->issued.count--;
    return status;
}

yoke_status yk_upload_exchange_issue(struct yk_upload *upload, struct yk_interval rows, int via,
                                     const struct yk_exchange_after *after)
{
    yoke_array *array = upload->array;
    struct yk_copy copy = { .buffer = upload->replica->whole->buffer,
                            .from = array->replicas[via]->whole->buffer };
    yoke_status status;
    yk_array_shape_copy(array, rows, &copy);
    copy.host = NULL;
    copy.from_offset = copy.offset;
    if (!upload->load->exchanges)
        yk_exchange_begin(upload->place);
    upload->load->exchanges = 1;
    status = yk_exchange_issue(upload->place, yk_places_find(array->places, via), &copy, after);
    if (status == YOKE_OK) {
        upload->load->from_devices += yk_copy_total(&copy);
        yk_array_count_across(array, yk_copy_total(&copy));
        return YOKE_OK;
    }
    yk_lock(&array->lock);
    yk_array_copy_ended(array, upload->place->number, rows, status);
    yk_unlock(&array->lock);
    upload->load->issued.count--;
    return status;
}

/* Under the upload_lock of the replica's place. */
static yoke_status issue_host_copy(struct yk_replica *replica, struct yk_interval rows)
{
    yoke_array *array = replica->array;
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = replica->whole->buffer };
    yoke_status status;
    uint64_t number;
    yk_array_shape_copy(array, rows, &copy);
    status = yk_copy_up(replica->place, array, &copy);
    if (status != YOKE_OK)
        return status;
    yk_array_count_up(array, yk_copy_total(&copy));
    number = yk_place_uploaded(replica->place);
    yk_lock(&array->lock);
    yk_replica_note_sent(replica, rows, number);
    yk_unlock(&array->lock);
    return YOKE_OK;
}

/* Ends a copy that was not completely issued, because the next holder of upload_lock would rely on
 * it. */
static void take_back(struct yk_place *place, yoke_array *array, struct yk_interval rows,
                      yoke_status outcome)
{
    yk_place_drain_locked(place);
    yk_lock(&array->lock);
    yk_array_copy_ended(array, place->number, rows, outcome);
    yk_unlock(&array->lock);
}

/* Waits for all copies between devices. A copy whose source was lost is no longer trusted, but may
 * still write to its place, and other places may still be reading rows that it brought. */
static void drain_exchanges(struct yk_places *places)
{
    int i, count = atomic_load_explicit(&places->count, memory_order_acquire);
    for (i = 0; i < count; i++)
        if (places->items[i].number != YK_HOST)
            yk_exchange_drain(&places->items[i]);
}

yoke_status yk_upload_from_host(const struct yk_upload *upload, struct yk_place *place,
                                struct yk_interval rows)
{
    yoke_array *array = upload->array;
    struct yk_load *load = upload->load;
    int number = place->number, is_other = place != upload->place, flying;
    struct yk_copy_needs *list = is_other ? &load->passed : &load->issued;
    yoke_status status;
    yk_lock(&array->lock);
    flying = yk_coherence_flying(array->coherence, number, rows);
    yk_unlock(&array->lock);
    if (flying)
        drain_exchanges(array->places);
    yk_lock(&array->lock);
    status = append(upload, list, rows, is_other ? number : YK_HOST);
    if (status == YOKE_OK) {
        status = yk_coherence_copy_begun(array->coherence, number, YK_HOST, rows);
        list->count -= status != YOKE_OK;
    }
    yk_unlock(&array->lock);
    if (status != YOKE_OK)
        return status;
    status = issue_host_copy(array->replicas[number], rows);
    if (status != YOKE_OK) {
        take_back(place, array, rows, status);
        list->count--;
        return status;
    }
    *(is_other ? &load->to_others : &load->from_host) += bytes_of(array, rows);
    return YOKE_OK;
}
