/* cost.c - see cost.h: a Kalman filter for the cost of a part, and pooling over devices. */
#include "cost.h"

#include <math.h>

/* The effects of halving and doubling these constants are in docs/scheduling.md. */

/* s before the first job. */
#define NOISE_FIRST 0.06
/* Relative standard deviation of b before the first job. Also the most that b may get of a job's
 * time when its estimate is impossible. */
#define FIRST_PART 0.5
/* Standard deviation of log(a * peak) between devices: how far a device is from what its
 * theoretical peak predicts. */
#define PEAK_LOG 1.0
/* The time of an item is assumed to change by this fraction of itself from job to job. So old jobs
 * count less and less. */
#define DRIFT 0.005
/* What may be a cold start is this fraction of what it was in the device's job before. (Two H200s,
 * jobs of 60 us: 231, 91, 80, 76 us.) */
#define COLD_FADE 0.5
/* CHANGE slower outliers in a row show that the device has changed. Two are not enough: after a
 * pause of the program caches are cold for two jobs. (After 36 ms, jobs of 0.2 ms on two H100s took
 * 1.9 and 1.4 times as long, mostly on one of them, and a third of the rows moved to the other.) No
 * such disturbance makes jobs faster, so there two are enough. */
enum { CHANGE = 3 };
/* Figures of an earlier process are ignored beyond these limits, in ns. */
#define ITEM_LEAST 1e-9
#define NS_MOST    1e18

double yk_cold_ns(double before_ns, double busy_ns)
{
    return before_ns > 0 ? fmin(busy_ns, fmax(1, COLD_FADE * before_ns)) : busy_ns;
}

void yk_cost_open(struct yk_cost *cost, double fixed_ns)
{
    const double sd = FIRST_PART * fixed_ns;
    *cost = (struct yk_cost){ .fixed_ns = fixed_ns,
                              .fixed_var = sd * sd,
                              .noise2 = NOISE_FIRST * NOISE_FIRST };
}

/* Sets a and b, each with the relative standard deviation `part`. */
static void open_known(struct yk_cost *cost, double item_ns, double fixed_ns, double part)
{
    yk_cost_open(cost, fixed_ns);
    cost->item_ns = item_ns;
    cost->item_var = part * item_ns * part * item_ns;
    cost->fixed_var = part * fixed_ns * part * fixed_ns;
}

/* If all parts had the same size, a and b have large errors that cancel each other. So the error
 * kept is that of a if b were exact. */
void yk_cost_keep(const struct yk_cost *cost, struct yk_kept_cost *out)
{
    const double both = cost->fixed_var > 0 ? cost->both_var * cost->both_var / cost->fixed_var : 0;
    *out = (struct yk_kept_cost){ 0 };
    if (!yk_cost_is_known(cost))
        return;
    out->item_ns = cost->item_ns;
    out->fixed_ns = cost->fixed_ns;
    out->error = fmin(1, sqrt(fmax(0, cost->item_var - both)) / cost->item_ns);
    out->noise = fmin(1, sqrt(cost->noise2));
}

void yk_cost_recall(struct yk_cost *cost, const struct yk_kept_cost *kept)
{
    *cost = (struct yk_cost){ 0 };
    /* the squares of other values could be infinite, or 0 */
    if (!(kept->item_ns > ITEM_LEAST && kept->item_ns < NS_MOST) ||
        !(kept->fixed_ns >= 0 && kept->fixed_ns < NS_MOST) ||
        !(kept->error >= 0 && kept->error <= 1) || !(kept->noise >= 0 && kept->noise <= 1))
        return;
    open_known(cost, kept->item_ns, kept->fixed_ns, hypot(kept->error, NOISE_FIRST));
    cost->noise2 = kept->noise * kept->noise;
}

double yk_cost_ns(const struct yk_cost *cost, double items)
{
    return yk_cost_is_known(cost) ? cost->fixed_ns + cost->item_ns * items : INFINITY;
}

/* a as this job alone shows it. b stays, but gets at most FIRST_PART of the time. */
static void follow_only(struct yk_cost *cost, const struct yk_cost_sample *sample)
{
    const double fixed = fmin(sample->chunks * cost->fixed_ns, FIRST_PART * sample->ns);
    const double sd = hypot(sqrt(cost->noise2) * sample->ns, sample->unsure_ns) / sample->items;
    const double slope = sample->chunks / sample->items;
    cost->fixed_ns = fixed / sample->chunks;
    cost->fixed_var =
        fmin(cost->fixed_var, FIRST_PART * FIRST_PART * cost->fixed_ns * cost->fixed_ns);
    cost->item_ns = (sample->ns - fixed) / sample->items;
    cost->item_var = sd * sd + slope * slope * cost->fixed_var;
    cost->both_var = -slope * cost->fixed_var;
}

/* Jobs of one length do not separate a from b. Then rounding could make variances negative, and
 * repeated changes could make them grow without end. So the standard deviation of each is at least
 * its drift, and at most its value if it caused the job's whole time alone. */
static void keep_certainty(struct yk_cost *cost, const struct yk_cost_sample *sample)
{
    const double item_drift = DRIFT * cost->item_ns, fixed_drift = DRIFT * cost->fixed_ns;
    const double item = sample->ns / sample->items, fixed = sample->ns / sample->chunks;
    double most;
    cost->item_var = fmin(fmax(cost->item_var, item_drift * item_drift), item * item);
    cost->fixed_var = fmin(fmax(cost->fixed_var, fixed_drift * fixed_drift), fixed * fixed);
    most = sqrt(cost->item_var * cost->fixed_var);
    cost->both_var = fmax(-most, fmin(cost->both_var, most));
}

/* If a step leads to an impossible value, a is computed from the latest job alone. A part of few
 * items says little about a: its time may be all overhead. */
static void keep_sane(struct yk_cost *cost, const struct yk_cost_sample *sample)
{
    if (cost->fixed_ns >= 0 && cost->item_ns > 0)
        return;
    cost->fixed_ns = fmin(fmax(0, cost->fixed_ns), FIRST_PART * sample->ns / sample->chunks);
    cost->item_ns = (sample->ns - sample->chunks * cost->fixed_ns) / sample->items;
}

/* A step of a Kalman filter. `off`: measured minus predicted time; `spread2`: its variance. */
static void follow(struct yk_cost *cost, const struct yk_cost_sample *sample, double off,
                   double spread2)
{
    const double item = cost->item_var * sample->items + cost->both_var * sample->chunks;
    const double fixed = cost->both_var * sample->items + cost->fixed_var * sample->chunks;
    const double drift = DRIFT * cost->item_ns;
    cost->item_ns += item / spread2 * off;
    cost->fixed_ns += fixed / spread2 * off;
    cost->item_var += drift * drift - item * item / spread2;
    cost->both_var -= item * fixed / spread2;
    cost->fixed_var -= fixed * fixed / spread2;
    keep_sane(cost, sample);
    keep_certainty(cost, sample);
}

/* Variance of the predicted time. At least that of the drift of a, because rounding could make it
 * negative. */
static double foreseen_var(const struct yk_cost *cost, const struct yk_cost_sample *sample)
{
    const double drift = DRIFT * cost->item_ns * sample->items;
    const double var = cost->item_var * sample->items * sample->items +
                       2 * cost->both_var * sample->items * sample->chunks +
                       cost->fixed_var * sample->chunks * sample->chunks;
    return fmax(var, drift * drift);
}

static void learn_noise(struct yk_cost *cost, double part2, double known2)
{
    const double fade = fmax(YK_LATEST, 1.0 / (cost->jobs + 4));
    const double seen =
        fmax(0, fmin(part2 - known2, YK_CLEAR * YK_CLEAR * fmax(cost->noise2, DRIFT * DRIFT)));
    cost->noise2 += fade * (seen - cost->noise2);
}

enum yk_cost_news yk_cost_observe(struct yk_cost *cost, const struct yk_cost_sample *sample)
{
    enum yk_cost_news news = YK_COST_LEARNED;
    double foreseen, off, known2, spread2, deviations;
    if (!(sample->items > 0) || !(sample->ns > 0) || !isfinite(sample->ns))
        return YK_COST_NONE;
    if (!yk_cost_is_known(cost)) {
        yk_cost_open(cost, cost->fixed_ns);
        follow_only(cost, sample);
        cost->jobs = 1;
        return YK_COST_LEARNED;
    }
    foreseen = sample->chunks * cost->fixed_ns + sample->items * cost->item_ns;
    off = sample->ns - foreseen;
    known2 = foreseen_var(cost, sample);
    spread2 = known2 + cost->noise2 * foreseen * foreseen + sample->unsure_ns * sample->unsure_ns;
    deviations = off / sqrt(spread2);
    if (fabs(deviations) > YK_CLEAR) {
        const int side = off > 0 ? 1 : -1;
        cost->outside = cost->outside * side > 0 ? cost->outside + side : side;
        if (cost->outside * side < (side > 0 ? CHANGE : CHANGE - 1))
            return YK_COST_NONE;
        news = YK_COST_CHANGED;
    }
    cost->outside = 0;
    if (news == YK_COST_CHANGED) {
        follow_only(cost, sample);
        keep_certainty(cost, sample);
    } else {
        learn_noise(cost, off * off / (foreseen * foreseen), known2 / (foreseen * foreseen));
        follow(cost, sample, off, spread2);
    }
    cost->jobs++;
    return news;
}

/* --- makes --- */

/* The devices of one make. */
struct make {
    struct yk_cost *costs;
    const struct yk_cost_pool *devices;
    int number;
    double fixed_ns, fixed_var; /* mean b of the known devices, and its variance */
    double weights, item;       /* sums over them, weighted by 1 / variance of a */
    double vars;                /* sum of these variances */
    int known;
};

static int belongs(const struct make *make, int device)
{
    return make->devices->make[device] == make->number;
}

static int is_known_of(const struct make *make, int device)
{
    return belongs(make, device) && yk_cost_is_known(&make->costs[device]);
}

/* Variance of b, at least 1 ns^2: devices without overhead have none. */
static double fixed_var(const struct yk_cost *cost)
{
    return fmax(1, cost->fixed_var);
}

/* The mean b of the make, weighted by 1 / variance, and its variance; infinite if no device of the
 * make is known. */
static void set_fixed(struct make *make)
{
    double weights = 0, sum = 0;
    int d;
    for (d = 0; d < make->devices->count; d++)
        if (is_known_of(make, d)) {
            weights += 1 / fixed_var(&make->costs[d]);
            sum += make->costs[d].fixed_ns / fixed_var(&make->costs[d]);
        }
    make->fixed_ns = sum / weights;
    make->fixed_var = 1 / weights;
}

/* Gives all devices of the make the same b. The errors of a and b cancel each other, so a moves
 * with b: otherwise devices whose parts had different sizes would get a's that do not compare. A
 * device whose times leave nothing for items with that b keeps its own. */
static void share_fixed(const struct make *make)
{
    const double fixed_ns = make->fixed_ns, var = make->fixed_var;
    int d;
    for (d = 0; d < make->devices->count; d++) {
        struct yk_cost *cost = &make->costs[d];
        const double slope = cost->both_var / fixed_var(cost), drift = DRIFT * cost->item_ns;
        const double item_ns = cost->item_ns + slope * (fixed_ns - cost->fixed_ns);
        if (!is_known_of(make, d) || !(item_ns > 0))
            continue;
        cost->item_var =
            fmax(drift * drift, cost->item_var - slope * cost->both_var) + slope * slope * var;
        cost->item_ns = item_ns;
        cost->fixed_ns = fixed_ns;
        cost->fixed_var = var;
        cost->both_var = slope * var;
    }
}

static void sum_up(struct make *make)
{
    int d;
    for (d = 0; d < make->devices->count; d++) {
        const struct yk_cost *cost = &make->costs[d];
        double weight;
        if (!is_known_of(make, d))
            continue;
        weight = 1 / cost->item_var;
        make->weights += weight;
        make->item += weight * cost->item_ns;
        make->vars += cost->item_var;
        make->known++;
    }
}

/* Variance of a among the devices of the make, without what chance explains. The measured variance
 * of n equal devices has a relative standard deviation of sqrt(2 / (n - 1)); up to twice that is
 * taken as chance. */
static double unlikeness(const struct make *make)
{
    const double mean = make->item / make->weights;
    const double chance = make->vars / make->known;
    double spread = 0;
    int d;
    for (d = 0; d < make->devices->count; d++)
        if (is_known_of(make, d))
            spread += (make->costs[d].item_ns - mean) * (make->costs[d].item_ns - mean);
    return fmax(0, spread / (make->known - 1) - chance * (1 + 2 * sqrt(2.0 / (make->known - 1))));
}

static void draw_together(const struct make *make)
{
    const double mean = make->item / make->weights;
    const double unlike = unlikeness(make);
    int d;
    for (d = 0; d < make->devices->count; d++) {
        struct yk_cost *cost = &make->costs[d];
        double own;
        if (!is_known_of(make, d))
            continue;
        own = unlike / (unlike + cost->item_var);
        cost->item_ns = own * cost->item_ns + (1 - own) * mean;
        cost->item_var = own * cost->item_var + (1 - own) / make->weights;
    }
}

static void pool_make(struct yk_cost *costs, const struct yk_cost_pool *devices, int number)
{
    struct make make = { .costs = costs, .devices = devices, .number = number };
    int d;
    set_fixed(&make);
    if (isinf(make.fixed_var))
        return;
    share_fixed(&make);
    sum_up(&make);
    if (make.known > 1)
        draw_together(&make);
    for (d = 0; d < devices->count; d++)
        if (belongs(&make, d) && !yk_cost_is_known(&costs[d]))
            open_known(&costs[d], make.item / make.weights, make.fixed_ns, NOISE_FIRST);
}

int yk_peak_is_known(double peak)
{
    return peak > 0 && isfinite(peak);
}

/* Variance of the logarithm of a. */
static double log_var(const struct yk_cost *cost)
{
    return cost->item_var / (cost->item_ns * cost->item_ns);
}

/* Logarithm of the time of an item on a device with a peak of 1; NAN if no known device has a
 * peak. */
static double typical_log(const struct yk_cost *costs, const double *peak, int count)
{
    double sum = 0, weights = 0;
    int d;
    for (d = 0; d < count; d++)
        if (yk_cost_is_known(&costs[d]) && yk_peak_is_known(peak[d])) {
            const double weight = 1 / (PEAK_LOG * PEAK_LOG + log_var(&costs[d]));
            sum += weight * log(costs[d].item_ns * peak[d]);
            weights += weight;
        }
    return weights > 0 ? sum / weights : NAN;
}

static void draw_to_peak(struct yk_cost *cost, double peak_log, double told_ns)
{
    const double prior = PEAK_LOG * PEAK_LOG;
    double own_log = 0, own = 0, left = prior;
    if (yk_cost_is_known(cost)) {
        own_log = log(cost->item_ns);
        own = prior / (prior + log_var(cost));
        left = own * log_var(cost);
    } else {
        yk_cost_open(cost, told_ns);
    }
    cost->item_ns = exp(own * own_log + (1 - own) * peak_log);
    cost->item_var = left * cost->item_ns * cost->item_ns;
}

static void pool_peaks(struct yk_cost *costs, const struct yk_cost_pool *devices)
{
    const double typical = typical_log(costs, devices->peak, devices->count);
    int d;
    for (d = 0; d < devices->count && isfinite(typical); d++)
        if (yk_peak_is_known(devices->peak[d]))
            draw_to_peak(&costs[d], typical - log(devices->peak[d]), devices->told[d]);
}

void yk_cost_pool(struct yk_cost *costs, const struct yk_cost_pool *devices)
{
    const int *make = devices->make;
    int d, before;
    for (d = 0; d < devices->count; d++) {
        for (before = 0; before < d && make[before] != make[d]; before++)
            ;
        if (make[d] > 0 && before == d)
            pool_make(costs, devices, make[d]);
    }
    pool_peaks(costs, devices);
}
