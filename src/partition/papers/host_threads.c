/* host_threads.c - see host_threads.h: the equations that nc-ht and c-ht share. */
#include "host_threads.h"

#include <stdio.h>

#include "../../base/words.h"

/* Without a CPU no device can empty the spare queue: then the spare items are part of r again. */
static int has_spare_queue(const struct yk_ht *ht)
{
    const struct yk_split_view *view = ht->view;
    int d;
    for (d = 0; d < view->device_count && ht->collaborate; d++)
        if (!yk_ht_is_gpu(view, d) && view->devices[d].joined && view->devices[d].active)
            return 1;
    return 0;
}

/* Free items of r, without those of the spare queue. */
static int64_t rest_of(const struct yk_ht *ht)
{
    const struct yk_split_view *view = ht->view;
    if (!has_spare_queue(ht))
        return view->free_items;
    return yk_ranges_items(view->free, (struct yk_interval){ ht->cursor, view->last });
}

/* Also counts streams of a device that has not joined yet, because its grain matters from the
 * start: otherwise the first cores to ask would get most of the range before the device joins. */
static inline int expected_streams(const struct yk_ht *ht, int d)
{
    const struct yk_split_view *view = ht->view;
    return view->devices[d].active ? ht->devices[d].stream_count - ht->devices[d].out_count : 0;
}

static inline int active_streams(const struct yk_ht *ht, int d)
{
    const struct yk_split_view *view = ht->view;
    return view->devices[d].joined ? expected_streams(ht, d) : 0;
}

/* f_i (eq. 3) of one stream; 0: unknown, or the device is out. */
static inline double speed_of(const struct yk_ht *ht, int device)
{
    if (!(ht->lambda_c > 0) || active_streams(ht, device) == 0)
        return 0;
    return ht->devices[device].lambda / ht->lambda_c;
}

int yk_ht_drives(const struct yk_ht *ht, int lane, int *device, int *stream)
{
    const struct yk_split_view *view = ht->view;
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        int s = lane - known->host_lane;
        if (known->hosts == 0 || s < 0 || s >= known->hosts || s >= ht->devices[d].stream_count)
            continue;
        *device = d;
        *stream = s;
        return active_streams(ht, d) > 0 && !ht->devices[d].streams[s].out;
    }
    return 0;
}

/* nCores. */
static int64_t core_count(const struct yk_ht *ht)
{
    const struct yk_split_view *view = ht->view;
    int64_t cores = 0, limit = 0;
    int d, s, hosting;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (yk_ht_is_gpu(view, d) || !view->devices[d].joined || !view->devices[d].active)
            continue;
        cores += known->lanes;
        limit += known->cores > 0 && known->cores < known->lanes ? known->cores : known->lanes;
    }
    for (d = 0; d < view->device_count && !ht->collaborate; d++) {
        hosting = active_streams(ht, d) > 0 ? view->devices[d].known.hosts : 0;
        for (s = 0; s < hosting && s < ht->devices[d].stream_count; s++)
            cores -= !ht->devices[d].streams[s].out;
    }
    if (cores > limit)
        cores = limit;
    return cores > 0 ? cores : 0;
}

/* Sum of f over all active streams, except `without` streams of `device`. */
static double speeds(const struct yk_ht *ht, int device, int without)
{
    const struct yk_split_view *view = ht->view;
    double sum = 0;
    int d;
    for (d = 0; d < view->device_count; d++)
        sum += speed_of(ht, d) * (active_streams(ht, d) - (d == device ? without : 0));
    return sum;
}

/* get_GPU_range (fig. 8); 0: nothing. */
static int64_t gpu_range(struct yk_ht *ht, int device, int stream)
{
    struct yk_ht_device *mine = &ht->devices[device];
    int64_t rest = rest_of(ht), grain = mine->grain.items;
    double f = speed_of(ht, device), others;
    if (stream >= mine->stream_count || mine->streams[stream].out)
        return 0;
    others = speeds(ht, device, 1) + (double)core_count(ht);
    if (f == 0 || others <= 0)
        return grain < rest ? grain : rest;
    if ((double)grain / f < (double)(rest - grain) / others) /* line 5 */
        return grain;
    mine->streams[stream].out = 1; /* lines 8 to 11: its thread counts as a core from now on */
    mine->streams[stream].out_items = rest;
    mine->out_count++;
    return 0;
}

static int64_t whole(double items, int64_t most)
{
    return items < (double)most ? (int64_t)items : most;
}

/* get_CPU_range (fig. 9); 0: nothing. */
static int64_t cpu_range(struct yk_ht *ht)
{
    const struct yk_split_view *view = ht->view;
    int64_t rest = rest_of(ht), cores = core_count(ht), range;
    double longest = 0, sum = 0, grain = 0;
    int d;
    if (cores < 1)
        cores = 1; /* the caller is a core */
    for (d = 0; d < view->device_count; d++) {
        double f = speed_of(ht, d), mine = (double)ht->devices[d].grain.items;
        int streams = active_streams(ht, d);
        if (expected_streams(ht, d) > 0 && mine > grain)
            grain = mine;
        if (f > 0 && mine / f > longest)
            longest = mine / f;
        sum += f * streams;
    }
    if (longest > 0) { /* line 5 */
        range = whole((double)rest / (sum + (double)cores), rest);
        if (longest < (double)range)
            range = (int64_t)longest;
    } else if (grain > 0) {
        range = whole(grain / (double)cores, rest); /* line 2 */
    } else {
        range = rest / cores;
    }
    if (range < ht->threshold)
        range = ht->threshold;
    return range < rest ? range : rest;
}

/* Takes from r, whose low end moves up with each chunk. */
static void take_from_rest(struct yk_ht *ht, int64_t items, struct yk_take *out)
{
    const struct yk_split_view *view = ht->view;
    const struct yk_ranges *free = view->free;
    int64_t at, first;
    out->items = items;
    if (items <= 0 || !has_spare_queue(ht))
        return;
    at = yk_ranges_find(free, ht->cursor);
    if (at == free->count)
        return;
    first = free->items[at].first > ht->cursor ? free->items[at].first : ht->cursor;
    out->first = first;
    out->last = view->last;
    ht->cursor = items < view->last - first ? yk_bound_below(view, first + items) : view->last;
    if (ht->cursor <= first)
        ht->cursor = yk_bound_above(view, first);
}

void yk_ht_take_gpu(struct yk_ht *ht, int device, int stream, struct yk_take *out)
{
    take_from_rest(ht, gpu_range(ht, device, stream), out);
    out->reason = "grain";
}

void yk_ht_take_cpu(struct yk_ht *ht, struct yk_take *out)
{
    int64_t items = cpu_range(ht);
    if (items != ht->core_latest &&
        (items < 0.9 * (double)ht->core_latest || items > 1.1 * (double)ht->core_latest))
        ht->core_sizes++;
    ht->core_latest = items;
    take_from_rest(ht, items, out);
    out->reason = items == ht->threshold ? "threshold" : "core's part";
}

void yk_ht_observe(void *state, int device, const struct yk_chunk_times *times)
{
    struct yk_ht *ht = state;
    const struct yk_split_view *view = ht->view;
    const int64_t items = times->items;
    int64_t ns = times->work_ns > 0 ? times->work_ns : times->ended - times->issued;
    double rate = (double)items / (double)(ns > 0 ? ns : 1);
    int gpu = yk_ht_is_gpu(view, device), s;
    double *lambda = gpu ? &ht->devices[device].lambda : &ht->lambda_c;
    if (times->beside && ht->core_measured)
        return;
    ht->core_measured |= !gpu && !times->beside && !times->apart;
    if (!times->apart)
        *lambda = ht->alpha * rate + (1 - ht->alpha) * *lambda; /* eqs. 1 and 2 */
    if (!gpu)
        return;
    if (!times->apart)
        yk_ht_grain_learn(&ht->devices[device].grain, items, (double)items / rate);
    /* If a stream would get no more at its next turn, which frees its thread, decide that now: this
     * event wakes the thread, and later there may be no event. */
    for (s = 0; s < ht->devices[device].stream_count && view->devices[device].chunks_out == 0; s++)
        gpu_range(ht, device, s);
}

void yk_ht_explain(const void *state, int device, char *text, size_t size)
{
    const struct yk_ht *ht = state;
    const struct yk_split_view *view = ht->view;
    const struct yk_ht_device *mine = &ht->devices[device];
    const struct yk_split_status *status = &view->devices[device];
    double share = 100 * (double)status->items_done /
                   (double)(view->last > view->first ? view->last - view->first : 1);
    const struct yk_words chunks = yk_count_words(status->chunks_done, "chunk");
    int length;
    if (status->chunks_done == 0) {
        snprintf(text, size, "%s",
                 status->joined ? "did nothing: the other devices took all items before it asked"
                                : "did nothing: its kernel was not ready before the job ended");
    } else if (!yk_ht_is_gpu(view, device)) {
        snprintf(text, size,
                 "did %.1f %% in %s, the latest of %s, whose size changed %s; a core does %s "
                 "items/us",
                 share, chunks.text, yk_count_words(ht->core_latest, "item").text,
                 yk_count_words(ht->core_sizes, "time").text,
                 yk_number_words(1e3 * ht->lambda_c).text);
    } else {
        length = snprintf(text, size, "did %.1f %% in %s of %s%s, as fast as %.2f cores", share,
                          chunks.text, yk_count_words(mine->grain.items, "item").text,
                          mine->grain.best > 0 ? " (found)" : "",
                          ht->lambda_c > 0 ? mine->lambda / ht->lambda_c : 0);
        if (mine->out_count > 0 && (size_t)length < size)
            snprintf(text + length, size - (size_t)length, "; taken out when %s %s left",
                     yk_count_words(mine->streams[0].out_items, "item").text,
                     mine->streams[0].out_items == 1 ? "was" : "were");
    }
}
