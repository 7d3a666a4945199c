/* fit_curve.c - see fit.h: fits up to four lines to samples that do not lie on one.
 *
 * The cells of each piece are found by exhaustive search over all ways to cut the cells into runs
 * of at least two neighbours, and the number of pieces starts at one: each further piece must make
 * the sum of squares several times smaller.
 */
#include <math.h>
#include <stddef.h>

#include "fit.h"

/* With relative errors below this, no further piece is tried. */
#define GOOD 0.01
/* A further piece must make the sum of squares this many times smaller. */
#define BETTER 4.0
/* Least slope of a piece, as a part of time / items at its middle. A device that works in steps
 * takes the same time for all sizes within a step, but the number of items done by a time must be
 * unique. */
#define FLATTEST 1e-3
enum { CELLS_LEAST = 2 };

static double weight_of(const struct yk_fit_run *run, int i)
{
    const struct yk_fit_cell *cell = run->cells[i];
    return (run->weights ? run->weights[i] : 1) * cell->ns.weight / (cell->ns.mean * cell->ns.mean);
}

double yk_fit_squares(const struct yk_fit_run *run, struct yk_line *out)
{
    const struct yk_fit_cell *const *cells = run->cells;
    double all = 0, items = 0, ns = 0, cross = 0, spread = 0, squares = 0;
    int i;
    for (i = run->first; i < run->last; i++) {
        const double weight = weight_of(run, i);
        all += weight;
        items += weight * cells[i]->items;
        ns += weight * cells[i]->ns.mean;
    }
    items /= all;
    ns /= all;
    for (i = run->first; i < run->last; i++) {
        const double off = cells[i]->items - items, weight = weight_of(run, i);
        spread += weight * off * off;
        cross += weight * off * (cells[i]->ns.mean - ns);
    }
    out->item_ns = spread > 0 ? cross / spread : 0;
    out->fixed_ns = ns - out->item_ns * items;
    for (i = run->first; i < run->last; i++) {
        const double error = yk_line_ns(out, cells[i]->items) - cells[i]->ns.mean;
        squares += weight_of(run, i) * error * error;
    }
    return squares;
}

struct cut {
    double squares;
    int begin; /* first cell of the last piece */
};
struct cuts {
    const struct yk_fit_cell *const *cells;
    int count;
    struct cut at[YK_CURVE_PIECES]
                 [YK_FIT_CELLS + 1]; /* [p][n]: the first n cells in p + 1 pieces */
};

/* Fits a piece to the cells first .. last - 1, with a slope not below the limit of FLATTEST.
 * Returns the sum of squares without that limit. */
static double piece(const struct yk_fit_cell *const *cells, int first, int last,
                    struct yk_line *out)
{
    double squares = yk_fit_squares(&(struct yk_fit_run){ cells, NULL, first, last }, out);
    const struct yk_fit_cell *middle = cells[(first + last - 1) / 2];
    const double least = FLATTEST * middle->ns.mean / middle->items;
    if (out->item_ns < least) {
        out->fixed_ns += (out->item_ns - least) * middle->items;
        out->item_ns = least;
    }
    return squares;
}

static void cut_all(struct cuts *cuts)
{
    const struct yk_fit_cell *const *cells = cuts->cells;
    struct yk_line line;
    int pieces, last, begin;
    for (pieces = 0; pieces < YK_CURVE_PIECES; pieces++)
        for (last = 0; last <= cuts->count; last++) {
            struct cut *cut = &cuts->at[pieces][last];
            *cut = (struct cut){ INFINITY, 0 };
            if (pieces == 0 && last >= CELLS_LEAST)
                cut->squares = piece(cells, 0, last, &line);
            for (begin = CELLS_LEAST; pieces > 0 && begin + CELLS_LEAST <= last; begin++) {
                double squares =
                    cuts->at[pieces - 1][begin].squares + piece(cells, begin, last, &line);
                if (squares < cut->squares)
                    *cut = (struct cut){ squares, begin };
            }
        }
}

/* The size at which the two lines meet, if it is between `from` and `to`; otherwise their
 * middle. */
static double border(const struct yk_line *low, const struct yk_line *high, double from, double to)
{
    double meet = (low->fixed_ns - high->fixed_ns) / (high->item_ns - low->item_ns);
    return meet > from && meet < to ? meet : (from + to) / 2;
}

static void lay_out(const struct cuts *cuts, int pieces, struct yk_curve *out)
{
    const struct yk_fit_cell *const *cells = cuts->cells;
    int last = cuts->count, p;
    out->count = pieces + 1;
    for (p = pieces; p >= 0; p--) {
        const int begin = cuts->at[p][last].begin;
        piece(cells, begin, last, &out->pieces[p].line);
        out->pieces[p].from = begin;
        last = begin;
    }
    for (p = 1; p <= pieces; p++) {
        const int begin = (int)out->pieces[p].from;
        out->pieces[p].from = border(&out->pieces[p - 1].line, &out->pieces[p].line,
                                     cells[begin - 1]->items, cells[begin]->items);
    }
    out->pieces[0].from = 0;
    if (out->pieces[0].line.fixed_ns < 0)
        out->pieces[0].line = (struct yk_line){ cells[0]->ns.mean / cells[0]->items, 0 };
}

void yk_fit_curve(const struct yk_fit_cell *const *cells, int count, double off,
                  struct yk_curve *out)
{
    struct cuts cuts = { .cells = cells, .count = count };
    double weight = 0;
    int i, p, best = 0;
    *out = (struct yk_curve){ 0 };
    for (i = 0; i < count; i++)
        weight += cells[i]->ns.weight;
    cut_all(&cuts);
    for (p = 1; p < YK_CURVE_PIECES && cuts.at[best][count].squares > GOOD * GOOD * weight; p++)
        if (BETTER * cuts.at[p][count].squares < cuts.at[best][count].squares)
            best = p;
    if (best > 0 && cuts.at[best][count].squares < off * off * weight)
        lay_out(&cuts, best, out);
}
