/* upload_shared.c - rows that several devices need: each takes some from the host and the others
 * from the devices that took them (broadcast.h). The pieces of a device that is late are sent to it
 * by others.
 */
#include "../base/status.h"
#include "broadcast.h"
#include "upload_copy.h"

/* Rows of a piece that are still needed, and the route of the first of them. */
struct leg {
    struct yk_interval rows;
    int owner;               /* owner of the piece */
    struct yk_interval part; /* the first of `rows`, all with the same route */
    enum yk_route route;
    int via;
    uint64_t upload; /* number of the unfinished upload that brings them to `via`; 0: none */
    int awaited;     /* 1: it has waited for another thread's copy of them to `via` */
};

/* array->lock held. */
static void find_route(const struct yk_upload *upload, struct leg *leg)
{
    yoke_array *array = upload->array;
    struct yk_piece_state state = { .place = upload->place->number,
                                    .owner = leg->owner,
                                    .near = atomic_load(&upload->place->nearer) & ~upload->unable };
    struct yk_whereabouts where;
    uint64_t uploads[YK_PLACES] = { 0 };
    uint32_t coming;
    yk_coherence_whereabouts(array->coherence, leg->rows.first, &where);
    leg->part = yk_interval_common(where.rows, leg->rows);
    state.holders = where.holders;
    state.coming = where.arriving;
    for (coming = where.arriving & state.near; coming; coming &= coming - 1) {
        const int place = __builtin_ctz(coming);
        const struct yk_interval_map *sent = &array->replicas[place]->sent;
        int run = sent->items ? yk_interval_map_find(sent, leg->part.first) : -1;
        if (run < 0)
            continue;
        leg->part = yk_interval_map_part(sent, run, leg->part);
        uploads[place] = sent->items[run].value;
        if (uploads[place])
            state.sent |= coming & -coming;
    }
    leg->route = yk_broadcast_route(&state, &leg->via);
    leg->upload = leg->route == YK_ROUTE_FOLLOW ? uploads[leg->via] : 0;
}

/* Makes the caller look at the same rows once more, because nothing was done. */
static void look_again(struct leg *leg)
{
    leg->part.last = leg->part.first;
}

/* Rows that were passed on, but not copied from there, may still be under way when all copies to
 * this device are over: notes that in `unfollowed`. */
static void forget_passed(struct yk_upload *upload)
{
    if (!yk_interval_empty(upload->passed))
        upload->load->unfollowed |= yk_place_bit(upload->passed_to);
    upload->passed = (struct yk_interval){ 0 };
}

/* Makes room for the rows at a place that they will be sent to. */
static yoke_status hold_other(struct yk_upload *upload, struct yk_place *place,
                              struct yk_interval rows)
{
    yoke_status status = yk_upload_borrow(upload, place->number, rows, YK_LEND_ROOM);
    if (status != YOKE_OK)
        return status;
    return yk_replica_commit(upload->array->replicas[place->number], rows);
}

/* Under place->upload_lock. */
static yoke_status send_missing(struct yk_upload *upload, struct yk_place *place,
                                struct yk_interval rows)
{
    yoke_array *array = upload->array;
    struct yk_copy_needs *asked = &upload->load->asked;
    yoke_status status;
    int i;
    asked->count = 0;
    asked->nearer = asked->direct = 0;
    yk_lock(&array->lock);
    status = yk_coherence_lacks(array->coherence, place->number, rows, asked);
    yk_unlock(&array->lock);
    for (i = 0; i < asked->count && status == YOKE_OK; i++)
        if (!asked->items[i].arriving && asked->items[i].source == YK_HOST)
            status = yk_upload_from_host(upload, place, asked->items[i].rows);
    return status;
}

/* Sends the rows from the host to `via`, on its link. If this is impossible or fails, the rows take
 * another route; it is no failure of the device that needs them. */
static void pass_on(struct yk_upload *upload, struct yk_interval rows, int via)
{
    struct yk_place *place = yk_places_find(upload->array->places, via);
    yoke_status status = hold_other(upload, place, rows);
    forget_passed(upload);
    if (status == YOKE_OK) {
        yk_lock(&place->upload_lock);
        status = send_missing(upload, place, rows);
        yk_unlock(&place->upload_lock);
    }
    upload->passed_to = via;
    if (status == YOKE_OK) {
        upload->passed = rows;
        return;
    }
    upload->unable |= yk_place_bit(via);
    upload->load->unfollowed |= yk_place_bit(via);
    if (status == YOKE_EDEVICE)
        yk_transfer_write_off(upload->array, via);
}

/* Waits until the other thread has issued its copy, under upload_lock, which takes some 10 us. Two
 * devices that send pieces in turn often meet in that time. Without the wait, each took the other's
 * pieces from the host, too, and the links carried a third more (mm on two H200s). */
static void await_issue(struct yk_upload *upload, struct leg *leg)
{
    struct yk_place *place = yk_places_find(upload->array->places, leg->via);
    yk_lock(&place->upload_lock);
    yk_unlock(&place->upload_lock);
    leg->awaited = 1;
    look_again(leg);
}

/* Under the upload_lock of the upload's place. Does nothing if the route has changed since the
 * array's lock was released to borrow the source's memory. */
static yoke_status exchange(struct yk_upload *upload, struct leg *leg)
{
    const enum yk_route route = leg->route;
    yoke_array *array = upload->array;
    struct yk_exchange_after after = { .behind = upload->load->behind,
                                       .queue = upload->load->queue };
    yoke_status status = YOKE_OK;
    int is_same;
    yk_lock(&array->lock);
    find_route(upload, leg);
    is_same = leg->route == route && yk_upload_borrowed(upload, leg->via, leg->part);
    after.upload = leg->upload;
    if (is_same)
        status = yk_upload_exchange_begin(upload, leg->part, leg->via, &after);
    yk_unlock(&array->lock);
    if (!is_same)
        look_again(leg);
    else if (status == YOKE_OK)
        status = yk_upload_exchange_issue(upload, leg->part, leg->via, &after);
    return status;
}

static yoke_status take_across(struct yk_upload *upload, struct leg *leg)
{
    const int follows = leg->route == YK_ROUTE_FOLLOW;
    yoke_status status;
    if (yk_upload_borrow(upload, leg->via, leg->part, YK_LEND_THERE) != YOKE_OK) {
        upload->unable |= yk_place_bit(leg->via);
        look_again(leg);
        return YOKE_OK;
    }
    yk_lock(&upload->place->upload_lock);
    status = exchange(upload, leg);
    yk_unlock(&upload->place->upload_lock);
    if (status == YOKE_OK && follows && leg->via == upload->passed_to &&
        leg->part.first == upload->passed.first)
        upload->passed.first = leg->part.last;
    if (status != YOKE_ELOST)
        return status;
    yk_transfer_write_off(upload->array, leg->via);
    upload->unable |= yk_place_bit(leg->via);
    look_again(leg);
    return YOKE_OK;
}

/* Handles the first of leg->rows. leg->part becomes the rows that were handled, or are left to the
 * caller. */
static yoke_status share_part(struct yk_upload *upload, struct leg *leg)
{
    yk_lock(&upload->array->lock);
    find_route(upload, leg);
    yk_unlock(&upload->array->lock);
    switch (leg->route) {
    case YK_ROUTE_NONE:
        break;
    case YK_ROUTE_HOST:
        return yk_upload_missing(upload, leg->part);
    case YK_ROUTE_DEVICE:
    case YK_ROUTE_FOLLOW:
        return take_across(upload, leg);
    case YK_ROUTE_PASS_ON:
        pass_on(upload, leg->part, leg->via);
        look_again(leg);
        break;
    case YK_ROUTE_AWAIT:
        if (leg->awaited)
            return yk_upload_missing(upload, leg->part);
        await_issue(upload, leg);
        break;
    }
    return YOKE_OK;
}

yoke_status yk_upload_share(struct yk_upload *upload, struct yk_interval rows, enum yk_share pieces)
{
    struct yk_broadcast broadcast;
    uint32_t members = (upload->load->sharers & atomic_load(&upload->place->nearer)) |
                       yk_place_bit(upload->place->number);
    yoke_status status = YOKE_OK;
    int64_t nth, count;
    if (!yk_broadcast_open(yk_array_rows(upload->array), upload->array->row_bytes, members,
                           &broadcast))
        return YOKE_OK;
    count = yk_broadcast_pieces(&broadcast);
    for (nth = 0; nth < count && status == YOKE_OK; nth++) {
        struct leg leg = { .via = -1 };
        leg.rows = yk_broadcast_piece(&broadcast, upload->place->number, nth, &leg.owner);
        leg.rows = yk_interval_common(leg.rows, rows);
        if (pieces == YK_SHARE_OWN && leg.owner != upload->place->number)
            continue;
        for (; status == YOKE_OK && !yk_interval_empty(leg.rows); leg.rows.first = leg.part.last)
            status = share_part(upload, &leg);
    }
    forget_passed(upload);
    return status;
}
