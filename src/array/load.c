/* load.c - moving rows to a device: what coherence says is missing there becomes copies on its
 * queues, and their ends are told to it. Nobody waits for them.
 *
 * Rows come from the host, or straight from another device where that is faster or the host has
 * none. Rows that only a device has which cannot be read come home first. Rows that several devices
 * want are shared out among their links (broadcast.h).
 *
 * Two queues bring rows here, and a copy that was overtaken (its source was lost) may be on either:
 * the next one of the same rows comes after it.
 *
 * Uploads are begun and issued under the upload_lock of their place, exchanges under the array's
 * lock: who holds that knows that rows which are arriving are on a queue. A source's replica is
 * held until the copies out of it are settled, and those who write its rows wait for that as they
 * wait for every reader. Rows that are still on their way to a source are taken only where they
 * come from the host (replica.sent): a chain of exchanges would have to be told how each of them
 * ended.
 */
#include "../base/alloc.h"
#include "../base/status.h"
#include "array.h"
#include "broadcast.h"
#include "copy.h"

/* Of an array, or of one panel after the other (panel.h), which keep books of their own. */
struct lift {
    yoke_array *root;
    yoke_array *array;
    int part;
    struct yk_replica *replica;
    struct yk_place *place;
    struct yk_load *load;
    uint32_t unable; /* places that are not asked again: they have no replica any more, or failed */
    struct yk_interval
        passed; /* rows just passed on to `passed_to`, and not taken from there yet */
    int passed_to;
};

void yk_load_close(struct yk_load *load)
{
    yk_copy_needs_close(&load->issued);
    yk_copy_needs_close(&load->passed);
    yk_copy_needs_close(&load->asked);
    *load = (struct yk_load){ 0 };
}

static int64_t bytes_of(const yoke_array *array, struct yk_interval rows)
{
    return (rows.last - rows.first) * array->row_bytes; /* of its own columns */
}

/* array->lock held. Without memory for a note that rows are sent nobody takes them from there. */
static void note_sent(struct yk_replica *replica, struct yk_interval rows, int sent)
{
    struct yk_interval_map *note = &replica->sent;
    if (!note->items &&
        (!sent || yk_interval_map_open(note, yk_array_rows(replica->array), 0) != YOKE_OK))
        return;
    if (yk_interval_map_reserve(note, 2) == YOKE_OK)
        yk_interval_map_assign(note, rows, (uint64_t)sent);
    else if (!sent)
        yk_interval_map_close(note);
}

/* --- one source --- */

static int is_lent(const struct lift *lift, int number, struct yk_interval rows)
{
    const struct yk_loan *loan;
    for (loan = lift->load->loans; loan; loan = loan->next)
        if (loan->replica->place->number == number &&
            (!loan->replica->whole->by_rows ||
             (loan->claim.rows.first <= rows.first && rows.last <= loan->claim.rows.last)))
            return 1;
    return 0;
}

/* How a loan is come by: of what is there, or of room for more. */
enum lending { THERE, ROOM };

/* The rows' memory at the place stays until the load is settled. */
static yoke_status lend(struct lift *lift, int number, struct yk_interval rows,
                        enum lending lending)
{
    struct yk_place *place = yk_places_find(lift->array->places, number);
    struct yk_loan *loan;
    yoke_status status = YOKE_OK;
    if (atomic_load(&place->lost))
        return YOKE_EDEVICE;
    if (is_lent(lift, number, rows))
        return YOKE_OK;
    loan = yk_calloc(1, sizeof *loan);
    if (!loan)
        return YOKE_ENOMEM;
    loan->claim.rows = rows;
    if (lending == ROOM)
        status = yk_replica_claim(lift->root, place, &loan->claim, &loan->replica);
    else
        loan->replica = yk_replica_lend(lift->root, place, &loan->claim);
    if (status == YOKE_OK && !loan->replica)
        status = YOKE_ENOMEM;
    if (status != YOKE_OK) {
        yk_free(loan);
        return status;
    }
    loan->next = lift->load->loans;
    lift->load->loans = loan;
    return YOKE_OK;
}

static yoke_status append(const struct lift *lift, struct yk_copy_needs *list,
                          struct yk_interval rows, int source)
{
    const struct yk_copy_need issued = { .rows = rows, .source = source, .part = lift->part };
    return yk_copy_needs_append(list, &issued);
}

/* array->lock held. */
static int was_sent(const struct yk_replica *replica, struct yk_interval rows)
{
    const struct yk_interval_map *note = &replica->sent;
    return note->items && yk_interval_map_spans(note, rows) == 1 &&
           note->items[yk_interval_map_find(note, rows.first)].value;
}

/* A copy from the host that was issued whole has arrived, whatever became of the chunk that it was
 * for: others may be reading it there by now, so it must not come again. (If its device is lost,
 * that is told too.) array->lock held. */
static yoke_status settle(struct yk_replica *replica, struct yk_interval rows, yoke_status outcome)
{
    yoke_status copied = was_sent(replica, rows) ? YOKE_OK : outcome, status;
    status = yk_array_copy_ended(replica->array, replica->place->number, rows, copied);
    note_sent(replica, rows, 0);
    return outcome == YOKE_OK ? status : outcome;
}

/* array->lock held; `via`, which is held, has the rows, or has them sent. */
static yoke_status exchange(struct lift *lift, struct yk_interval rows, int via, unsigned after)
{
    yoke_array *array = lift->array;
    int number = lift->place->number;
    struct yk_copy copy = { .buffer = lift->replica->whole->buffer,
                            .from = array->replicas[via]->whole->buffer };
    yoke_status status = append(lift, &lift->load->issued, rows, via);
    if (status != YOKE_OK)
        return status;
    yk_array_shape_copy(array, rows, &copy);
    copy.host = NULL;
    copy.from_offset = copy.offset;
    if (!lift->load->exchanges)
        yk_exchange_begin(lift->place);
    lift->load->exchanges = 1;
    if (yk_coherence_flying(array->coherence, number, rows))
        after |= YK_AFTER_OWN;
    status = yk_coherence_copy_begun(array->coherence, number,
                                     after & YK_AFTER_SOURCE ? YK_HOST : via, rows);
    if (status == YOKE_OK) {
        status = yk_exchange_issue(lift->place, yk_places_find(array->places, via), &copy, after);
        if (status != YOKE_OK)
            yk_array_copy_ended(array, number, rows, status);
    }
    if (status != YOKE_OK) {
        lift->load->issued.count--;
        return status;
    }
    note_sent(lift->replica, rows, 0);
    lift->load->from_devices += yk_copy_total(&copy);
    yk_array_count_across(array, yk_copy_total(&copy));
    return YOKE_OK;
}

/* *again: it did not come to that, so what is lacking has to be asked anew. */
static yoke_status take_from_device(struct lift *lift, const struct yk_copy_need *need, int *again)
{
    yoke_array *array = lift->array;
    yoke_status status = YOKE_OK;
    *again = 1;
    if (lend(lift, need->source, need->rows, THERE) != YOKE_OK) {
        lift->unable |= yk_place_bit(need->source);
        return YOKE_OK;
    }
    yk_lock(&array->lock);
    if (yk_coherence_current(array->coherence, need->source, need->rows) ==
        need->rows.last - need->rows.first) {
        *again = 0;
        status = exchange(lift, need->rows, need->source, 0);
    }
    yk_unlock(&array->lock);
    if (status != YOKE_ELOST)
        return status;
    yk_transfer_write_off(array, need->source);
    *again = 1;
    return YOKE_OK;
}

/* Under the upload_lock of the replica's place. */
static yoke_status upload(struct yk_replica *replica, struct yk_interval rows)
{
    yoke_array *array = replica->array;
    struct yk_copy copy = { .kind = YK_COPY_TO_DEVICE, .buffer = replica->whole->buffer };
    yoke_status status;
    yk_array_shape_copy(array, rows, &copy);
    status = yk_copy_up(replica->place, array, &copy);
    if (status != YOKE_OK)
        return status;
    yk_array_count_up(array, yk_copy_total(&copy));
    yk_lock(&array->lock);
    note_sent(replica, rows, 1);
    yk_unlock(&array->lock);
    return YOKE_OK;
}

/* To this place or to another, which hands them on. Begun copies are on the place's list even if
 * they fail: only then who settles knows of them. Under the upload_lock of the place. */
static yoke_status take_from_host(const struct lift *lift, struct yk_place *place,
                                  struct yk_interval rows)
{
    yoke_array *array = lift->array;
    struct yk_copy_needs *list = place == lift->place ? &lift->load->issued : &lift->load->passed;
    int number = place->number, flying;
    yoke_status status;
    yk_lock(&array->lock);
    flying = yk_coherence_flying(array->coherence, number, rows);
    yk_unlock(&array->lock);
    if (flying)
        yk_exchange_drain(place);
    yk_lock(&array->lock);
    status = append(lift, list, rows, place == lift->place ? YK_HOST : number);
    if (status == YOKE_OK) {
        status = yk_coherence_copy_begun(array->coherence, number, YK_HOST, rows);
        list->count -= status != YOKE_OK;
    }
    yk_unlock(&array->lock);
    return status == YOKE_OK ? upload(array->replicas[number], rows) : status;
}

/* --- all that is lacking --- */

static yoke_status ask(const struct lift *lift, struct yk_interval rows)
{
    struct yk_copy_needs *asked = &lift->load->asked;
    yoke_status status;
    asked->count = 0;
    asked->nearer = atomic_load(&lift->place->nearer) & ~lift->unable;
    asked->direct = atomic_load(&lift->place->direct) & ~lift->unable;
    yk_lock(&lift->array->lock);
    status = yk_coherence_lacks(lift->array->coherence, lift->place->number, rows, asked);
    yk_unlock(&lift->array->lock);
    return status;
}

static yoke_status take(struct lift *lift, const struct yk_copy_need *need, int *again)
{
    yoke_status status;
    *again = 0;
    if (need->arriving) /* on a queue that whoever launches waits for */
        return YOKE_OK;
    if (need->source < 0)
        return yk_transfer_lost(lift->array, need->rows);
    if (need->source == YK_HOST) {
        status = take_from_host(lift, lift->place, need->rows);
        if (status == YOKE_OK)
            lift->load->from_host += bytes_of(lift->array, need->rows);
        return status;
    }
    if (lift->load->asked.direct & yk_place_bit(need->source))
        return take_from_device(lift, need, again);
    *again = 1;
    return yk_transfer_home(lift->array, need->rows);
}

/* The first that the next device behind this one has: each begins with another source. */
static int first_turn(const struct yk_copy_needs *needs, int place)
{
    int i;
    for (i = 0; i < needs->count; i++)
        if (needs->items[i].source > place)
            return i;
    return 0;
}

/* Under place->upload_lock. */
static yoke_status take_missing(struct lift *lift, struct yk_interval rows)
{
    const struct yk_copy_needs *asked = &lift->load->asked;
    yoke_status status;
    int first, i, again;
    do {
        again = 0;
        status = ask(lift, rows);
        first = status == YOKE_OK ? first_turn(asked, lift->place->number) : 0;
        for (i = 0; i < asked->count && status == YOKE_OK && !again; i++)
            status = take(lift, &asked->items[(first + i) % asked->count], &again);
    } while (status == YOKE_OK && again);
    return status;
}

static yoke_status take_missing_alone(struct lift *lift, struct yk_interval rows)
{
    yoke_status status;
    yk_lock(&lift->place->upload_lock);
    status = take_missing(lift, rows);
    yk_unlock(&lift->place->upload_lock);
    return status;
}

/* --- rows that several devices want --- */

/* array->lock held. The first of `rows` that are alike, and which way they go. */
static enum yk_route find_route(const struct lift *lift, struct yk_interval rows, int owner,
                                struct yk_interval *part, int *via)
{
    yoke_array *array = lift->array;
    struct yk_piece_state state = { .place = lift->place->number,
                                    .owner = owner,
                                    .near = atomic_load(&lift->place->nearer) & ~lift->unable };
    struct yk_whereabouts where;
    uint32_t coming;
    yk_coherence_whereabouts(array->coherence, rows.first, &where);
    *part = (struct yk_interval){ rows.first,
                                  where.rows.last < rows.last ? where.rows.last : rows.last };
    state.holders = where.holders;
    state.coming = where.arriving;
    for (coming = where.arriving & state.near; coming; coming &= coming - 1) {
        const struct yk_interval_map *sent = &array->replicas[__builtin_ctz(coming)]->sent;
        int run = sent->items ? yk_interval_map_find(sent, part->first) : -1;
        if (run < 0)
            continue;
        *part = yk_interval_map_part(sent, run, *part);
        if (sent->items[run].value)
            state.sent |= coming & -coming;
    }
    return yk_broadcast_route(&state, via);
}

/* What was passed on and not taken further may be under way when all else is over. */
static void forget_passed(struct lift *lift)
{
    if (lift->passed.first < lift->passed.last)
        lift->load->unfollowed |= yk_place_bit(lift->passed_to);
    lift->passed = (struct yk_interval){ 0 };
}

/* Room for the rows at a place that is to be sent them. */
static yoke_status hold_other(struct lift *lift, struct yk_place *place, struct yk_interval rows)
{
    yoke_status status = lend(lift, place->number, rows, ROOM);
    if (status != YOKE_OK)
        return status;
    return yk_replica_commit(lift->array->replicas[place->number], rows);
}

/* Under place->upload_lock. */
static yoke_status send_missing(struct lift *lift, struct yk_place *place, struct yk_interval rows)
{
    yoke_array *array = lift->array;
    struct yk_load *load = lift->load;
    struct yk_copy_needs *asked = &load->asked;
    yoke_status status;
    int i;
    asked->count = 0;
    asked->nearer = asked->direct = 0;
    yk_lock(&array->lock);
    status = yk_coherence_lacks(array->coherence, place->number, rows, asked);
    yk_unlock(&array->lock);
    for (i = 0; i < asked->count && status == YOKE_OK; i++) {
        if (asked->items[i].arriving || asked->items[i].source != YK_HOST)
            continue;
        status = take_from_host(lift, place, asked->items[i].rows);
        if (status == YOKE_OK)
            load->to_others += bytes_of(array, asked->items[i].rows);
    }
    return status;
}

/* The latest copy to the place was not issued whole. */
static void take_back_passed(struct lift *lift, struct yk_place *place, yoke_status outcome)
{
    struct yk_copy_needs *passed = &lift->load->passed;
    const struct yk_replica *replica = lift->array->replicas[place->number];
    int broken = 0;
    yk_place_drain(place);
    yk_lock(&lift->array->lock);
    if (passed->count) {
        const struct yk_copy_need *latest = &passed->items[passed->count - 1];
        broken = latest->source == place->number && latest->part == lift->part &&
                 !was_sent(replica, latest->rows);
        if (broken)
            yk_array_copy_ended(lift->array, place->number, latest->rows, outcome);
    }
    passed->count -= broken;
    yk_unlock(&lift->array->lock);
}

/* The rows go from the host to `via`, on its link. If that cannot be, or fails, they find another
 * way: it is no failure of the device that wants them. */
static void pass_on(struct lift *lift, struct yk_interval rows, int via)
{
    struct yk_place *place = yk_places_find(lift->array->places, via);
    yoke_status status = hold_other(lift, place, rows);
    forget_passed(lift);
    if (status == YOKE_OK) {
        yk_lock(&place->upload_lock);
        status = send_missing(lift, place, rows);
        yk_unlock(&place->upload_lock);
    }
    lift->passed_to = via;
    if (status == YOKE_OK) {
        lift->passed = rows;
        return;
    }
    lift->unable |= yk_place_bit(via);
    if (is_lent(lift, via, rows))
        take_back_passed(lift, place, status);
    if (status == YOKE_EDEVICE)
        yk_transfer_write_off(lift->array, via);
}

/* *part: the rows that it did something for; the same once more if none are left out by it. */
static yoke_status share_part(struct lift *lift, struct yk_interval rows, int owner,
                              struct yk_interval *part)
{
    yoke_array *array = lift->array;
    yoke_status status = YOKE_OK;
    enum yk_route route;
    int via = -1;
    yk_lock(&array->lock);
    route = find_route(lift, rows, owner, part, &via);
    yk_unlock(&array->lock);
    if ((route == YK_ROUTE_DEVICE || route == YK_ROUTE_FOLLOW) &&
        lend(lift, via, *part, THERE) != YOKE_OK) {
        lift->unable |= yk_place_bit(via);
        part->last = part->first;
        return YOKE_OK;
    }
    if (route == YK_ROUTE_HOST)
        return take_missing_alone(lift, *part);
    if (route == YK_ROUTE_PASS_ON) {
        pass_on(lift, *part, via);
        part->last = part->first;
    }
    if (route != YK_ROUTE_DEVICE && route != YK_ROUTE_FOLLOW)
        return YOKE_OK;
    yk_lock(&array->lock); /* once more, for it was given up to hold the source */
    if (find_route(lift, rows, owner, part, &via) != route || !is_lent(lift, via, *part))
        part->last = part->first;
    else
        status = exchange(lift, *part, via, route == YK_ROUTE_FOLLOW ? YK_AFTER_SOURCE : 0);
    yk_unlock(&array->lock);
    if (status == YOKE_OK && route == YK_ROUTE_FOLLOW && via == lift->passed_to &&
        part->first == lift->passed.first)
        lift->passed.first = part->last;
    if (status != YOKE_ELOST)
        return status;
    yk_transfer_write_off(array, via);
    lift->unable |= yk_place_bit(via);
    part->last = part->first;
    return YOKE_OK;
}

static yoke_status share(struct lift *lift, struct yk_interval rows)
{
    struct yk_broadcast broadcast;
    uint32_t members = (lift->load->sharers & atomic_load(&lift->place->nearer)) |
                       yk_place_bit(lift->place->number);
    yoke_status status = YOKE_OK;
    int64_t nth, count;
    if (!yk_broadcast_open(yk_array_rows(lift->array), lift->array->row_bytes, members, &broadcast))
        return YOKE_OK;
    count = yk_broadcast_pieces(&broadcast);
    for (nth = 0; nth < count && status == YOKE_OK; nth++) {
        int owner;
        struct yk_interval part, left;
        left = yk_broadcast_piece(&broadcast, lift->place->number, nth, &owner);
        if (left.first < rows.first)
            left.first = rows.first;
        if (left.last > rows.last)
            left.last = rows.last;
        for (; status == YOKE_OK && left.first < left.last; left.first = part.last)
            status = share_part(lift, left, owner, &part);
    }
    forget_passed(lift);
    return status;
}

yoke_status yk_transfer_up(struct yk_replica *replica, struct yk_interval rows,
                           struct yk_load *load)
{
    struct lift lift = { .root = replica->array, .place = replica->place, .load = load };
    yoke_status status = YOKE_OK;
    if (rows.first >= rows.last)
        return YOKE_OK;
    yk_array_leaves_host(lift.root);
    for (; status == YOKE_OK && (lift.array = yk_array_part(lift.root, lift.array)); lift.part++) {
        lift.replica = lift.array->replicas[lift.place->number];
        status = yk_transfer_check(lift.array);
        if (status == YOKE_OK && load->sharers &&
            yk_array_missing(lift.array, lift.place->number, rows) > 0)
            status = share(&lift, rows);
        if (status == YOKE_OK)
            status = take_missing_alone(&lift, rows);
    }
    return status;
}

/* --- how it went --- */

/* What other places were sent may still be on its way where nothing has followed it. */
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

/* Those of panel number `part`. */
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
