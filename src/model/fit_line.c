/* fit_line.c - see fit.h: the line through the samples of one set of devices, and its error. */
#include <math.h>
#include <stddef.h>

#include "fit.h"

/* Sizes show a slope if the largest is at least this many times the smallest. */
#define APART 1.02
/* SAMPLE_OFF: least relative error assumed for a sample. SLOPE_OFF: relative error assumed for a
 * slope that chunks showed: they show the device's time, which is not all of the job's time. */
#define SAMPLE_OFF 0.01
#define SLOPE_OFF  0.2
/* A cell gets less weight if it deviates by more than this many typical deviations, ... */
#define FAR 2.0
/* ... and by more than this relative error. */
#define FAR_LEAST 0.01
enum { ROUNDS = 4 };
/* The samples do not lie on a line if at least two of BENT_CELLS or more cells deviate from it by
 * more than the part BENT, and by more than BENT_NOISE times the deviation within cells. */
#define BENT       0.03
#define BENT_NOISE 3.0
enum { BENT_CELLS = 4 };

struct cells {
    const struct yk_fit_cell *at[YK_FIT_CELLS]; /* ordered by size */
    double weights[YK_FIT_CELLS];               /* weight of each, 0 .. 1 */
    int count;
};

static void select_cells(const struct yk_fit *fit, uint32_t team, struct cells *out)
{
    int i, at;
    out->count = 0;
    for (i = 0; i < fit->count; i++) {
        if (fit->cells[i].team != team)
            continue;
        for (at = out->count++; at > 0 && out->at[at - 1]->items > fit->cells[i].items; at--)
            out->at[at] = out->at[at - 1];
        out->at[at] = &fit->cells[i];
        out->weights[out->count - 1] = 1;
    }
}

static double relative_error(const struct yk_fit_cell *cell, const struct yk_line *line)
{
    return (yk_line_ns(line, cell->items) - cell->ns.mean) / cell->ns.mean;
}

/* The line from which least squares start: its slope is the median of all slopes between two cells,
 * on which a few wrong cells have no effect (Theil, Sen). */
static struct yk_line middle_line(const struct cells *cells)
{
    double numbers[YK_FIT_CELLS * (YK_FIT_CELLS - 1) / 2];
    struct yk_line line = { 0, 0 };
    int i, j, count = 0;
    for (i = 0; i < cells->count; i++)
        for (j = 0; j < i; j++)
            numbers[count++] = (cells->at[i]->ns.mean - cells->at[j]->ns.mean) /
                               (cells->at[i]->items - cells->at[j]->items);
    line.item_ns = yk_middle(numbers, count);
    for (i = 0; i < cells->count; i++)
        numbers[i] = cells->at[i]->ns.mean - line.item_ns * cells->at[i]->items;
    line.fixed_ns = yk_middle(numbers, cells->count);
    return line;
}

static void weigh(struct cells *cells, const struct yk_line *line)
{
    double errors[YK_FIT_CELLS], far;
    int i;
    for (i = 0; i < cells->count; i++)
        errors[i] = fabs(relative_error(cells->at[i], line));
    far = fmax(FAR * 1.4826 * yk_middle(errors, cells->count), FAR_LEAST);
    for (i = 0; i < cells->count; i++) {
        double error = fabs(relative_error(cells->at[i], line));
        cells->weights[i] = error > far ? far * far / (error * error) : 1;
    }
}

/* The slope that the chunks of these samples showed; 0: none. */
static double shown_slope(const struct cells *cells)
{
    double slopes = 0, weights = 0;
    int i;
    for (i = 0; i < cells->count; i++)
        if (cells->at[i]->item_ns > 0) {
            slopes += cells->at[i]->ns.weight * cells->at[i]->item_ns;
            weights += cells->at[i]->ns.weight;
        }
    return weights > 0 ? slopes / weights : 0;
}

/* Sums over cells, for linear equations. */
struct sums {
    double one, items, ns, items2, items_ns;
};

static struct sums sums_of(const struct cells *cells)
{
    struct sums sums = { 0 };
    int i;
    for (i = 0; i < cells->count; i++) {
        const struct yk_fit_cell *cell = cells->at[i];
        const double ns = cell->ns.mean, weight = cells->weights[i] * cell->ns.weight / (ns * ns);
        sums.one += weight;
        sums.items += weight * cell->items;
        sums.ns += weight * ns;
        sums.items2 += weight * cell->items * cell->items;
        sums.items_ns += weight * cell->items * ns;
    }
    return sums;
}

/* The line with b = 0, for samples that would give a negative b. */
static struct yk_line through_zero(const struct sums *sums)
{
    return (struct yk_line){ sums->items_ns / sums->items2, 0 };
}

/* Relative deviation of samples from `line`. The larger it is, the less the samples show about the
 * slope. */
static double sample_off(const struct cells *cells, const struct yk_line *line)
{
    double squares = 0, weight = 0;
    int i;
    for (i = 0; i < cells->count; i++) {
        const struct yk_fit_cell *cell = cells->at[i];
        const double error = relative_error(cell, line);
        squares += cells->weights[i] * (cell->ns.weight * error * error +
                                        cell->ns.square / (cell->ns.mean * cell->ns.mean));
        weight += cells->weights[i] * cell->ns.weight;
    }
    return weight > 2 ? fmax(SAMPLE_OFF, sqrt(squares / (weight - 2))) : SAMPLE_OFF;
}

/* The line if the samples show too little: its slope is near `slope`; if that is 0, b is the given
 * cost. */
static struct yk_line line_told(const struct sums *sums, double slope, double off, double fixed_ns)
{
    struct yk_line line;
    if (slope > 0) {
        const double hold = off / SLOPE_OFF * off / SLOPE_OFF / (slope * slope);
        const double part = (sums->items2 + hold) * sums->one - sums->items * sums->items;
        line.item_ns =
            ((sums->items_ns + hold * slope) * sums->one - sums->items * sums->ns) / part;
    } else {
        const double mean = sums->ns / sums->one;
        const double fixed = fixed_ns > 0 && isfinite(fixed_ns) ? fmin(fixed_ns, mean / 2) : 0;
        line.item_ns = (mean - fixed) * sums->one / sums->items;
    }
    line.fixed_ns = (sums->ns - line.item_ns * sums->items) / sums->one;
    return line;
}

static int is_line(const struct yk_line *line)
{
    return line->item_ns > 0 && isfinite(line->item_ns) && line->fixed_ns >= 0;
}

/* Replaces an impossible line: its slope is then that of the chunks, and b follows from it; if that
 * is impossible too, b is 0. */
static struct yk_line checked(const struct sums *sums, double slope, struct yk_line line)
{
    if (!is_line(&line) && slope > 0)
        line = (struct yk_line){ slope, (sums->ns - slope * sums->items) / sums->one };
    return is_line(&line) ? line : through_zero(sums);
}

/* Returns 1 if the sizes are far enough apart to show a slope, and it is positive. */
static int fit_slope(struct cells *cells, struct yk_line *out)
{
    int round;
    if (cells->count < 2 || cells->at[cells->count - 1]->items < APART * cells->at[0]->items)
        return 0;
    *out = middle_line(cells);
    for (round = 0; cells->count > 2 && round < ROUNDS; round++) {
        struct yk_line line;
        weigh(cells, out);
        yk_fit_squares(&(struct yk_fit_run){ cells->at, cells->weights, 0, cells->count }, &line);
        if (!(line.item_ns > 0))
            return 0;
        *out = line;
    }
    return out->item_ns > 0;
}

static struct yk_line line_of(struct cells *cells, double fixed_ns)
{
    const double slope = shown_slope(cells);
    struct yk_line line;
    struct sums sums;
    const int tells = fit_slope(cells, &line);
    sums = sums_of(cells);
    if (!tells)
        line = (struct yk_line){ slope, (sums.ns - slope * sums.items) / sums.one };
    if (!tells || slope > 0)
        line = line_told(&sums, slope, sample_off(cells, &line), fixed_ns);
    return checked(&sums, slope, line);
}

/* --- error and curvature --- */

static void judge(const struct cells *cells, struct yk_fitted *out)
{
    const struct sums sums = sums_of(cells);
    double squares = 0, within = 0, freedom, spread;
    int i;
    for (i = 0; i < cells->count; i++) {
        const struct yk_fit_cell *cell = cells->at[i];
        const double error = relative_error(cell, &out->line);
        squares += cells->weights[i] * cell->ns.weight * error * error;
        within += cells->weights[i] * cell->ns.square / (cell->ns.mean * cell->ns.mean);
        out->samples += cell->ns.weight;
    }
    out->sizes = cells->count;
    out->off = sqrt(squares / out->samples);
    freedom = fmax(out->samples, cells->count) - 2;
    spread = sums.items2 - sums.items * sums.items / sums.one;
    out->item_half = cells->count > 1 && freedom >= 1 && spread > 0
                         ? yk_student_95(freedom) * sqrt((squares + within) / freedom / spread)
                         : INFINITY;
}

/* Returns 1 if at least two cells deviate from the line by more than samples within a cell do. A
 * single such cell would be an outlier. */
static int is_bent(const struct cells *cells, const struct yk_line *line)
{
    double noise = 0, weight = 0;
    int i, off = 0;
    for (i = 0; i < cells->count; i++) {
        const struct yk_mean *ns = &cells->at[i]->ns;
        noise += ns->square / (ns->mean * ns->mean);
        weight += fmax(ns->weight - 1, 0);
    }
    noise = weight > 0 ? sqrt(noise / weight) : 0;
    for (i = 0; i < cells->count; i++)
        off += fabs(relative_error(cells->at[i], line)) > fmax(BENT, BENT_NOISE * noise);
    return off >= 2;
}

static void watch(struct cells *cells, struct yk_fitted *out)
{
    int i;
    if (cells->count < BENT_CELLS)
        return;
    for (i = 0; i < cells->count; i++)
        cells->weights[i] = 1;
    if (is_bent(cells, &out->line))
        yk_fit_curve(cells->at, cells->count, BENT, &out->curve);
}

void yk_fit_set(const struct yk_fit *fit, uint32_t team, double fixed_ns, struct yk_fitted *out)
{
    struct cells cells;
    *out = (struct yk_fitted){ .team = team, .slowed = 1, .item_half = INFINITY };
    select_cells(fit, team, &cells);
    if (cells.count == 0)
        return;
    out->line = line_of(&cells, fixed_ns);
    judge(&cells, out);
    watch(&cells, out);
}
