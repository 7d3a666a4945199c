/* transfer.c - moves rows to the host: turns what coherence reports as missing into copies, and
 * reports their ends to it. To devices: upload.c.
 *
 * The thread that needs the rows issues the copies on the source's lending queue and sleeps. A
 * second thread that needs the same rows waits for home_lock and then finds them there.
 */
#include "../base/status.h"
#include "array.h"
#include "broadcast.h"
#include "copy.h"
#include "poison.h"

yoke_status yk_transfer_lost(const yoke_array *array, struct yk_interval rows)
{
    return yk_fail(
        YOKE_ELOST,
        "array %s: rows %lld to %lld were lost with the device that held the only copy, or "
        "spoilt by a job that failed; write them again",
        array->name, (long long)rows.first, (long long)rows.last - 1);
}

yoke_status yk_array_copy_ended(yoke_array *array, int place, struct yk_interval rows,
                                yoke_status outcome)
{
    yoke_status status = outcome;
    if (status == YOKE_OK)
        status = yk_coherence_copy_done(array->coherence, place, rows);
    if (status != YOKE_OK && yk_coherence_copy_failed(array->coherence, place, rows) != YOKE_OK)
        atomic_store(&array->spoiled, 1);
    return status;
}

/* Rows on their way from one device. */
struct coming {
    const struct yk_copy_need *need;
    struct yk_haul haul;
    struct yk_event *started; /* the end of what yk_haul_start issued; NULL: nothing */
    yoke_status status;       /* of that */
};

/* Tells coherence that a part is coming. home_lock held. *overtaken: 1 if the source no longer has
 * the rows, because they were written elsewhere in the meantime, or were lost with it. Then, and
 * after an error, they do not come. */
static yoke_status announce(yoke_array *array, const struct yk_copy_need *need,
                            struct coming *coming, int *overtaken)
{
    yoke_status status = YOKE_OK;
    *coming = (struct coming){ .need = need,
                               .haul = { .place = yk_places_find(array->places, need->source),
                                         .lends = 1,
                                         .array = array,
                                         .copy = { .kind = YK_COPY_FROM_DEVICE } } };
    yk_array_shape_copy(array, need->rows, &coming->haul.copy);
    yk_lock(&array->lock);
    *overtaken = yk_coherence_current(array->coherence, need->source, need->rows) <
                 need->rows.last - need->rows.first;
    if (!*overtaken)
        status = yk_coherence_copy_begun(array->coherence, YK_HOST, need->source, need->rows);
    if (!*overtaken && status == YOKE_OK) {
        array->landing = yk_interval_hull(array->landing, need->rows);
        yk_unpoison(array, need->rows);
        coming->haul.copy.buffer = array->replicas[need->source]->whole->buffer;
    }
    yk_unlock(&array->lock);
    return status;
}

/* Sleeps until the part is there, and tells coherence. home_lock held. */
static yoke_status await(yoke_array *array, struct coming *coming)
{
    struct yk_haul *haul = &coming->haul;
    const yoke_status arrival = yk_haul_await(haul, coming->started);
    yoke_status status = coming->status != YOKE_OK ? coming->status : arrival;
    if (status == YOKE_OK)
        status = yk_haul_finish(haul);
    else
        yk_haul_drop(haul);
    yk_lock(&array->lock);
    status = yk_array_copy_ended(array, YK_HOST, coming->need->rows, status);
    yk_unlock(&array->lock);
    yk_array_count_down(array, yk_copy_total(&haul->copy));
    return status;
}

/* The number of parts that come at the same time, so that the links of as many devices are busy. */
enum { TOGETHER = 8 };

/* Brings up to TOGETHER parts, and counts them in *count. Stops before a part that was overtaken or
 * that could not be announced. home_lock held. The first part's copies are issued as staging
 * buffers become free, those of the others as far as there are buffers at once. */
static yoke_status fetch(yoke_array *array, const struct yk_copy_need *needs, int *count,
                         int *overtaken)
{
    struct coming coming[TOGETHER];
    yoke_status status = YOKE_OK, arrival;
    const int most = *count < TOGETHER ? *count : TOGETHER;
    int i, lost = -1;
    *overtaken = 0;
    for (*count = 0; *count < most && !*overtaken && status == YOKE_OK; ++*count)
        status = announce(array, &needs[*count], &coming[*count], overtaken);
    *count -= *overtaken || status != YOKE_OK;
    for (i = 1; i < *count; i++)
        coming[i].status = yk_haul_start(&coming[i].haul, &coming[i].started);
    for (i = 0; i < *count; i++) {
        arrival = await(array, &coming[i]);
        if (arrival == YOKE_OK)
            continue;
        status = arrival;
        if (arrival == YOKE_EDEVICE)
            lost = needs[i].source;
    }
    yk_lock(&array->lock);
    array->landing = (struct yk_interval){ 0 };
    yk_unlock(&array->lock);
    if (lost < 0)
        return status;
    yk_transfer_write_off(array, lost);
    *overtaken = 1;
    return YOKE_OK;
}

yoke_status yk_transfer_check(yoke_array *array)
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

/* Returns 1 if rows that `holders` have reach `place` from the host or through it. */
static int passes_host(const struct yk_place *place, uint32_t holders)
{
    const struct yk_copy_needs wish = { .nearer = atomic_load(&place->nearer),
                                        .direct = atomic_load(&place->direct) };
    const int source = yk_coherence_source(&wish, holders, place->number, -1);
    return source >= 0 && !(holders & yk_place_bit(place->number)) &&
           !(wish.direct & yk_place_bit(source));
}

int64_t yk_array_from_host(yoke_array *array, const struct yk_place *place, struct yk_interval rows)
{
    yoke_array *part = NULL;
    int64_t bytes = 0;
    while ((part = yk_array_part(array, part))) {
        struct yk_whereabouts found;
        int64_t row = rows.first, last;
        yk_lock(&part->lock);
        for (; row < rows.last; row = last) {
            yk_coherence_whereabouts(part->coherence, row, &found);
            last = found.rows.last < rows.last ? found.rows.last : rows.last;
            if (passes_host(place, found.holders))
                bytes += (last - row) * part->row_bytes;
        }
        yk_unlock(&part->lock);
    }
    return bytes;
}

enum { ANY_PLACE = -1 };

/* Keeps only what comes from place `from`, or from any. */
static yoke_status choose(const yoke_array *array, int from, struct yk_copy_needs *needs)
{
    int i, kept = 0;
    for (i = 0; i < needs->count; i++) {
        if (from != ANY_PLACE && needs->items[i].source != from)
            continue;
        if (needs->items[i].source < 0)
            return yk_transfer_lost(array, needs->items[i].rows);
        needs->items[kept++] = needs->items[i];
    }
    needs->count = kept;
    return YOKE_OK;
}

/* If several devices have all the rows that come from one, each sends a part of them, so that all
 * their links are busy. */
static yoke_status spread(yoke_array *array, struct yk_copy_needs *needs)
{
    const struct yk_interval rows =
        needs->count == 1 ? needs->items[0].rows : (struct yk_interval){ 0 };
    struct yk_whereabouts there;
    yoke_status status = YOKE_OK;
    int place, nth = 0, count;
    if (yk_interval_length(rows) * array->row_bytes < yk_broadcast_least_bytes)
        return YOKE_OK;
    yk_lock(&array->lock);
    yk_coherence_whereabouts(array->coherence, rows.first, &there);
    yk_unlock(&array->lock);
    there.holders &= ~yk_place_bit(YK_HOST);
    count = __builtin_popcount(there.holders);
    if (count < 2 || there.rows.last < rows.last)
        return YOKE_OK;
    needs->count = 0;
    for (place = 0; place < YK_PLACES && status == YOKE_OK; place++) {
        struct yk_copy_need part = { .source = place };
        if (!(there.holders & yk_place_bit(place)))
            continue;
        part.rows.first = rows.first + yk_interval_length(rows) * nth / count;
        part.rows.last = rows.first + yk_interval_length(rows) * ++nth / count;
        status = yk_copy_needs_append(needs, &part);
    }
    return status;
}

/* home_lock held. Takes rows from place `from`, or from any. If a source fails, writes it off and
 * tries the next one: this is not a failure of the device that needs the rows. */
static yoke_status bring_home(yoke_array *array, int from, struct yk_interval rows,
                              struct yk_copy_needs *needs)
{
    yoke_status status;
    int done, count, overtaken;
    do {
        overtaken = needs->count = 0;
        yk_lock(&array->lock);
        status = yk_coherence_lacks(array->coherence, YK_HOST, rows, needs);
        yk_unlock(&array->lock);
        if (status == YOKE_OK)
            status = choose(array, from, needs);
        if (status == YOKE_OK && from == ANY_PLACE)
            status = spread(array, needs);
        for (done = 0; done < needs->count && status == YOKE_OK && !overtaken; done += count) {
            count = needs->count - done;
            status = fetch(array, needs->items + done, &count, &overtaken);
        }
    } while (status == YOKE_OK && overtaken);
    return status;
}

static yoke_status part_home(yoke_array *array, int from, struct yk_interval rows)
{
    struct yk_copy_needs needs = { 0 };
    yoke_status status;
    if (atomic_load_explicit(&array->host_only, memory_order_acquire) ||
        yk_array_missing(array, YK_HOST, rows) == 0)
        return YOKE_OK;
    status = yk_transfer_check(array);
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->home_lock);
    status = bring_home(array, from, rows, &needs);
    yk_unlock(&array->home_lock);
    yk_copy_needs_close(&needs);
    return status;
}

/* Called for each array that keeps `array`'s coherence state. */
typedef yoke_status part_fn(yoke_array *part, int place, struct yk_interval rows);

static yoke_status each_part(yoke_array *array, int place, struct yk_interval rows, part_fn *fn)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    if (yk_interval_empty(rows))
        return YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part)))
        status = fn(part, place, rows);
    return status;
}

yoke_status yk_transfer_home(yoke_array *array, struct yk_interval rows)
{
    return each_part(array, ANY_PLACE, rows, part_home);
}

yoke_status yk_transfer_back(yoke_array *array, int place, struct yk_interval rows)
{
    return each_part(array, place, rows, part_home);
}

/* array->lock held. */
static int may_land(const yoke_array *array, struct yk_interval rows)
{
    return !yk_interval_empty(yk_interval_common(array->landing, rows));
}

/* Waits until no copy may land in the rows. An overtaken copy still lands, and would overwrite what
 * was written at the host before. array->lock held, but released for a time. */
static void await_landing(yoke_array *array, struct yk_interval rows)
{
    while (may_land(array, rows)) {
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

void yk_transfer_landing(yoke_array *array, struct yk_interval rows)
{
    yoke_array *part = NULL;
    while (array->places->checks && (part = yk_array_part(array, part))) {
        yk_lock(&part->lock);
        yk_unpoison(part, rows);
        yk_unlock(&part->lock);
    }
}

yoke_status yk_transfer_drop(yoke_array *array, int place, struct yk_interval rows, int64_t *kept)
{
    yoke_status status;
    yk_lock(&array->lock);
    await_landing(array, rows);
    status = yk_coherence_drop(array->coherence, place, rows, kept);
    yk_unlock(&array->lock);
    return status;
}

static yoke_status part_written_home(yoke_array *array, int place, struct yk_interval rows)
{
    yoke_status status;
    yk_lock(&array->lock);
    status = yk_coherence_written(array->coherence, place, rows);
    if (status == YOKE_OK)
        status = yk_coherence_copy_begun(array->coherence, YK_HOST, place, rows);
    if (status == YOKE_OK)
        status = yk_array_copy_ended(array, YK_HOST, rows, YOKE_OK);
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
    if (status == YOKE_OK)
        (place == YK_HOST ? yk_unpoison : yk_poison)(array, rows);
    yk_unlock(&array->lock);
    return status;
}

yoke_status yk_transfer_written(yoke_array *array, int place, struct yk_interval rows)
{
    return each_part(array, place, rows, part_written);
}

yoke_status yk_transfer_written_home(yoke_array *array, int place, struct yk_interval rows)
{
    return each_part(array, place, rows, part_written_home);
}

static int part_is_ready(yoke_array *array, struct yk_interval rows, enum yk_host_use use)
{
    int ready;
    if (atomic_load_explicit(&array->host_only, memory_order_acquire))
        return 1;
    yk_lock(&array->lock);
    ready =
        !atomic_load(&array->spoiled) && !may_land(array, rows) &&
        yk_coherence_current(array->coherence, YK_HOST, rows) == rows.last - rows.first &&
        (use == YK_HOST_READS || yk_coherence_written(array->coherence, YK_HOST, rows) == YOKE_OK);
    yk_unlock(&array->lock);
    return ready;
}

int yk_transfer_is_ready(yoke_array *array, struct yk_interval rows, enum yk_host_use use)
{
    yoke_array *part = NULL;
    int ready = 1;
    while (ready && rows.first < rows.last && (part = yk_array_part(array, part)))
        ready = part_is_ready(part, rows, use);
    return ready;
}

yoke_status yk_transfer_spoilt(yoke_array *array, int place, struct yk_interval rows, int64_t *lost)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    int64_t here;
    *lost = 0;
    yk_array_leaves_host(array); /* otherwise CPU chunks would not ask coherence */
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

void yk_transfer_write_off(yoke_array *array, int place)
{
    int64_t lost;
    atomic_store(&yk_places_find(array->places, place)->lost, 1);
    yk_transfer_place_failed(array, place, &lost);
}
