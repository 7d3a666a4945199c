/* upload.c - moves rows to a device: turns what coherence reports as missing there into copies on
 * the place's queues, and reports their ends to coherence. No thread waits for the copies.
 *
 * Rows come from the host, or directly from another device if that is faster or the host does not
 * have them. Rows that are only on a device that cannot be read directly come to the host first.
 * Rows that several devices need are shared out among their links (upload_shared.c). How one copy
 * is issued: upload_copy.c.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "upload_copy.h"

/* --- everything that is missing --- */

static yoke_status ask(const struct yk_upload *upload, struct yk_interval rows)
{
    struct yk_copy_needs *asked = &upload->load->asked;
    yoke_status status;
    asked->count = 0;
    asked->nearer = atomic_load(&upload->place->nearer) & ~upload->unable;
    asked->direct = atomic_load(&upload->place->direct) & ~upload->unable;
    yk_lock(&upload->array->lock);
    status = yk_coherence_lacks(upload->array->coherence, upload->place->number, rows, asked);
    yk_unlock(&upload->array->lock);
    return status;
}

/* *again: 1 if the rows could not be taken from there, so that the caller must ask again what is
 * missing. */
static yoke_status take_from_device(struct yk_upload *upload, const struct yk_copy_need *need,
                                    int *again)
{
    yoke_array *array = upload->array;
    yoke_status status = YOKE_OK;
    struct yk_exchange_after after = { .behind = upload->load->behind,
                                       .queue = upload->load->queue };
    *again = 1;
    if (yk_upload_borrow(upload, need->source, need->rows, YK_LEND_THERE) != YOKE_OK) {
        upload->unable |= yk_place_bit(need->source);
        return YOKE_OK;
    }
    yk_lock(&array->lock);
    if (yk_coherence_current(array->coherence, need->source, need->rows) ==
        need->rows.last - need->rows.first) {
        *again = 0;
        status = yk_upload_exchange_begin(upload, need->rows, need->source, &after);
    }
    yk_unlock(&array->lock);
    if (!*again && status == YOKE_OK)
        status = yk_upload_exchange_issue(upload, need->rows, need->source, &after);
    if (status != YOKE_ELOST)
        return status;
    yk_transfer_write_off(array, need->source);
    *again = 1;
    return YOKE_OK;
}

/* Sleeps until the kernels have ended that may still write the rows. Their outcomes are for the
 * threads that launched them. */
static void await_kernels(const struct yk_upload *upload)
{
    const struct yk_behind *behind = upload->load->behind;
    int i;
    for (i = 0; behind && i < behind->count; i++)
        yk_place_await(upload->place, behind->kernel[i]);
}

static yoke_status take(struct yk_upload *upload, const struct yk_copy_need *need, int *again)
{
    *again = 0;
    if (need->arriving) /* on a queue that the launch waits for */
        return YOKE_OK;
    if (need->source < 0)
        return yk_transfer_lost(upload->array, need->rows);
    if (need->source == YK_HOST)
        return yk_upload_from_host(upload, upload->place, need->rows);
    if (upload->load->asked.direct & yk_place_bit(need->source))
        return take_from_device(upload, need, again);
    *again = 1;
    await_kernels(upload);
    return yk_transfer_home(upload->array, need->rows);
}

/* Index of the first need whose source has a higher number than this place, so that each device
 * begins with another source. */
static int first_turn(const struct yk_copy_needs *needs, int place)
{
    int i;
    for (i = 0; i < needs->count; i++)
        if (needs->items[i].source > place)
            return i;
    return 0;
}

/* Under place->upload_lock. */
static yoke_status take_missing(struct yk_upload *upload, struct yk_interval rows)
{
    const struct yk_copy_needs *asked = &upload->load->asked;
    yoke_status status;
    int first, i, again;
    do {
        again = 0;
        status = ask(upload, rows);
        first = status == YOKE_OK ? first_turn(asked, upload->place->number) : 0;
        for (i = 0; i < asked->count && status == YOKE_OK && !again; i++)
            status = take(upload, &asked->items[(first + i) % asked->count], &again);
    } while (status == YOKE_OK && again);
    return status;
}

yoke_status yk_upload_missing(struct yk_upload *upload, struct yk_interval rows)
{
    yoke_status status;
    yk_lock(&upload->place->upload_lock);
    status = take_missing(upload, rows);
    yk_unlock(&upload->place->upload_lock);
    return status;
}

/* Returns 1 if the host has to send some of the rows. Only then do devices share the work: rows
 * that a device has written come from it in one copy, however many devices need them. */
static int host_sends(struct yk_upload *upload, struct yk_interval rows)
{
    const struct yk_copy_needs *asked = &upload->load->asked;
    int i;
    if (ask(upload, rows) != YOKE_OK)
        return 0; /* it is asked again before the copies, which report what failed */
    for (i = 0; i < asked->count; i++)
        if (asked->items[i].source == YK_HOST)
            return 1;
    return 0;
}

static yoke_status bring(struct yk_replica *replica, struct yk_interval rows, struct yk_load *load,
                         enum yk_share pieces)
{
    struct yk_upload upload = { .root = replica->array, .place = replica->place, .load = load };
    yoke_status status = YOKE_OK;
    if (yk_interval_empty(rows))
        return YOKE_OK;
    yk_array_leaves_host(upload.root);
    for (; status == YOKE_OK && (upload.array = yk_array_part(upload.root, upload.array));
         upload.part++) {
        upload.replica = upload.array->replicas[upload.place->number];
        status = yk_transfer_check(upload.array);
        if (status == YOKE_OK && load->sharers && host_sends(&upload, rows))
            status = yk_upload_share(&upload, rows, pieces);
        if (status == YOKE_OK && pieces == YK_SHARE_ALL)
            status = yk_upload_missing(&upload, rows);
    }
    return status;
}

yoke_status yk_transfer_up_own(struct yk_replica *replica, struct yk_interval rows,
                               struct yk_load *load)
{
    return bring(replica, rows, load, YK_SHARE_OWN);
}

yoke_status yk_transfer_up(struct yk_replica *replica, struct yk_interval rows,
                           struct yk_load *load)
{
    return bring(replica, rows, load, YK_SHARE_ALL);
}

/* --- outcomes --- */

void yk_load_close(struct yk_load *load)
{
    yk_copy_needs_close(&load->issued);
    yk_copy_needs_close(&load->passed);
    yk_copy_needs_close(&load->asked);
    *load = (struct yk_load){ 0 };
}

/* Ends one copy in coherence. A copy from the host that was issued completely has arrived, even if
 * its chunk failed. Other devices may already be reading the rows here, so they must not be sent
 * again. (If the device is lost, that is reported as well.) array->lock held. */
static yoke_status settle(struct yk_replica *replica, struct yk_interval rows, yoke_status outcome)
{
    yoke_status copied = yk_replica_was_sent(replica, rows) ? YOKE_OK : outcome, status;
    status = yk_array_copy_ended(replica->array, replica->place->number, rows, copied);
    yk_replica_note_sent(replica, rows, 0);
    return outcome == YOKE_OK ? status : outcome;
}

/* Waits for copies to other places: they may still be under way if their rows were not copied on to
 * this device. */
static void drain_others(yoke_array *array, const struct yk_load *load, uint32_t places)
{
    int i;
    for (i = 0; i < load->passed.count; i++) {
        int place = load->passed.items[i].source;
        if (places & yk_place_bit(place))
            yk_place_drain(yk_places_find(array->places, place));
        places &= ~yk_place_bit(place);
    }
}

/* Settles the copies of panel number `part`. */
static yoke_status settle_part(const struct yk_replica *replica, int part,
                               const struct yk_load *load, yoke_status outcome)
{
    yoke_array *array = replica->array;
    int i;
    yk_lock(&array->lock);
    for (i = 0; i < load->issued.count; i++)
        if (load->issued.items[i].part == part)
            outcome = settle(array->replicas[replica->place->number], load->issued.items[i].rows,
                             outcome);
    for (i = 0; i < load->passed.count; i++)
        if (load->passed.items[i].part == part)
            outcome = settle(array->replicas[load->passed.items[i].source],
                             load->passed.items[i].rows, outcome);
    yk_unlock(&array->lock);
    return outcome;
}

void yk_transfer_settle(struct yk_replica *replica, struct yk_load *load, yoke_status outcome)
{
    yoke_array *root = replica->array, *array = NULL;
    struct yk_loan *loan;
    int part;
    if (!load->issued.count && !load->passed.count && !load->loans && !load->exchanges)
        return;
    drain_others(root, load, outcome == YOKE_OK ? load->unfollowed : ~0u);
    for (part = 0; (array = yk_array_part(root, array)); part++)
        outcome = settle_part(array->replicas[replica->place->number], part, load, outcome);
    if (load->exchanges)
        yk_exchange_settled(replica->place);
    while ((loan = load->loans)) {
        load->loans = loan->next;
        yk_replica_unclaim(loan->replica, &loan->claim);
        yk_free(loan);
    }
    load->issued.count = load->passed.count = 0;
    load->unfollowed = 0;
    load->exchanges = 0;
    load->from_host = load->from_devices = load->to_others = 0;
}
