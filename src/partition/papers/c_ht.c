/* c_ht.c - PURE. The collaborative host thread of Navarro et al., section 4.2: a thread that drives
 * a stream works on a core's chunk while the stream computes, in pieces of `threshold` items, and
 * checks after each piece whether the stream is done. See host_threads.h.
 *
 * The items that it did not do go to the spare queue, from which the other threads take first. That
 * queue needs no list: chunks of the range r are taken from its low end, so the free items below
 * that end are those that came back, in compacted ranges. If the stream got nothing, its thread
 * gets no chunk either (fig. 7(a), read literally, would lose that range).
 */
#include "host_threads.h"

static yoke_status open_c_ht(const struct yk_split_view *view, const void *settings, void **state)
{
    struct yk_ht *ht;
    yoke_status status = yk_ht_open(view, settings, YK_HT_COLLABORATES, &ht);
    if (status == YOKE_OK)
        *state = ht;
    return status;
}

/* Fig. 7(a) lines 16 to 20. */
static void take_as_core(struct yk_ht *ht, struct yk_take *out)
{
    const struct yk_split_view *view = ht->view;
    const struct yk_ranges *free = view->free;
    if (free->count == 0 || free->items[0].first >= ht->cursor) {
        yk_ht_take_cpu(ht, out);
        return;
    }
    out->first = free->items[0].first;
    out->last = free->items[0].last < ht->cursor ? free->items[0].last : ht->cursor;
    out->items = out->last - out->first;
    out->reason = "spare";
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    struct yk_ht *ht = state;
    struct yk_ht_stream *driven;
    int d, stream;
    if (yk_ht_is_gpu(ht->view, request->device)) {
        yk_ht_take_gpu(ht, request->device, request->lane, out);
        if (out->items > 0)
            ht->devices[request->device].streams[request->lane].due = 1;
        return;
    }
    if (!yk_ht_drives(ht, request->lane, &d, &stream)) {
        take_as_core(ht, out);
        return;
    }
    driven = &ht->devices[d].streams[stream];
    if (!driven->due)
        return;
    driven->due = 0;
    yk_ht_take_cpu(ht, out);
    out->piece = ht->threshold;
    out->beside = 1;
    out->beside_device = d;
    out->beside_lane = stream;
}

const struct yk_partitioner yk_partitioner_c_ht = {
    .name = "c-ht",
    .summary = "as nc-ht, and threads that drive a GPU do CPU work meanwhile",
    .options = yk_ht_options,
    .settings_bytes = sizeof(struct yk_ht_settings),
    .hosts = YK_HOSTS_WORK,
    .open = open_c_ht,
    .close = yk_ht_close,
    .take = take,
    .observe = yk_ht_observe,
    .explain = yk_ht_explain,
};
