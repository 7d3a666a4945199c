/* fit.c - see fit.h: samples, and which of them apply to a set of devices. */
#include "fit.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Samples whose sizes differ by no more than this part are in one cell. */
#define ALIKE 0.01
/* A sample multiplies the weight of earlier samples of its cell by FADE, ... */
#define FADE 0.7
/* ... and that of other cells of its team by FADE_OTHERS, but not below WEIGHT_LEAST. */
#define FADE_OTHERS  0.95
#define WEIGHT_LEAST 0.5
/* MISSED residuals of the same sign in a row mean that the machine has changed. Each must be at
 * least MISSED_PART of the line, and MISSED_SPREADS times the usual deviation of samples from it.
 */
enum { MISSED = 2 };
#define MISSED_PART    0.05
#define MISSED_SPREADS 0.7
/* After MISSED such samples, cells move by this part of their mean deviation (of logarithms). */
#define FOLLOWS 0.6
/* A size is known if it differs from a sample's by no more than this factor. */
#define NEAR 1.1

/* --- samples --- */

static int is_alike(const struct yk_fit_cell *cell, const struct yk_fit_sample *sample)
{
    return cell->team == sample->team &&
           fabs(cell->items - sample->items) <= ALIKE * fmax(cell->items, sample->items);
}

static int cells_of(const struct yk_fit *fit, uint32_t team)
{
    int i, count = 0;
    for (i = 0; i < fit->count; i++)
        count += fit->cells[i].team == team;
    return count;
}

/* An empty cell; if there is none, the oldest cell of the team with the most cells. */
static struct yk_fit_cell *new_cell(struct yk_fit *fit)
{
    struct yk_fit_cell *found = &fit->cells[0];
    int i;
    if (fit->count < YK_FIT_CELLS)
        return &fit->cells[fit->count++];
    for (i = 1; i < fit->count; i++) {
        struct yk_fit_cell *cell = &fit->cells[i];
        int more = cells_of(fit, cell->team) - cells_of(fit, found->team);
        if (more > 0 || (more == 0 && cell->last < found->last))
            found = cell;
    }
    return found;
}

static void fade_others(struct yk_fit *fit, const struct yk_fit_cell *latest)
{
    int i;
    for (i = 0; i < fit->count; i++) {
        struct yk_fit_cell *cell = &fit->cells[i];
        if (cell == latest || cell->team != latest->team ||
            cell->ns.weight * FADE_OTHERS < WEIGHT_LEAST)
            continue;
        cell->ns.weight *= FADE_OTHERS;
        cell->ns.square *= FADE_OTHERS;
    }
}

static int knows_size(const struct yk_fit *fit, const struct yk_fit_sample *sample)
{
    int i;
    for (i = 0; i < fit->count; i++) {
        const struct yk_fit_cell *cell = &fit->cells[i];
        if (cell->team == sample->team && cell->items < NEAR * sample->items &&
            sample->items < NEAR * cell->items)
            return 1;
    }
    return 0;
}

/* Logarithm of measured / predicted time of the sample; 0 if that is too small to count, or if its
 * team has no samples of about this size. */
static double missed_by(const struct yk_fit *fit, const struct yk_fit_sample *sample)
{
    struct yk_fitted fitted;
    double by;
    if (!knows_size(fit, sample))
        return 0;
    yk_fit_set(fit, sample->team, 0, &fitted);
    by = log(sample->ns / (fitted.curve.count > 0 ? yk_curve_ns(&fitted.curve, sample->items)
                                                  : yk_line_ns(&fitted.line, sample->items)));
    return fabs(by) >= fmax(MISSED_PART, MISSED_SPREADS * fitted.off) ? by : 0;
}

/* Scales the team's cells if MISSED samples show a change. Does not scale the cells that contain
 * these samples already. */
static void follow(struct yk_fit *fit, const struct yk_fit_sample *sample)
{
    struct yk_fit_missed *missed = &fit->missed;
    const double by = missed_by(fit, sample);
    double factor;
    int i;
    if (by == 0 || missed->team != sample->team || by * missed->count < 0)
        *missed = (struct yk_fit_missed){ .team = sample->team };
    if (by == 0)
        return;
    missed->count += by > 0 ? 1 : -1;
    missed->factor += by;
    if (abs(missed->count) < MISSED)
        return;
    factor = exp(FOLLOWS * missed->factor / MISSED);
    for (i = 0; i < fit->count; i++) {
        struct yk_fit_cell *cell = &fit->cells[i];
        if (cell->team != sample->team || fit->samples - cell->last < MISSED - 1)
            continue;
        cell->ns.mean *= factor;
        cell->ns.square *= factor * factor;
        cell->item_ns *= factor;
    }
    *missed = (struct yk_fit_missed){ .team = sample->team };
}

int yk_fit_add(struct yk_fit *fit, const struct yk_fit_sample *sample)
{
    struct yk_fit_cell *cell = NULL;
    int i;
    if (!(sample->items > 0 && sample->ns > 0) || isinf(sample->items) || isinf(sample->ns))
        return 0;
    follow(fit, sample);
    for (i = 0; i < fit->count && !cell; i++)
        if (is_alike(&fit->cells[i], sample))
            cell = &fit->cells[i];
    if (!cell) {
        cell = new_cell(fit);
        *cell = (struct yk_fit_cell){ .items = sample->items, .team = sample->team };
    }
    /* scales the time to the cell's size, which differs by at most a per cent */
    yk_mean_add(&cell->ns, sample->ns * cell->items / sample->items, FADE);
    if (sample->item_ns > 0 && isfinite(sample->item_ns))
        cell->item_ns = sample->item_ns;
    cell->last = ++fit->samples;
    fade_others(fit, cell);
    return 1;
}

void yk_fit_fade(struct yk_fit *fit, double factor)
{
    int i;
    for (i = 0; i < fit->count; i++) {
        fit->cells[i].ns.weight *= factor;
        fit->cells[i].ns.square *= factor;
    }
}

int yk_fit_knows_sets(const struct yk_fit *fit)
{
    return fit->count > 0 && cells_of(fit, fit->cells[0].team) < fit->count;
}

/* --- sets --- */

static int bits(uint32_t team)
{
    return __builtin_popcount(team);
}

/* The cell whose set differs by the fewest devices; of several, the one with the latest sample.
 * Ignores the set `except`, if that is not 0. */
static const struct yk_fit_cell *nearest(const struct yk_fit *fit, uint32_t team, uint32_t except)
{
    const struct yk_fit_cell *found = NULL;
    int i;
    for (i = 0; i < fit->count; i++) {
        const struct yk_fit_cell *cell = &fit->cells[i];
        int nearer = found ? bits(found->team ^ team) - bits(cell->team ^ team) : 1;
        if ((!except || cell->team != except) &&
            (nearer > 0 || (nearer == 0 && cell->last > found->last)))
            found = cell;
    }
    return found;
}

/* By how much each other device slows this one, as a part of its time alone; 0: unknown. Compares
 * jobs that it did alone with jobs of the set nearest to the one asked for. */
static double slowed_by_each(const struct yk_fit *fit, const struct yk_fit_asked *asked)
{
    const struct yk_fit_cell *beside = nearest(fit, asked->team, asked->self);
    struct yk_fitted alone, together;
    if (!asked->self || !beside || bits(beside->team) < 2)
        return 0;
    yk_fit_set(fit, asked->self, asked->fixed_ns, &alone);
    yk_fit_set(fit, beside->team, asked->fixed_ns, &together);
    if (!(alone.line.item_ns > 0) || !(together.line.item_ns > 0))
        return 0;
    return fmax(yk_line_ns(&together.line, beside->items) / yk_line_ns(&alone.line, beside->items) -
                    1,
                0) /
           (bits(beside->team) - 1);
}

void yk_fitted_scale(struct yk_fitted *fitted, double factor)
{
    int i;
    fitted->line.item_ns *= factor;
    fitted->line.fixed_ns *= factor;
    fitted->item_half *= factor;
    for (i = 0; i < fitted->curve.count; i++) {
        fitted->curve.pieces[i].line.item_ns *= factor;
        fitted->curve.pieces[i].line.fixed_ns *= factor;
    }
}

void yk_fit_line(const struct yk_fit *fit, const struct yk_fit_asked *asked, struct yk_fitted *out)
{
    const struct yk_fit_cell *near = nearest(fit, asked->team, 0);
    double each;
    *out = (struct yk_fitted){ .slowed = 1, .item_half = INFINITY };
    if (!near)
        return;
    yk_fit_set(fit, near->team, asked->fixed_ns, out);
    if (near->team == asked->team || !asked->team || !near->team)
        return;
    each = slowed_by_each(fit, asked);
    if (each > 0) {
        out->slowed = (1 + each * (bits(asked->team) - 1)) / (1 + each * (bits(near->team) - 1));
        yk_fitted_scale(out, out->slowed);
    }
}
