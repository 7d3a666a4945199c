/* transfer.c - moving rows: what coherence says is missing becomes copies, and their ends are told
 * to it.
 *
 * To the host: the thread that needs the rows issues the copies on the source's download queue and
 * sleeps; home_lock makes a second one that needs the same rows wait and find them there. To a
 * device: copies are issued on its upload queue and nobody waits; rows whose only copy is on
 * another device come home first.
 */
#include "../base/status.h"
#include "array.h"
#include "copy.h"

static yoke_status lost_rows(const yoke_array *array, struct yk_interval rows)
{
    return yk_fail(
        YOKE_ELOST,
        "array %s: rows %lld to %lld were lost with the device that held the only copy, or "
        "spoilt by a job that failed; write them again",
        array->name, (long long)rows.first, (long long)rows.last - 1);
}

/* One part from one device: issue, sleep, tell. home_lock held. *overtaken: the source no longer
 * has the rows, for they were written elsewhere or went with it since that was asked. */
static yoke_status fetch(yoke_array *array, const struct yk_copy_need *need, int *overtaken)
{
    struct yk_haul haul = { .place = yk_places_find(array->places, need->source),
                            .array = array,
                            .copy = { .kind = YK_COPY_FROM_DEVICE } };
    yoke_status status = YOKE_OK;
    yk_array_shape_copy(array, need->rows, &haul.copy);
    yk_lock(&array->lock);
    *overtaken = yk_coherence_current(array->coherence, need->source, need->rows) <
                 need->rows.last - need->rows.first;
    if (!*overtaken)
        status = yk_coherence_copy_begun(array->coherence, YK_HOST, need->source, need->rows);
    if (!*overtaken && status == YOKE_OK)
        array->landing = need->rows;
    yk_unlock(&array->lock);
    if (*overtaken || status != YOKE_OK)
        return status;
    haul.copy.buffer = array->replicas[need->source]->whole->buffer;
    status = yk_haul_finish(&haul);
    yk_lock(&array->lock);
    if (status == YOKE_OK)
        status = yk_coherence_copy_done(array->coherence, YK_HOST, need->rows);
    else if (yk_coherence_copy_failed(array->coherence, YK_HOST, need->rows) != YOKE_OK)
        atomic_store(&array->spoiled, 1);
    array->landing = (struct yk_interval){ 0 };
    yk_unlock(&array->lock);
    yk_array_count_down(array, yk_copy_total(&haul.copy));
    return status;
}

static yoke_status check_spoiled(yoke_array *array)
{
    if (!atomic_load(&array->spoiled))
        return YOKE_OK;
    return yk_fail(
        YOKE_ENOMEM,
        "array %s: there was no memory to note which rows are current; close it and open it "
        "again",
        array->name);
}

int64_t yk_array_missing(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_array *part = NULL;
    int64_t bytes = 0;
    while ((part = yk_array_part(array, part))) {
        yk_lock(&part->lock);
        bytes += (rows.last - rows.first - yk_coherence_current(part->coherence, place, rows)) *
                 part->row_bytes;
        yk_unlock(&part->lock);
    }
    return (bytes + array->row_bytes - 1) / array->row_bytes;
}

enum { ANY_PLACE = -1 };

/* home_lock held. Rows from that place, or any. A source that fails meanwhile is written off and
 * the next one tried: its failure is not that of the device the rows are wanted for. */
static yoke_status bring_home(yoke_array *array, int from, struct yk_interval rows,
                              struct yk_copy_needs *needs)
{
    yoke_status status;
    int i, overtaken;
again:
    needs->count = 0;
    yk_lock(&array->lock);
    status = yk_coherence_lacks(array->coherence, YK_HOST, rows, needs);
    yk_unlock(&array->lock);
    for (i = 0; i < needs->count && status == YOKE_OK; i++) {
        int source = needs->items[i].source;
        int64_t lost;
        if (from != ANY_PLACE && source != from)
            continue;
        if (source < 0)
            return lost_rows(array, needs->items[i].rows);
        status = fetch(array, &needs->items[i], &overtaken);
        if (status == YOKE_OK && overtaken)
            goto again;
        if (status == YOKE_EDEVICE) {
            atomic_store(&yk_places_find(array->places, source)->lost, 1);
            yk_transfer_place_failed(array, source, &lost);
            goto again;
        }
    }
    return status;
}

static yoke_status part_home(yoke_array *array, int from, struct yk_interval rows)
{
    struct yk_copy_needs needs = { 0 };
    yoke_status status;
    if (atomic_load_explicit(&array->host_only, memory_order_acquire) || rows.first >= rows.last ||
        yk_array_missing(array, YK_HOST, rows) == 0)
        return YOKE_OK;
    status = check_spoiled(array);
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->home_lock);
    status = bring_home(array, from, rows, &needs);
    yk_unlock(&array->home_lock);
    yk_copy_needs_close(&needs);
    return status;
}

static yoke_status transfer_home(yoke_array *array, int from, struct yk_interval rows)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = part_home(part, from, rows);
    return status;
}

yoke_status yk_transfer_home(yoke_array *array, struct yk_interval rows)
{
    return transfer_home(array, ANY_PLACE, rows);
}

yoke_status yk_transfer_back(yoke_array *array, int place, struct yk_interval rows)
{
    return transfer_home(array, place, rows);
}

/* What the replica lacks of rows goes to needs[from ...]; rows that only another device has come to
 * the host first, so that what follows has one source to deal with. */
static yoke_status find_needs(struct yk_replica *replica, struct yk_interval rows,
                              struct yk_copy_needs *needs)
{
    yoke_array *array = replica->array;
    int from = needs->count, i, detours;
    yoke_status status;
    do {
        detours = 0;
        needs->count = from;
        yk_lock(&array->lock);
        status = yk_coherence_lacks(array->coherence, replica->place->number, rows, needs);
        yk_unlock(&array->lock);
        for (i = from; i < needs->count && status == YOKE_OK; i++) {
            struct yk_copy_need need = needs->items[i];
            if (need.arriving || need.source == YK_HOST)
                continue;
            detours++;
            status =
                need.source < 0 ? lost_rows(array, need.rows) : yk_transfer_home(array, need.rows);
        }
    } while (status == YOKE_OK && detours);
    if (status != YOKE_OK)
        needs->count = from;
    return status;
}

static yoke_status upload(struct yk_replica *replica, struct yk_interval rows)
{
    yoke_array *array = replica->array;
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = replica->whole->buffer };
    yoke_status status;
    yk_array_shape_copy(array, rows, &copy);
    status = yk_copy_up(replica->place, array, &copy);
    if (status == YOKE_OK)
        yk_array_count_up(array, yk_copy_total(&copy));
    return status;
}

/* Of panel number `part`. Under place->upload_lock. */
static yoke_status upload_missing(struct yk_replica *replica, int part, struct yk_interval rows,
                                  struct yk_copy_needs *issued)
{
    yoke_array *array = replica->array;
    int kept = issued->count, i = kept;
    yoke_status status = find_needs(replica, rows, issued);
    for (; i < issued->count && status == YOKE_OK; i++) {
        struct yk_copy_need need = issued->items[i];
        if (need.arriving)
            continue; /* an earlier copy on the same queue brings them */
        yk_lock(&array->lock);
        status =
            yk_coherence_copy_begun(array->coherence, replica->place->number, YK_HOST, need.rows);
        yk_unlock(&array->lock);
        if (status != YOKE_OK)
            break;
        need.part = part;
        issued->items[kept++] = need;
        status = upload(replica, need.rows);
    }
    issued->count = kept;
    return status;
}

yoke_status yk_transfer_up(struct yk_replica *replica, struct yk_interval rows,
                           struct yk_copy_needs *issued)
{
    struct yk_place *place = replica->place;
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    int number = 0;
    if (rows.first >= rows.last)
        return YOKE_OK;
    yk_array_leaves_host(replica->array);
    yk_lock(&place->upload_lock);
    for (; status == YOKE_OK && (part = yk_array_part(replica->array, part)); number++) {
        status = check_spoiled(part);
        if (status == YOKE_OK)
            status = upload_missing(part->replicas[place->number], number, rows, issued);
    }
    yk_unlock(&place->upload_lock);
    return status;
}

/* Those of panel number `part`. */
static void settle_part(const struct yk_replica *replica, int part,
                        const struct yk_copy_needs *issued, yoke_status outcome)
{
    yoke_array *array = replica->array;
    int i, place = replica->place->number;
    yk_lock(&array->lock);
    for (i = 0; i < issued->count; i++) {
        struct yk_interval rows = issued->items[i].rows;
        if (issued->items[i].part != part)
            continue;
        if (outcome == YOKE_OK)
            outcome = yk_coherence_copy_done(array->coherence, place, rows);
        if (outcome != YOKE_OK &&
            yk_coherence_copy_failed(array->coherence, place, rows) != YOKE_OK)
            atomic_store(&array->spoiled, 1);
    }
    yk_unlock(&array->lock);
}

void yk_transfer_settle(struct yk_replica *replica, const struct yk_copy_needs *issued,
                        yoke_status outcome)
{
    yoke_array *part = NULL;
    int number = 0;
    for (; (part = yk_array_part(replica->array, part)); number++)
        settle_part(part->replicas[replica->place->number], number, issued, outcome);
}

/* array->lock held, and given up meanwhile. A copy that was overtaken still lands: what is written
 * at the host before that would be gone. */
static void await_landing(yoke_array *array, struct yk_interval rows)
{
    while (!yk_interval_empty(array->landing) && array->landing.first < rows.last &&
           rows.first < array->landing.last) {
        yk_unlock(&array->lock);
        yk_lock(&array->home_lock);
        yk_unlock(&array->home_lock);
        yk_lock(&array->lock);
    }
}

void yk_transfer_await_landing(yoke_array *array, struct yk_interval rows)
{
    yoke_array *part = NULL;
    while ((part = yk_array_part(array, part))) {
        yk_lock(&part->lock);
        await_landing(part, rows);
        yk_unlock(&part->lock);
    }
}

static yoke_status part_written_home(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_status status;
    yk_lock(&array->lock);
    status = yk_coherence_written(array->coherence, place, rows);
    if (status == YOKE_OK)
        status = yk_coherence_copy_begun(array->coherence, YK_HOST, place, rows);
    if (status == YOKE_OK)
        status = yk_coherence_copy_done(array->coherence, YK_HOST, rows);
    yk_unlock(&array->lock);
    return status;
}

static yoke_status part_written(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_status status;
    if (place == YK_HOST && atomic_load_explicit(&array->host_only, memory_order_acquire))
        return YOKE_OK;
    yk_lock(&array->lock);
    if (place == YK_HOST)
        await_landing(array, rows);
    status = yk_coherence_written(array->coherence, place, rows);
    yk_unlock(&array->lock);
    return status;
}

yoke_status yk_transfer_written(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    if (rows.first >= rows.last)
        return YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = part_written(part, place, rows);
    return status;
}

yoke_status yk_transfer_written_home(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    if (rows.first >= rows.last)
        return YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = part_written_home(part, place, rows);
    return status;
}

yoke_status yk_transfer_spoilt(yoke_array *array, int place, struct yk_interval rows, int64_t *lost)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    int64_t here;
    *lost = 0;
    yk_array_leaves_host(array); /* or nobody would ask */
    while ((part = yk_array_part(array, part))) {
        yoke_status noted;
        yk_lock(&part->lock);
        noted = yk_coherence_spoilt(part->coherence, place, rows, &here);
        yk_unlock(&part->lock);
        *lost += noted == YOKE_OK ? here : 0;
        if (noted != YOKE_OK) {
            atomic_store(&part->spoiled, 1);
            status = noted;
        }
    }
    return status;
}

void yk_transfer_place_failed(yoke_array *array, int place, int64_t *lost)
{
    yoke_array *part = NULL;
    int64_t here;
    *lost = 0;
    while ((part = yk_array_part(array, part))) {
        here = 0;
        yk_lock(&part->lock);
        yk_coherence_place_failed(part->coherence, place, &here);
        yk_unlock(&part->lock);
        *lost += here;
    }
}
