/* auto_region.c - see auto.h: which part each device should do (regions), and when others take over
 * one that does not end in time. */
#include <math.h>

#include "auto.h"

/* Regions stay as they are if the job would end earlier by at most this part of its time, or of the
 * time that is left of it, because moving rows costs copies. */
#define SHARE_TOLERANCE 0.03
/* If other jobs run as well, nothing is taken over for CROWD_LENGTHS times the expected time of the
 * job ... */
#define CROWD_LENGTHS 4.0
/* ... unless that is longer than this: parts of longer jobs are worth taking over. */
#define PARTS_MOST_NS 1e9
/* Use speeds to place regions only if no chunk was more than SPREAD_MOST times as expensive as
 * others: a speed is then the same wherever it was measured. */
#define SPREAD_MOST 1.25

int64_t yk_auto_own(const struct yk_auto *state, int device)
{
    const struct yk_split_view *view = state->view;
    return yk_ranges_items(view->free, state->devices[device].region);
}

/* ns until device d would end its chunks that are out and its own region; infinite if its speed is
 * unknown. */
static double own_end(const struct yk_auto *state, int d, int64_t own)
{
    const struct yk_split_view *view = state->view;
    const struct yk_taker *load = &state->loads[d];
    if (own == 0)
        return load->item > 0 && view->devices[d].items_out > 0 ? load->ready : 0;
    if (load->item <= 0)
        return INFINITY;
    return load->ready + load->fixed + load->item * (double)own;
}

int yk_auto_latest(const struct yk_auto *state, int device)
{
    const struct yk_split_view *view = state->view;
    double latest = -1;
    int d, found = -1;
    for (d = 0; d < view->device_count; d++) {
        int64_t own = d == device ? 0 : yk_auto_own(state, d);
        double end = own > 0 ? own_end(state, d, own) : -1;
        if (end > latest) {
            latest = end;
            found = d;
        }
    }
    return found;
}

/* There are several GPUs, all of one make. */
static int gpus_are_alike(const struct yk_split_view *view)
{
    const struct yk_split_device *first = NULL;
    int d, count = 0;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (known->host_memory || !view->devices[d].active)
            continue;
        first = first ? first : known;
        if (!yk_split_alike(first, known))
            return 0;
        count++;
    }
    return count > 1;
}

/* Items cost the same as far as is known, and other jobs run beside this one or ran beside the last
 * similar job. */
static int is_even_crowd(const struct yk_split_view *view)
{
    int d, crowded = view->crowded;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (known->spread > SPREAD_MOST)
            return 0;
        crowded |= !known->host_memory && view->devices[d].active && known->crowded;
    }
    return crowded;
}

/* Each GPU streams: copies take much of its time, and host memory limits them. The measured costs
 * of items may seem to differ until all memory is ready. */
static int all_stream(const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (!known->host_memory && view->devices[d].active &&
            !(known->copy_item_ns * known->rate > YK_COPIES_COUNT))
            return 0;
    }
    return 1;
}

/* Returns 1 if the place of a GPU's rows matters more than their number: beside other jobs, or if
 * all rows are copied in every job, because memory must be prepared for each new pair of row and
 * device. In other jobs one GPU alone may be best, which two fronts find out. */
static int gpus_keep_to_rows(const struct yk_split_view *view)
{
    return gpus_are_alike(view) && (is_even_crowd(view) || all_stream(view));
}

/* Returns 1 if some GPUs had work in the last job and others had none. Then the shares of that job
 * are not used, because a device that was late once, and looked slow in the little that it did,
 * would get nothing in all later jobs. */
static int some_had_nothing(const struct yk_split_view *view)
{
    int d, idle = 0, busy = 0;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        if (status->known.host_memory || !status->active)
            continue;
        idle |= status->known.share == 0;
        busy |= status->known.share > 0;
    }
    return idle && busy;
}

/* The shares of the last run of this job are known, and keeping them costs little: neither an equal
 * end of the devices that have one nor the latest quotas end the job much earlier. A device without
 * a share may have been late for the last run, or busy elsewhere; then its quota is worth
 * something. Devices that have not joined yet are expected to. */
static int shares_are_right(const struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    double items = (double)(view->last - view->first), total = 0, latest = 0, together = 0;
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        double share = status->known.share;
        if (share < 0 || (share > 0 && (!status->active || !(status->item_ns > 0))))
            return 0;
        if (share == 0)
            continue;
        total += share;
        together += 1 / status->item_ns;
        latest = fmax(latest, status->fixed_ns + status->item_ns * share * items);
    }
    return fabs(total - 1) < 0.001 &&
           latest <= (1 + SHARE_TOLERANCE) * fmin(items / together, state->end_ns);
}

/* The GPU that did most of the last job gives the speed of all of its make: the others were
 * measured with smaller chunks. -1: there is none. */
static int most_known_gpu(const struct yk_split_view *view)
{
    int d, best = -1;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        if (!status->known.host_memory && status->active && status->item_ns > 0 &&
            (best < 0 || status->known.share > view->devices[best].known.share))
            best = d;
    }
    return best;
}

/* Shares by the known speeds of all devices, including those that have not joined yet: most rows
 * then stay where they are, even if shares have to differ from last time. */
static int shares_can_be_told(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    int d, gpu = most_known_gpu(view);
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        struct yk_taker *load = &state->others[d];
        int whose = status->known.host_memory ? yk_auto_like(view, d) : gpu;
        *load = (struct yk_taker){ 0 };
        if (!status->active)
            continue;
        if (whose < 0 || status->items_out + status->items_done > 0)
            return 0;
        load->item = yk_auto_item_ns(state, whose);
        yk_auto_costs(state, d, whose, load);
    }
    yk_balance(state->others, view->device_count, (double)(view->last - view->first));
    return 1;
}

/* Nothing is known of any device, and rows stay where this job puts them: each device has the part
 * that its peak promises, and a correction moves only the ends of its region. */
static int shares_by_peak(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    double all = 0;
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_status *status = &view->devices[d];
        if (status->item_ns > 0 || (status->active && !isfinite(status->known.peak)))
            return 0;
        state->others[d].items = status->active ? status->known.peak : 0;
        all += state->others[d].items;
    }
    for (d = 0; d < view->device_count && all > 0; d++)
        state->others[d].items *= (double)(view->last - view->first) / all;
    return all > 0;
}

static void shares_as_before(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    int d;
    for (d = 0; d < view->device_count; d++)
        state->others[d].items = view->devices[d].known.share * (double)(view->last - view->first);
}

/* Regions by the shares in `others`, cut at allowed bounds. */
static void lay_out(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    double items = (double)(view->last - view->first), before = 0;
    int64_t bound = view->first;
    int d, last_one = 0;
    for (d = 0; d < view->device_count; d++)
        if (state->others[d].items > 0)
            last_one = d;
    for (d = 0; d < view->device_count; d++) {
        struct yk_interval *region = &state->devices[d].region;
        double share = state->others[d].items;
        region->first = bound;
        before += share;
        if (share > 0) {
            const int64_t at = d == last_one
                                   ? view->last
                                   : yk_bound_nearest(view, view->first, fmin(before, items));
            bound = at > bound ? at : bound;
        }
        region->last = bound;
    }
}

/* A device that has not joined and is not late counts as if it were there: taking over costs
 * copies, and most devices join within moments. */
int yk_auto_uneven(const struct yk_auto *state, int64_t now)
{
    const struct yk_split_view *view = state->view;
    double latest = 0;
    int d;
    if (isinf(state->end_ns) || !state->regions || now < state->parts_until)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        double end = own_end(state, d, yk_auto_own(state, d));
        if (!view->devices[d].joined && !yk_auto_is_late(state, now))
            end -= state->loads[d].ready;
        latest = fmax(latest, end);
    }
    return latest > (1 + SHARE_TOLERANCE) * state->end_ns;
}

/* If other jobs run as well, a device that has not begun its region works on those jobs, or was
 * only slower in issuing copies. A device with time to spare has regions of its own in those jobs.
 */
static void keep_parts(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    double lengths = CROWD_LENGTHS * state->end_ns;
    if (view->crowded && lengths < PARTS_MOST_NS)
        state->parts_until = state->began + (int64_t)lengths;
}

void yk_auto_lay_out_shares(struct yk_auto *state)
{
    shares_as_before(state);
    lay_out(state);
}

int yk_auto_lay_out(struct yk_auto *state)
{
    const struct yk_split_view *view = state->view;
    const int keep = gpus_keep_to_rows(view);
    if (!(keep && some_had_nothing(view)) && shares_are_right(state))
        shares_as_before(state);
    else if (!(view->settles && shares_by_peak(state)) && !(keep && shares_can_be_told(state)))
        return 0;
    lay_out(state);
    keep_parts(state);
    return 1;
}
