/* derive_model.c - yoke's own method: each device's figures as functions of the sizes, and the
 * shares from them.
 *
 * Costs are roughly powers of sizes: a row of a matrix product costs n * n, a body n. So a figure
 * is fitted in logarithms. First comes the part that all devices have in common: a plane over the
 * sizes and a smooth deviation from it. Then comes each device's own part: its cost for work too
 * small to fill it, which fades as work grows, and a smooth deviation (caches), which far from all
 * known sizes returns to its value at the nearest. Therefore, far from known sizes, the common
 * trend continues, while the difference between devices levels out. Both parts are fitted by
 * process.h, with priors that say: figures are about as they are at the nearest lesson.
 *
 * With one lesson the figure stays as it is there; with two it is a power between and beyond them;
 * with more, a curve through them that continues as a power. The slope between two lessons that are
 * close is mostly noise, and is weighted accordingly. Sizes that always change together share the
 * slope. The priors' values were chosen on the worlds of tests/unit/test_derive.c.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../model/finish.h"
#include "derive.h"
#include "process.h"

/* Standard deviations of the priors, in logarithms. Common part: LEVEL; SLOPE of the plane; BEND,
 * the deviation. A device's own part: FILL, the cost of small work; OWN, the deviation. REACH: the
 * distance over which deviations fade, a factor of e. */
#define LEVEL 1.0
#define SLOPE 2.0
#define BEND  0.2
#define FILL  0.5
#define OWN   0.2
#define REACH 1.0
/* Noise of a logarithm: of a steady figure, of another one, and of a fixed cost, which is measured
 * as what remains of a time without its items' part. */
#define NOISE_STEADY 0.02
#define NOISE        0.06
#define NOISE_FIXED  0.2
/* Highest power by which a figure changes; highest logarithm by which a device differs from the
 * common trend. */
#define POWER_MOST 4.0
#define OWN_MOST   1.5
/* Added before the logarithm of a value that may be 0, in ns. */
#define FLOOR_NS 1000.0

/* Prior covariance of every two places. The places are those of the lessons, and then that of the
 * sizes asked for. */
struct ground {
    const struct yk_derive_from *from;
    int count; /* number of lessons, and the place of the sizes asked for */
    double common[YK_PROCESS_PLACES][YK_PROCESS_PLACES];
    double own[YK_PROCESS_PLACES][YK_PROCESS_PLACES];
    double far; /* distance from the nearest lesson to the sizes asked for */
};

static const struct yk_sizes *sizes_at(const struct yk_derive_from *from, int place)
{
    return place < from->count ? &from->known[place]->sizes : from->sizes;
}

/* The weight of each size: 1 / number of sizes that vary. So sizes that change together count as
 * one. */
static double scale_of(const struct yk_derive_from *from)
{
    int varying = 0;
    for (int k = 0; k < from->sizes->count; k++) {
        int varies = 0;
        for (int i = 0; i < from->count; i++)
            varies |= from->known[i]->sizes.at[k] != from->sizes->at[k];
        varying += varies;
    }
    return varying ? 1 / (double)varying : 1;
}

/* Scalar product of the steps from the nearest lesson to place i and to place j, in logarithms. */
static double product_of(const struct yk_derive_from *from, int i, int j)
{
    const struct yk_sizes *a = sizes_at(from, i), *b = sizes_at(from, j);
    const struct yk_sizes *origin = sizes_at(from, 0);
    double product = 0;
    for (int k = 0; k < a->count; k++)
        product +=
            (log1p(a->at[k]) - log1p(origin->at[k])) * (log1p(b->at[k]) - log1p(origin->at[k]));
    return product;
}

/* How much smaller a place is than the nearest lesson, over all sizes: 0 at the lesson, towards -1
 * far above it. A device's cost for work that is too small to fill it fades like this. */
static double smallness(const struct yk_derive_from *from, double scale, int place)
{
    const struct yk_sizes *sizes = sizes_at(from, place), *origin = sizes_at(from, 0);
    double steps = 0;
    for (int k = 0; k < sizes->count; k++)
        steps += log1p(sizes->at[k]) - log1p(origin->at[k]);
    return expm1(-scale * steps);
}

static double bump(double apart)
{
    return exp(-apart * apart / (2 * REACH * REACH));
}

static void lay(struct ground *ground, const struct yk_derive_from *from)
{
    double scale = scale_of(from), root = sqrt(scale);
    double small[YK_PROCESS_PLACES];
    ground->from = from;
    ground->count = from->count;
    for (int i = 0; i <= from->count; i++)
        small[i] = smallness(from, scale, i);
    for (int i = 0; i <= from->count; i++)
        for (int j = 0; j <= i; j++) {
            double apart = root * yk_sizes_distance(sizes_at(from, i), sizes_at(from, j));
            ground->common[i][j] = ground->common[j][i] =
                LEVEL * LEVEL + SLOPE * SLOPE * scale * product_of(from, i, j) +
                BEND * BEND * bump(apart);
            ground->own[i][j] = ground->own[j][i] =
                FILL * FILL * small[i] * small[j] + OWN * OWN * bump(apart);
        }
    ground->far = root * yk_sizes_distance(sizes_at(from, 0), from->sizes);
}

static const struct yk_lesson_device *device_called(const struct yk_lesson *lesson,
                                                    const char *name)
{
    int d = 0;
    while (strcmp(lesson->devices[d].name, name) != 0) /* all lessons have the same devices */
        d++;
    return &lesson->devices[d];
}

/* A figure and how it is fitted. */
struct fitted {
    int figure;
    int known;    /* another figure that must be known for this one to be known */
    double floor; /* added before the logarithm; 0: the figure is unknown if it is 0 */
    double noise; /* noise of its logarithm; 0: depends on how steady the device was */
    int apart; /* 1: if a device's figure is known at only one place, it is the same everywhere, and
                  the other devices' figures do not matter */
};

/* The figure's known values for one device, as logarithms. */
static void gather(const struct yk_derive_from *from, const char *name, const struct fitted *fitted,
                   struct yk_process_points *out)
{
    out->count = 0;
    for (int i = 0; i < from->count; i++) {
        const struct yk_lesson_device *device = device_called(from->known[i], name);
        double value = yk_figure_get(device, fitted->figure) + fitted->floor;
        double usual = device->steady || from->known[i]->confirmed > 1 ? NOISE_STEADY : NOISE;
        if (!(value > 0) || !(yk_figure_get(device, fitted->known) > 0))
            continue;
        out->place[out->count] = i;
        out->noise[out->count] = fitted->noise > 0 ? fitted->noise : usual;
        out->value[out->count++] = log(value);
    }
}

/* The figure's change from the nearest lesson on: the mean over the devices that know it there.
 */
static void gather_common(const struct yk_derive_from *from, const struct fitted *fitted,
                          struct yk_process_points *out)
{
    double sum[YK_DERIVE_MOST] = { 0 }, noise[YK_DERIVE_MOST] = { 0 };
    int count[YK_DERIVE_MOST] = { 0 };
    for (int d = 0; d < from->known[0]->device_count; d++) {
        struct yk_process_points points;
        gather(from, from->known[0]->devices[d].name, fitted, &points);
        for (int i = 0; i < points.count && points.place[0] == 0; i++) {
            sum[points.place[i]] += points.value[i] - points.value[0];
            noise[points.place[i]] += points.noise[i];
            count[points.place[i]]++;
        }
    }
    out->count = 0;
    for (int i = 0; i < from->count; i++)
        if (count[i]) {
            out->place[out->count] = i;
            out->noise[out->count] = noise[i] / count[i];
            out->value[out->count++] = sum[i] / count[i];
        }
}

/* The common change of one figure over the places. */
static void fit_common(const struct ground *ground, const struct fitted *fitted,
                       double common[YK_PROCESS_PLACES])
{
    struct yk_process_points points;
    struct yk_process process;
    double most = POWER_MOST * ground->far;
    gather_common(ground->from, fitted, &points);
    yk_process_fit(&process, ground->common, &points);
    for (int i = 0; i <= ground->count; i++)
        common[i] = yk_process_mean(&process, i);
    double *asked = &common[ground->count];
    *asked = fmin(fmax(*asked, common[0] - most), common[0] + most);
}

/* The figure of the device of that name, for the sizes asked for. */
static double derive_figure(const struct ground *ground, const struct fitted *fitted,
                            const double common[YK_PROCESS_PLACES], const char *name)
{
    struct yk_process_points points;
    struct yk_process process;
    gather(ground->from, name, fitted, &points);
    if (points.count == 0)
        return 0;
    if (points.count == 1 && fitted->apart)
        return fmin(fmax(exp(points.value[0]) - fitted->floor, 0), DBL_MAX);
    double origin = points.value[0] - common[points.place[0]];
    for (int i = 0; i < points.count; i++)
        points.value[i] -= origin + common[points.place[i]];
    yk_process_fit(&process, ground->own, &points);
    double own = yk_process_mean(&process, ground->count);
    double value = exp(origin + common[ground->count] + fmin(fmax(own, -OWN_MOST), OWN_MOST));
    return fmin(fmax(value - fitted->floor, 0), DBL_MAX);
}

/* Computes shares. If a device's line among the team is unknown, its speed in chunks gives its
 * share. Then the job's time is unknown, and the best set stays that of the nearest lesson. */
static void share_out(struct yk_lesson *out)
{
    struct yk_taker takers[YK_LESSON_DEVICES] = { 0 };
    double items = out->sizes.at[0];
    int by_lines = 1;
    for (int d = 0; d < out->device_count; d++) {
        const struct yk_lesson_device *device = &out->devices[d];
        takers[d].item = device->line.item_ns;
        takers[d].fixed = device->line.fixed_ns;
        if (takers[d].item > 0)
            continue;
        by_lines = 0;
        takers[d].item = 1 / device->rate;
        takers[d].fixed = device->fixed_ns;
        if (!(device->rate > 0))
            return; /* the shares stay those of the nearest lesson */
    }
    double end = yk_finish(takers, out->device_count, items);
    if (!(items > 0) || !(end < INFINITY))
        return;
    out->team = by_lines ? 0 : out->team;
    out->ns = by_lines ? end : 0;
    for (int d = 0; d < out->device_count; d++) {
        double part = fmax(0, yk_finish_part(&takers[d], end));
        out->devices[d].share = fmin(part / items, 1);
        if (by_lines && part > 0)
            out->team |= (uint32_t)1 << d;
    }
}

static void derive_figures(const struct yk_derive_from *from, struct yk_lesson *out)
{
    static const struct fitted all[] = {
        { YK_FIGURE_ITEM_NS, YK_FIGURE_ITEM_NS, .floor = 0 },
        { YK_FIGURE_FIXED_NS, YK_FIGURE_ITEM_NS, FLOOR_NS, NOISE_FIXED, .apart = 1 },
        { YK_FIGURE_RATE, YK_FIGURE_RATE, .floor = 0 },
        { YK_FIGURE_CHUNK_NS, YK_FIGURE_RATE, FLOOR_NS, NOISE_FIXED, .apart = 1 },
        { YK_FIGURE_COPIED_BYTES, YK_FIGURE_RATE, .floor = 1, .noise = NOISE },
        { YK_FIGURE_GRAIN, YK_FIGURE_GRAIN, .noise = NOISE_FIXED },
    };
    struct ground ground;
    double common[YK_PROCESS_PLACES];
    lay(&ground, from);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fit_common(&ground, &all[i], common);
        for (int d = 0; d < out->device_count; d++)
            yk_figure_set(&out->devices[d], all[i].figure,
                          derive_figure(&ground, &all[i], common, out->devices[d].name));
    }
    for (int d = 0; d < out->device_count; d++)
        out->devices[d].grain = fmin(out->devices[d].grain, out->sizes.at[0]);
    share_out(out);
}

const struct yk_derivation yk_derive_model = {
    .name = "model",
    .summary = "each device's cost as a curve over the sizes, and the shares from that",
    .derive = derive_figures,
};
