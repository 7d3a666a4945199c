/* auto_region.c - see auto.h: who should do which part (regions), and when one that does not end in
 * time is taken over by others.
 */
#include <math.h>

#include "auto.h"

/* Regions that end this much apart are left as they are: moving rows costs copies. Not so much
 * apart where rows are copied in every job anyway, for at least this part of what their items take.
 */
#define SHARE_TOLERANCE  0.03
#define COPIED_TOLERANCE 0.01
#define COPIED_PART      0.01
/* Taking over from another's region has to end the job earlier by this much of its length, */
#define TAKE_OVER_GAIN 0.005
/* and by this much at least. */
#define TAKE_OVER_NS 5000.0
/* Where other jobs run as well nothing is taken over in so many times what the job should take. */
#define CROWD_LENGTHS 4.0
/* Of longer jobs the others' parts are worth having. */
#define PARTS_MOST_NS 1e9
/* Regions by what speeds are known to be only where no chunk was so many times as dear as others: a
 * speed is then the same wherever it was measured. */
#define SPREAD_MOST 1.25
/* A GPU streams that copies for this part of its time: beside others that do, host memory keeps it
 * from copying all the time. Those whose rates are no further apart than this have equal links. */
#define STREAMING      0.25
#define NEARLY_AS_FAST 2.0

int64_t yk_auto_own(const struct yk_auto *state, const struct yk_split_view *view, int device)
{
    return yk_ranges_items(view->free, state->devices[device].region);
}

/* When device d would end what it has out and its own region; infinite if nobody knows. */
static double own_end(const struct yk_auto *state, const struct yk_split_view *view, int d,
                      int64_t own)
{
    const struct yk_taker *load = &state->loads[d];
    if (own == 0)
        return load->item > 0 && view->devices[d].items_out > 0 ? load->ready : 0;
    if (load->item <= 0)
        return INFINITY;
    return load->ready + load->fixed + load->item * (double)own;
}

int yk_auto_latest(const struct yk_auto *state, const struct yk_split_view *view, int device)
{
    double latest = -1;
    int d, found = -1;
    for (d = 0; d < view->device_count; d++) {
        int64_t own = d == device ? 0 : yk_auto_own(state, view, d);
        double end = own > 0 ? own_end(state, view, d, own) : -1;
        if (end > latest) {
            latest = end;
            found = d;
        }
    }
    return found;
}

/* Of one make, and several. */
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

/* Items cost alike as far as anybody saw, and other jobs run beside this one or did beside the last
 * like it. */
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

/* Each GPU copies most of the time, and about as fast as the others. What its chunks' items cost
 * may seem to differ until all memory is ready. */
static int all_stream(const struct yk_split_view *view)
{
    double least = INFINITY, most = 0;
    int d;
    for (d = 0; d < view->device_count; d++) {
        const struct yk_split_device *known = &view->devices[d].known;
        if (known->host_memory || !view->devices[d].active)
            continue;
        if (!(known->copy_item_ns * known->rate > STREAMING))
            return 0;
        least = fmin(least, known->rate);
        most = fmax(most, known->rate);
    }
    return most <= NEARLY_AS_FAST * least;
}

/* It matters who does which rows more than who does how many: beside other jobs, or where the rows
 * of all are copied in every job, for memory is made ready for each row and device that are new to
 * each other. Any other job by itself may be best done by one of the GPUs, which fronts find out.
 */
static int gpus_keep_to_rows(const struct yk_split_view *view)
{
    return gpus_are_alike(view) && (is_even_crowd(view) || all_stream(view));
}

/* Of such GPUs one or some did what all could: who came late for a job once would have
 * nothing of it in all to come. */
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

/* Where the shares of the last run of this job are known, and keeping them costs little. Devices
 * that have not joined yet are expected to. */
static int shares_are_right(const struct yk_split_view *view)
{
    double items = (double)(view->last - view->first), total = 0, latest = 0, together = 0, end;
    double tolerance = SHARE_TOLERANCE;
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
        if (status->known.copy_item_ns > COPIED_PART * status->item_ns)
            tolerance = COPIED_TOLERANCE;
        end = status->fixed_ns + status->item_ns * share * items;
        if (end > latest)
            latest = end;
    }
    return fabs(total - 1) < 0.001 && latest * together <= (1 + tolerance) * items;
}

/* The GPU that did most of the last job says how fast all of its make are: others' speeds were
 * measured with less. -1: there is none. */
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

/* Shares by what is known of all, who may not have joined yet: most rows then stay where they are,
 * even where shares have to be others than last time. */
static int shares_can_be_told(struct yk_auto *state, const struct yk_split_view *view)
{
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
        load->item = yk_auto_item_ns(state, view, whose);
        yk_auto_costs(state, view, d, whose, load);
    }
    yk_balance(state->others, view->device_count, (double)(view->last - view->first));
    return 1;
}

/* Nothing is known of any device, and rows stay where this job puts them: each device has the part
 * that its peak promises, and what it does more or less lies at its region's end. */
static int shares_by_peak(struct yk_auto *state, const struct yk_split_view *view)
{
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

static void shares_as_before(struct yk_auto *state, const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++)
        state->others[d].items = view->devices[d].known.share * (double)(view->last - view->first);
}

/* Regions by the shares in `others`, on allowed bounds. */
static void lay_out(struct yk_auto *state, const struct yk_split_view *view)
{
    double items = (double)(view->last - view->first), before = 0;
    int64_t bound = view->first;
    int d, last_one = 0;
    for (d = 0; d < view->device_count; d++)
        if (state->others[d].items > 0)
            last_one = d;
    for (d = 0; d < view->device_count; d++) {
        struct yk_range *region = &state->devices[d].region;
        double share = state->others[d].items;
        region->first = bound;
        before += share;
        if (share > 0) {
            int64_t at = view->first + (int64_t)fmin(before, items) + view->unit / 2;
            at = d == last_one ? view->last : yk_bound_below(view, at);
            bound = at > bound ? at : bound;
        }
        region->last = bound;
    }
}

/* Who has not come yet and is not late counts as if he were there: what is taken over costs copies,
 * and most come within moments. */
int yk_auto_uneven(const struct yk_auto *state, const struct yk_split_view *view, int64_t now)
{
    double latest = 0, gain = TAKE_OVER_GAIN * ((double)(now - state->began) + state->end_ns);
    int d;
    if (isinf(state->end_ns) || !state->regions || now < state->parts_until)
        return 0;
    for (d = 0; d < view->device_count; d++) {
        double end = own_end(state, view, d, yk_auto_own(state, view, d));
        if (!view->devices[d].joined && !yk_auto_is_late(state, now))
            end -= state->loads[d].ready;
        latest = fmax(latest, end);
    }
    return latest - state->end_ns > fmax(gain, TAKE_OVER_NS);
}

/* Where other jobs run as well, who has not begun with its region is busy with those, or was just
 * slower in issuing copies; and whoever has time has regions of its own in those. */
static void keep_parts(struct yk_auto *state, const struct yk_split_view *view)
{
    double lengths = CROWD_LENGTHS * state->end_ns;
    if (view->crowded && lengths < PARTS_MOST_NS)
        state->parts_until = state->began + (int64_t)lengths;
}

void yk_auto_lay_out_shares(struct yk_auto *state, const struct yk_split_view *view)
{
    shares_as_before(state, view);
    lay_out(state, view);
}

int yk_auto_lay_out(struct yk_auto *state, const struct yk_split_view *view)
{
    const int keep = gpus_keep_to_rows(view);
    if (!(keep && some_had_nothing(view)) && shares_are_right(view))
        shares_as_before(state, view);
    else if (!(view->settles && shares_by_peak(state, view)) &&
             !(keep && shares_can_be_told(state, view)))
        return 0;
    lay_out(state, view);
    keep_parts(state, view);
    return 1;
}
