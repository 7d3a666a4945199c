/* auto_trial.c - see auto.h: how much devices slow each other, found by a short trial.
 *
 * Devices share memory, links, power: each slows the others, and speeds measured while all work do
 * not show how much. So in a job that is long compared with the trial, and whose devices' speeds
 * were not known before, the fastest device works alone for a few small chunks:
 *
 *     before  the fastest gets small chunks, all work
 *     armed   the chunks of all devices are cut so that all end together, at `until`
 *     alone   only the fastest gets chunks
 *     across  the same from the others' end of the free items, where items may have another cost:
 *             this shows how speeds on either side compare
 *     after   as before
 *
 * The cost of items varies, so a trial counts only if the device was clearly faster alone than both
 * before and after, twice in a row. Most end after one.
 *
 * The model: k devices at work slow each other to 1 / (1 + c (k - 1)) of what each does alone. From
 * c follows how many of the fastest devices together do most. If that is clearly more than what all
 * do, the others are left out until the job's end. Jobs that repeat are judged as a whole (team.h).
 */
#include <math.h>

#include "auto.h"

/* Less slowing than SLOWED is noise, and less gain than GAIN is not worth leaving a device out. */
#define SLOWED 1.15
#define GAIN   1.1
/* The trials may cost this part of what is left. */
#define COST_PART 0.0005
/* SAMPLES chunks of a phase count, each of at least CHUNK_COSTS times a chunk's cost and CHUNK_NS.
 */
enum { SAMPLES = 12, TRIALS = 2 };
#define CHUNK_COSTS 4
#define CHUNK_NS    50e3
/* A device's chunks, and the part of the range done, before speeds are trusted. */
enum { TRUSTED = 3 };
#define TRUSTED_PART 0.01

static double chunk_ns(const struct yk_split_view *view, int device)
{
    const struct yk_split_status *status = &view->devices[device];
    return fmax(fmax(CHUNK_COSTS * status->fixed_ns, CHUNK_NS),
                status->item_ns * (double)yk_at_least(status->known.fill, view->unit));
}

/* The number of chunks that were under way when a phase began, and do not count. */
static int begun_before(const struct yk_split_status *status)
{
    return status->known.host_memory ? 1 : status->known.lanes;
}

static void begin(struct yk_trial *trial, enum yk_trial_phase phase,
                  const struct yk_split_status *status)
{
    trial->phase = phase;
    trial->skip = begun_before(status);
    trial->samples = 0;
}

/* The number of devices that work, and whether the speed of each is known well enough. */
static int is_known(const struct yk_auto *state, const struct yk_split_view *view, int *working)
{
    double free = (1 - TRUSTED_PART) * (double)(view->last - view->first);
    int d, known = state->unknown + state->unsettled == 0 && (double)view->free_items < free;
    *working = 0;
    for (d = 0; d < view->device_count && known; d++) {
        const struct yk_split_status *status = &view->devices[d];
        if (!status->active || state->loads[d].items <= 0)
            continue;
        ++*working;
        known = status->known.rate <= 0 && status->chunks_done >= TRUSTED && status->item_ns > 0;
    }
    return known && *working > 1;
}

static void begin_if_it_pays(struct yk_auto *state, const struct yk_split_view *view)
{
    struct yk_trial *trial = &state->trial;
    double all = 0, cost;
    int d, working, best = -1;
    if (!is_known(state, view, &working))
        return;
    for (d = 0; d < view->device_count; d++) {
        if (!view->devices[d].active || state->loads[d].items <= 0)
            continue;
        all += 1 / view->devices[d].item_ns;
        if (best < 0 || view->devices[d].item_ns < view->devices[best].item_ns)
            best = d;
    }
    cost = TRIALS * 2 * (SAMPLES + begun_before(&view->devices[best])) * chunk_ns(view, best);
    if (cost * (1 - 1 / (view->devices[best].item_ns * all)) > COST_PART * state->end_ns)
        return;
    *trial = (struct yk_trial){ .best = best, .working = working };
    begin(trial, YK_TRIAL_BEFORE, &view->devices[best]);
}

/* All devices stop when the longest chunk that is out now ends. */
static void stop_all(struct yk_auto *state, const struct yk_split_view *view, int64_t now)
{
    struct yk_trial *trial = &state->trial;
    double until = chunk_ns(view, trial->best);
    int d;
    for (d = 0; d < view->device_count; d++)
        until = fmax(until, state->loads[d].ready);
    trial->phase = YK_TRIAL_ARMED;
    trial->until = now + (int64_t)until;
}

/* Only the fastest device has chunks out. */
static int others_are_done(const struct yk_auto *state, const struct yk_split_view *view)
{
    int d;
    for (d = 0; d < view->device_count; d++)
        if (d != state->trial.best && view->devices[d].chunks_out > 0)
            return 0;
    return 1;
}

/* A trial during which the set of devices changes says nothing. */
void yk_trial_end(struct yk_auto *state, const struct yk_split_view *view)
{
    int d;
    if (state->trial.phase != YK_TRIAL_NONE)
        state->trial.phase = YK_TRIAL_OVER;
    for (d = 0; d < view->device_count; d++)
        state->devices[d].rests = 0;
}

/* The ns of work that the device may get now. */
static double allowed_ns(const struct yk_auto *state, const struct yk_split_view *view, int device,
                         int64_t now)
{
    const struct yk_trial *trial = &state->trial;
    const struct yk_split_status *status = &view->devices[device];
    double left = (double)(trial->until - now) - status->item_ns * (double)status->items_out;
    if (device == trial->best)
        return trial->phase == YK_TRIAL_ARMED ? fmax(left, chunk_ns(view, device))
                                              : chunk_ns(view, device);
    if (trial->phase == YK_TRIAL_ARMED)
        return left - status->fixed_ns;
    return trial->phase == YK_TRIAL_ALONE || trial->phase == YK_TRIAL_ACROSS ? 0 : INFINITY;
}

int64_t yk_trial_limit(struct yk_auto *state, const struct yk_split_view *view, int device,
                       int64_t now, int64_t budget)
{
    struct yk_trial *trial = &state->trial;
    const struct yk_split_status *status = &view->devices[device];
    double items;
    if (trial->phase == YK_TRIAL_NONE)
        begin_if_it_pays(state, view);
    if (trial->phase == YK_TRIAL_ARMED && now >= trial->until && others_are_done(state, view))
        begin(trial, YK_TRIAL_ALONE, &view->devices[trial->best]);
    if (trial->phase == YK_TRIAL_NONE || trial->phase == YK_TRIAL_OVER || status->item_ns <= 0)
        return budget;
    if (device == trial->best) /* the others wait for its chunks to end */
        budget = yk_at_least(budget, view->unit);
    items = allowed_ns(state, view, device, now) / status->item_ns;
    if (items >= (double)budget)
        return budget;
    if (items >= (double)view->unit)
        return (int64_t)items;
    return device == trial->best ? yk_at_most(budget, view->unit) : 0;
}

/* Its speed beside the others, on items like those of the fastest. */
static double speed_of(const struct yk_auto *state, const struct yk_split_view *view, int device)
{
    const struct yk_trial *trial = &state->trial;
    const struct yk_split_status *status = &view->devices[device];
    if (!status->active || state->loads[device].item <= 0)
        return 0;
    return status->known.host_memory == view->devices[trial->best].known.host_memory
               ? 1 / status->item_ns
               : trial->alone / (trial->across * status->item_ns);
}

/* The highest speed lower than `below`, and how many devices have it; 0 if there is none. */
static double next_fastest(const struct yk_auto *state, const struct yk_split_view *view,
                           double below, int *equal)
{
    double found = 0;
    int d;
    for (d = 0; d < view->device_count; d++)
        if (speed_of(state, view, d) < below)
            found = fmax(found, speed_of(state, view, d));
    *equal = 0;
    for (d = 0; d < view->device_count; d++)
        *equal += found > 0 && speed_of(state, view, d) == found;
    return found;
}

/* Alone, each device is `slowed` times as fast. Keeps as many of the fastest devices as together do
 * most, if that is clearly more than what all do. */
static void choose(struct yk_auto *state, const struct yk_split_view *view, double slowed)
{
    double c = (slowed - 1) / (state->trial.working - 1), sum = 0, most = 0, least_speed = 0,
           all = 0;
    double speed = INFINITY;
    int d, equal, m = 0;
    while ((speed = next_fastest(state, view, speed, &equal)) > 0) {
        m += equal;
        sum += equal * speed * slowed;
        all = sum / (1 + c * (m - 1));
        if (all > most) {
            most = all;
            least_speed = speed;
        }
    }
    if (most < GAIN * all)
        return;
    for (d = 0; d < view->device_count; d++) {
        state->devices[d].rests = speed_of(state, view, d) < least_speed;
        state->devices[d].gain = most / all;
    }
    state->regions = 0;
}

/* The trial shows that it is faster alone. */
static int is_slowed(const struct yk_trial *trial)
{
    return trial->alone > SLOWED * trial->shared;
}

static void end_phase(struct yk_auto *state, const struct yk_split_view *view, int64_t now)
{
    struct yk_trial *trial = &state->trial;
    const struct yk_split_status *status = &view->devices[trial->best];
    if (trial->phase == YK_TRIAL_BEFORE) {
        stop_all(state, view, now);
    } else if (trial->phase == YK_TRIAL_ALONE) {
        begin(trial, YK_TRIAL_ACROSS, status);
    } else if (trial->phase == YK_TRIAL_ACROSS) {
        begin(trial, YK_TRIAL_AFTER, status);
    } else if (is_slowed(trial) && ++trial->trials < TRIALS) {
        begin(trial, YK_TRIAL_BEFORE, status);
    } else {
        trial->phase = YK_TRIAL_OVER;
        if (is_slowed(trial))
            choose(state, view, trial->alone / trial->shared);
    }
}

void yk_trial_observe(struct yk_auto *state, const struct yk_split_view *view, int device,
                      int64_t ended)
{
    struct yk_trial *trial = &state->trial;
    int64_t items = view->devices[device].items_done;
    double speed;
    if (device != trial->best || trial->phase == YK_TRIAL_NONE || trial->phase == YK_TRIAL_OVER ||
        trial->phase == YK_TRIAL_ARMED)
        return;
    if (trial->skip > 0) {
        trial->skip--;
        trial->mark = ended;
        trial->items = items;
        return;
    }
    if (++trial->samples < SAMPLES)
        return;
    speed = (double)(items - trial->items) / (double)yk_at_least(ended - trial->mark, 1);
    if (trial->phase == YK_TRIAL_ALONE)
        trial->alone = speed;
    else if (trial->phase == YK_TRIAL_ACROSS)
        trial->across = speed;
    else
        trial->shared = trial->phase == YK_TRIAL_BEFORE ? speed : fmax(speed, trial->shared);
    end_phase(state, view, ended);
}
