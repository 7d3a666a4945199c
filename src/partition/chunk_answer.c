/* chunk_answer.c - a lane's answer to a chunk: done (all of it or its first part), returned, or
 * nothing because the device is gone. Needs no memory, so it cannot fail. An answer to a chunk that
 * is not out any more is ignored: its device failed in the meantime. */
#include <math.h>

#include "dispatch_state.h"

/* The time that a chunk waited for memory or a link belongs to another job. If it counted, the
 * device with the larger share would seem slower than it is. */
static void skip_waiting(struct yk_dispatch *dispatch, int device, int64_t free_ns)
{
    if (free_ns <= dispatch->devices[device].busy_mark)
        return;
    dispatch->devices[device].busy_mark = free_ns;
    dispatch->devices[device].waited = 1;
}

/* The device has worked from its mark until now. */
static void count_busy(struct yk_dispatch *dispatch, int device, int64_t now)
{
    struct yk_device_state *state = &dispatch->devices[device];
    if (now <= state->busy_mark)
        return;
    dispatch->status[device].busy_ns += now - state->busy_mark;
    state->busy_mark = now;
}

/* Over all items that the device did with the kernel it continues with, also for nothing. */
static double rate_of(const struct yk_dispatch *dispatch, int device)
{
    const struct yk_device_state *state = &dispatch->devices[device];
    const struct yk_split_status *status = &dispatch->status[device];
    const double items = (double)(status->items_done - state->apart_items) + status->given_back;
    const int64_t ns = status->busy_ns - state->apart_ns;
    return items > 0 && ns > 0 ? items / (double)ns : 0;
}

/* Removes the chunk from the pool; 0 if it is not out. */
static int find_out(struct yk_dispatch *dispatch, int device, uint32_t serial, struct yk_out *found)
{
    struct yk_split_status *status = &dispatch->status[device];
    int *link = &dispatch->devices[device].outs;
    while (*link >= 0) {
        int index = *link;
        struct yk_out *out = &dispatch->outs[index];
        if (out->chunk.serial == serial) {
            *found = *out;
            *link = out->next;
            out->next = dispatch->outs_unused;
            dispatch->outs_unused = index;
            dispatch->out_count--;
            status->chunks_out--;
            status->items_out -= found->chunk.last - found->chunk.first;
            return 1;
        }
        link = &out->next;
    }
    return 0;
}

static void give_back(struct yk_dispatch *dispatch, int64_t first, int64_t last)
{
    yk_ranges_add(&dispatch->free, (struct yk_interval){ first, last });
    dispatch->view.free_items += last - first;
}

static void keep(struct yk_dispatch *dispatch, int device, struct yk_interval range)
{
    int latest = dispatch->devices[device].kept;
    if (latest >= 0 && dispatch->kept[latest].range.last == range.first) {
        dispatch->kept[latest].range.last = range.last;
    } else if (latest >= 0 && dispatch->kept[latest].range.first == range.last) {
        dispatch->kept[latest].range.first = range.first;
    } else {
        dispatch->devices[device].kept = (int)dispatch->kept_count;
        dispatch->kept[dispatch->kept_count++] =
            (struct yk_kept){ .range = range, .device = device };
    }
}

/* The device's time for the chunk. Lanes that share chunks end them in any order. A lane that is
 * delayed (by another program, say) delays the end of a chunk that the other lanes left long ago.
 * So the time that lanes spent on the chunk counts, not the time at which it ended. */
static double sample_ns(const struct yk_split_status *status, const struct yk_chunk_times *times,
                        int64_t from)
{
    if (times->work_ns > 0)
        return (double)times->work_ns / status->known.lanes;
    return (double)(times->ended - from);
}

/* Notes the highest cost of an item. Ignores a GPU's chunk that was not queued behind another one.
 * Ignores a chunk whose items took, or should have taken, less time than waking a thread: its
 * overhead or cold caches could be mistaken for its items' cost. A chunk that does not fill a GPU
 * takes as long as one that does. */
static void note_dearest(struct yk_split_status *status, int64_t items, double ns, int queued)
{
    const int cores = status->known.host_memory;
    const int64_t full = cores || items > status->known.fill ? items : status->known.fill;
    const double took = ns - fmax(status->fixed_ns, status->known.fixed_ns);
    if ((queued || cores) && fmin(took, status->item_ns * (double)items) > YK_WAKE_NS)
        status->dearest_ns = fmax(status->dearest_ns, took / (double)full);
}

static void learn(struct yk_dispatch *dispatch, int device, const struct yk_chunk_times *times)
{
    struct yk_device_state *state = &dispatch->devices[device];
    struct yk_split_status *status = &dispatch->status[device];
    int64_t from = times->issued > state->latest_end || status->chunks_done == 0
                       ? times->issued
                       : state->latest_end;
    if (times->free_ns > from)
        from = times->free_ns;
    double ns = sample_ns(status, times, from);
    if (status->known.rate <= 0) /* otherwise `known` includes it */
        ns = yk_chunk_own_ns(times, ns);
    if (times->items > 0)
        note_dearest(status, times->items, ns,
                     status->chunks_done > 0 && times->issued < state->latest_end);
    yk_speed_add(&state->speed, (double)times->items + times->given_back, ns);
    status->item_ns = state->speed.item_ns;
    status->fixed_ns = state->speed.fixed_ns;
    if (times->ended > state->latest_end || status->chunks_done == 0)
        state->latest_end = times->ended;
}

/* What was done of the chunk shows the device's speed, although another device does the items. */
static void note_given_back(struct yk_dispatch *dispatch, int device,
                            const struct yk_chunk_times *times)
{
    dispatch->status[device].given_back += times->given_back;
    learn(dispatch, device, times);
    if (dispatch->partitioner->changed)
        dispatch->partitioner->changed(dispatch->state, device);
}

void yk_dispatch_done(struct yk_dispatch *dispatch, const struct yk_chunk *chunk, int64_t completed,
                      const struct yk_chunk_times *times)
{
    const int device = chunk->device;
    struct yk_split_status *status = &dispatch->status[device];
    struct yk_device_state *state = &dispatch->devices[device];
    struct yk_chunk_times known = *times;
    const int64_t busy_ns = status->busy_ns;
    struct yk_out out;
    struct yk_interval whole;
    if (!find_out(dispatch, device, chunk->serial, &out))
        return;
    whole = (struct yk_interval){ out.chunk.first, out.chunk.last };
    if (completed < 0)
        completed = 0;
    if (completed > whole.last - whole.first)
        completed = whole.last - whole.first;
    known.items = completed;
    known.beside = out.chunk.beside != 0;
    if (known.issued == 0)
        known.issued = out.issued;
    if (known.ended < known.issued)
        known.ended = known.issued > dispatch->now ? known.issued : dispatch->now;
    skip_waiting(dispatch, device, known.free_ns);
    count_busy(dispatch, device, known.ended);
    give_back(dispatch, whole.first + completed, whole.last);
    dispatch->left -= completed;
    status->items_done += completed;
    if (completed > 0) {
        if (dispatch->all_or_nothing)
            keep(dispatch, device, (struct yk_interval){ whole.first, whole.first + completed });
        if (!known.apart)
            learn(dispatch, device, &known);
        status->chunks_done++;
        status->copied_bytes += known.copied_bytes;
        state->fetch_ns += known.fetch_ns;
        state->work_ns += known.work_ns;
        state->staged_ns += known.staged_ns;
    }
    if (known.given_back > 0)
        note_given_back(dispatch, device, &known);
    if (known.apart) {
        if (known.ended > state->latest_end)
            state->latest_end = known.ended;
        state->apart_items += completed;
        state->apart_chunks += completed > 0;
        state->apart_ns += status->busy_ns - busy_ns;
    }
    status->rate = rate_of(dispatch, device);
    yk_dispatch_event(dispatch, known.ended);
    if (completed > 0 && dispatch->partitioner->observe)
        dispatch->partitioner->observe(dispatch->state, device, &known);
}

void yk_dispatch_returned(struct yk_dispatch *dispatch, const struct yk_chunk *chunk, int64_t limit)
{
    const int device = chunk->device;
    struct yk_out out;
    if (!find_out(dispatch, device, chunk->serial, &out))
        return;
    count_busy(dispatch, device, dispatch->now);
    give_back(dispatch, out.chunk.first, out.chunk.last);
    if (limit > 0)
        dispatch->status[device].known.limit = limit;
    yk_dispatch_event(dispatch, dispatch->now);
}

void yk_dispatch_recall(struct yk_dispatch *dispatch, int device)
{
    struct yk_out out;
    while (dispatch->devices[device].outs >= 0) {
        uint32_t serial = dispatch->outs[dispatch->devices[device].outs].chunk.serial;
        find_out(dispatch, device, serial, &out);
        count_busy(dispatch, device, dispatch->now);
        give_back(dispatch, out.chunk.first, out.chunk.last);
    }
}
