/* fit.h - PURE. A device's time T(v) = a v + b, learned from jobs (papers/004, section 4): samples
 * in little memory, and the line, or the curve, on which they lie.
 *
 * Samples of nearly one size by the same set of devices are one cell with a mean (mean.h). The line
 * is fitted by least squares of relative errors, because predictions should be right within a
 * percentage at any size; cells that are far off get less weight. If the samples do not show the
 * slope, other data replace it. If all are of one size, the slope is that of their chunks, and b is
 * the rest; without such a slope b is the given cost, and a is the rest. A slope that is not
 * positive, a negative b, and invalid times and sizes are refused.
 *
 * Machines change: clocks rise, other programs come and go. A device that changes becomes slower or
 * faster by the same factor with parts of all sizes. So if several samples in a row deviate in the
 * same direction, all cells are scaled towards them.
 *
 * Devices slow each other, so a sample carries the set that worked, as bits, and a line is
 * requested for a set. A set without samples gets the line of the nearest set that has some, times
 * the known slow-down of the device beside others.
 */
#ifndef YK_MODEL_FIT_H
#define YK_MODEL_FIT_H

#include <stdint.h>

#include "curve.h"
#include "mean.h"

enum { YK_FIT_CELLS = 12 };

struct yk_fit_sample {
    double items, ns; /* > 0 */
    double item_ns;   /* slope from its chunks; 0: unknown */
    uint32_t team;    /* devices that worked, the first one's bit is 1; 0: unknown */
};

struct yk_fit_cell {
    double items;        /* mean */
    struct yk_mean ns;   /* at that size, see fit.c */
    double item_ns;      /* slope of the latest sample that had one; 0: none */
    uint32_t team, last; /* last: number of its latest sample */
};

/* Latest samples in a row that are off their team's line to the same side. */
struct yk_fit_missed {
    uint32_t team;
    int count;     /* < 0: they took less time */
    double factor; /* sum of the logarithms of measured / predicted */
};

/* Zero: nothing. */
struct yk_fit {
    int count;
    uint32_t samples; /* number of all samples so far */
    struct yk_fit_missed missed;
    struct yk_fit_cell cells[YK_FIT_CELLS];
};

struct yk_fit_asked {
    uint32_t team;   /* the set that will work */
    uint32_t self;   /* the device's own bit; 0: ignore how others slow it */
    double fixed_ns; /* b if the samples do not show it; 0: none */
};

struct yk_fitted {
    struct yk_line line; /* item_ns 0: unknown */
    struct yk_curve
        curve;        /* if the line is off by more than samples differ; count 0: the line holds */
    double item_half; /* a lies within +- this with a probability of 95 %; infinite: unknown */
    double off;       /* relative deviation of samples from the line (root mean square) */
    double samples;   /* faded number of samples */
    int sizes;
    uint32_t team; /* the set whose samples these are */
    double slowed; /* factor of the slope, if that set is not the one asked for */
};

/* 1 if it counts; 0 if it is invalid. */
int yk_fit_add(struct yk_fit *fit, const struct yk_fit_sample *sample);
/* Reduces the weight of all samples. */
void yk_fit_fade(struct yk_fit *fit, double factor);
void yk_fit_line(const struct yk_fit *fit, const struct yk_fit_asked *asked, struct yk_fitted *out);
/* Scales the line and the curve to those of a device that takes `factor` times as long. */
void yk_fitted_scale(struct yk_fitted *fitted, double factor);
/* 1: there are samples of more than one set, so lines depend on the set. */
int yk_fit_knows_sets(const struct yk_fit *fit);

/* --- fit_line.c --- */
/* From the samples of exactly that set. */
void yk_fit_set(const struct yk_fit *fit, uint32_t team, double fixed_ns, struct yk_fitted *out);

/* --- fit_curve.c --- */
/* Fits up to four lines to the cells, ordered by size, if that is clearly better than a line with
 * the relative error `off`; count 0: it is not. */
void yk_fit_curve(const struct yk_fit_cell *const *cells, int count, double off,
                  struct yk_curve *out);
/* Cells first .. last - 1. */
struct yk_fit_run {
    const struct yk_fit_cell *const *cells;
    const double *weights; /* one per cell, beside the weight of its samples; NULL: none */
    int first, last;
};
/* Least squares of relative errors over a run of cells. Writes the line, with a slope above 0 and
 * any b; item_ns 0 if there is none. Returns the sum of squares. */
double yk_fit_squares(const struct yk_fit_run *run, struct yk_line *out);

#endif
