/* next_chunk.c - the next chunk for a lane: asks the partitioner how much and where from, removes
 * it from the free set and records it. */
#include "../base/alloc.h"
#include "dispatch_state.h"

static yoke_status grow_outs(struct yk_dispatch *dispatch, int64_t capacity)
{
    struct yk_out *grown;
    if (capacity <= dispatch->outs_capacity)
        return YOKE_OK;
    grown = yk_realloc(dispatch->outs, (size_t)capacity, sizeof *grown);
    if (!grown)
        return YOKE_ENOMEM;
    dispatch->outs = grown;
    while (dispatch->outs_capacity < capacity) {
        grown[dispatch->outs_capacity].next = dispatch->outs_unused;
        dispatch->outs_unused = (int)dispatch->outs_capacity++;
    }
    return YOKE_OK;
}

static yoke_status grow_kept(struct yk_dispatch *dispatch, int64_t capacity)
{
    struct yk_kept *grown;
    if (!dispatch->all_or_nothing || capacity <= dispatch->kept_capacity)
        return YOKE_OK;
    grown = yk_realloc(dispatch->kept, (size_t)capacity, sizeof *grown);
    if (!grown)
        return YOKE_ENOMEM;
    dispatch->kept = grown;
    dispatch->kept_capacity = capacity;
    return YOKE_OK;
}

/* Number of ranges for which the list of free ranges and the list of kept ones need room. A chunk
 * that is out may come back as one free range. With all_or_nothing it may come back as two: items
 * that are done and kept, and items that are free again. */
static int64_t places(const struct yk_dispatch *dispatch)
{
    return dispatch->free.count + dispatch->out_count * (1 + dispatch->all_or_nothing) +
           dispatch->kept_count;
}

yoke_status yk_dispatch_reserve(struct yk_dispatch *dispatch, int64_t more)
{
    int64_t needed = places(dispatch) + more + 1, outs = dispatch->out_count + 1;
    yoke_status status = YOKE_OK;
    if (needed > dispatch->free.capacity)
        status = yk_ranges_reserve(&dispatch->free, needed + needed / 2);
    if (status == YOKE_OK && needed > dispatch->kept_capacity)
        status = grow_kept(dispatch, needed + needed / 2);
    if (status == YOKE_OK && outs > dispatch->outs_capacity)
        status = grow_outs(dispatch, outs + outs / 2);
    return status;
}

/* Returns the number of places that one take may add. Without memory, the place in reserve serves
 * one chunk at a time; -1: nothing can be taken before another chunk is answered. */
static int64_t room(struct yk_dispatch *dispatch)
{
    int64_t capacity, reserve = dispatch->out_count > 0 ? 1 + dispatch->all_or_nothing : 0;
    if (yk_dispatch_reserve(dispatch, 2 + dispatch->all_or_nothing) == YOKE_OK)
        return 2 + dispatch->all_or_nothing;
    capacity = dispatch->free.capacity;
    if (dispatch->all_or_nothing && dispatch->kept_capacity < capacity)
        capacity = dispatch->kept_capacity;
    return dispatch->outs_unused < 0 ? -1 : capacity - places(dispatch) - reserve;
}

/* Returns 1 if the take needs no more than `more` places: one for each side on which free items
 * remain, and one more with all_or_nothing. With all_or_nothing and without memory, another one
 * stays in reserve, so that in the end a whole range can be taken. */
static int fits(const struct yk_dispatch *dispatch, struct yk_interval interval,
                struct yk_interval range, int64_t more)
{
    int sides = (range.first > interval.first) + (range.last < interval.last);
    int enough = more >= 2 + dispatch->all_or_nothing;
    return sides + dispatch->all_or_nothing * (1 + (sides > 0 && !enough)) <= more;
}

/* The contiguous free items at the window's low or high end. Empty if there are none. */
static struct yk_interval find_free(const struct yk_dispatch *dispatch, struct yk_interval window,
                                    int from_high)
{
    const struct yk_ranges *free = &dispatch->free;
    int64_t at = yk_ranges_find(free, from_high ? window.last - 1 : window.first);
    if (from_high && (at == free->count || free->items[at].first >= window.last))
        at--;
    if (window.first >= window.last || at < 0 || at == free->count)
        return (struct yk_interval){ 0, 0 };
    return yk_interval_common(free->items[at], window);
}

/* `items` of a free range, from its low or high end, on allowed bounds. */
static struct yk_interval cut(const struct yk_split_view *view, struct yk_interval range,
                              int64_t items, int from_high)
{
    int64_t bound;
    if (items >= range.last - range.first)
        return range;
    if (from_high) {
        bound = yk_bound_below(view, range.last - items);
        /* rounded outwards: one step inwards, unless nothing remains */
        if (bound < range.last - items && yk_bound_above(view, bound) < range.last)
            bound = yk_bound_above(view, bound);
        if (bound > range.first)
            range.first = bound;
    } else {
        bound = yk_bound_below(view, range.first + items);
        if (bound <= range.first)
            bound = yk_bound_above(view, range.first);
        if (bound < range.last)
            range.last = bound;
    }
    return range;
}

/* The range that the take gets. Empty if there is no memory to record it: then the lane waits until
 * a chunk that is out ends. */
static struct yk_interval select_items(struct yk_dispatch *dispatch, int device,
                                       const struct yk_take *take)
{
    const struct yk_split_view *view = &dispatch->view;
    const struct yk_interval whole = { view->first, view->last };
    struct yk_interval window = whole, found, interval;
    int64_t items = take->items, limit = dispatch->status[device].known.limit;
    int64_t more = room(dispatch);
    int from_high = take->from_high;
    if (take->first < take->last)
        window = yk_interval_common((struct yk_interval){ yk_bound_below(view, take->first),
                                                          yk_bound_below(view, take->last) },
                                    whole);
    if (limit > 0 && items > limit)
        items = limit;
    found = find_free(dispatch, window, from_high);
    if (found.first >= found.last)
        found = find_free(dispatch, whole, from_high);
    interval = dispatch->free.items[yk_ranges_find(&dispatch->free, found.first)];
    found = cut(view, found, items, from_high);
    if (!fits(dispatch, interval, found, more))
        found = cut(view, interval, items, 0);
    if (!fits(dispatch, interval, found, more) && dispatch->out_count == 0)
        found = interval; /* the job must go on, at worst with a chunk above the limit */
    if (!fits(dispatch, interval, found, more))
        found.last = found.first;
    return found;
}

static void record(struct yk_dispatch *dispatch, const struct yk_decision *decision)
{
    size_t capacity = dispatch->decision_capacity;
    if (dispatch->recording && dispatch->decision_count == capacity) {
        struct yk_decision *grown;
        capacity = capacity ? 2 * capacity : 32;
        grown = yk_realloc(dispatch->decisions, capacity, sizeof *grown);
        dispatch->recording = grown != NULL;
        if (grown) {
            dispatch->decisions = grown;
            dispatch->decision_capacity = capacity;
        }
    }
    if (dispatch->recording)
        dispatch->decisions[dispatch->decision_count++] = *decision;
}

static int64_t whole_units(int64_t items, int64_t unit)
{
    return items <= unit || items > INT64_MAX - unit ? unit : (items + unit - 1) / unit * unit;
}

/* Serial of the chunk that a lane of a device has out; 0: none. */
static uint32_t out_of_lane(const struct yk_dispatch *dispatch, int device, int lane)
{
    int index = dispatch->devices[device].outs;
    while (index >= 0 && dispatch->outs[index].lane != lane)
        index = dispatch->outs[index].next;
    return index < 0 ? 0 : dispatch->outs[index].chunk.serial;
}

static void hand_out(struct yk_dispatch *dispatch, int device, const struct yk_take *take,
                     struct yk_chunk *chunk)
{
    struct yk_split_status *status = &dispatch->status[device];
    struct yk_device_state *state = &dispatch->devices[device];
    int64_t items = chunk->last - chunk->first;
    int index = dispatch->outs_unused;
    struct yk_out *out = &dispatch->outs[index];
    chunk->piece = take->piece > 0 && take->piece < items
                       ? whole_units(take->piece, yk_lane_items(&dispatch->view, device))
                       : items;
    if (chunk->piece > items)
        chunk->piece = items;
    chunk->parts = take->parts;
    chunk->device = device;
    chunk->serial = ++dispatch->serial;
    chunk->beside =
        take->beside ? out_of_lane(dispatch, take->beside_device, take->beside_lane) : 0;
    chunk->reason = take->reason ? take->reason : "";
    yk_ranges_remove(&dispatch->free, (struct yk_interval){ chunk->first, chunk->last });
    dispatch->outs_unused = out->next;
    *out = (struct yk_out){
        .chunk = *chunk, .issued = dispatch->now, .lane = -1, .next = state->outs
    };
    state->outs = index;
    dispatch->out_count++;
    dispatch->view.free_items -= items;
    if (status->chunks_out++ == 0)
        state->busy_mark = dispatch->now;
    status->items_out += items;
}

static int is_served(const struct yk_dispatch *dispatch, int device)
{
    const struct yk_partitioner *partitioner = dispatch->partitioner;
    return dispatch->view.free_items == 0 ||
           (partitioner->served && partitioner->served(dispatch->state, device));
}

/* Returns 1 if the partitioner holds items back although no chunk is out: it refused every device
 * that could work. Then this lane gets the items. */
static int stuck(struct yk_dispatch *dispatch, int device, const struct yk_take *take)
{
    if (take->wake_ns > dispatch->now || dispatch->out_count > 0 ||
        dispatch->joined_count < dispatch->active_count)
        return 0;
    if (dispatch->devices[device].refused != dispatch->epoch) {
        dispatch->devices[device].refused = dispatch->epoch;
        dispatch->refused_count++;
    }
    return dispatch->refused_count >= dispatch->active_count;
}

static void take_rest(const struct yk_dispatch *dispatch, int device, struct yk_take *take)
{
    const struct yk_split_device *known = &dispatch->status[device].known;
    *take = (struct yk_take){ .items = dispatch->view.free_items, .reason = "no other device" };
    if (known->host_memory)
        take->piece = take->items / known->lanes + 1;
}

/* The lanes get as many pieces as before, of fewer items each. */
static void heed_bound(const struct yk_dispatch *dispatch, int device, struct yk_take *take)
{
    const int64_t bound = dispatch->devices[device].bound;
    if (bound == 0 || take->items <= bound)
        return;
    if (take->piece > 0)
        take->piece = (int64_t)((double)take->piece * (double)bound / (double)take->items) + 1;
    take->items = bound;
}

/* Lanes that were called to share the chunk get whole rounds of equal pieces, which have at least
 * the wanted size if there are enough items. */
static void cut_for_called(int64_t lanes, int64_t items, struct yk_take *take)
{
    const int64_t rounds = lanes > 0 && take->piece > 0 ? items / lanes / take->piece : 0;
    if (lanes > 0 && take->piece > 0)
        take->piece = (items - 1) / (lanes * (rounds > 0 ? rounds : 1)) + 1;
}

enum yk_verdict yk_dispatch_next(struct yk_dispatch *dispatch, const struct yk_request *request,
                                 struct yk_chunk *chunk, int64_t *wake_ns)
{
    const int device = request->device;
    const struct yk_split_status *status = &dispatch->status[device];
    struct yk_request asked = *request;
    struct yk_take take = { 0 };
    struct yk_interval range;
    *wake_ns = 0;
    if (asked.now > dispatch->now)
        dispatch->now = asked.now;
    asked.now = dispatch->now;
    if (dispatch->left == 0 || (dispatch->active_count == 0 && dispatch->out_count == 0))
        return YK_FINISHED;
    if (!status->active || !status->joined || dispatch->view.free_items == 0)
        return YK_WAIT;
    dispatch->partitioner->take(dispatch->state, &asked, &take);
    if (take.beside && !out_of_lane(dispatch, take.beside_device, take.beside_lane))
        take.items = 0;
    if (take.items <= 0 && !stuck(dispatch, device, &take)) {
        dispatch->devices[device].left_out = 1;
        *wake_ns = take.wake_ns;
        return YK_WAIT;
    }
    if (take.items <= 0)
        take_rest(dispatch, device, &take);
    heed_bound(dispatch, device, &take);
    range = select_items(dispatch, device, &take);
    if (range.first >= range.last)
        return YK_WAIT;
    chunk->first = range.first;
    chunk->last = range.last;
    cut_for_called(asked.called, chunk->last - chunk->first, &take);
    hand_out(dispatch, device, &take, chunk);
    chunk->closes = is_served(dispatch, device);
    dispatch->outs[dispatch->devices[device].outs].lane = asked.lane;
    record(dispatch, &(struct yk_decision){ .when = dispatch->now,
                                            .first = chunk->first,
                                            .last = chunk->last,
                                            .device = device,
                                            .lane = asked.lane,
                                            .reason = chunk->reason });
    yk_dispatch_event(dispatch, asked.now);
    return YK_TAKE;
}
