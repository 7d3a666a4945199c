/* fit.h - PURE. A device's time T(v) = a v + b, learned from jobs (papers/004, section 4): stores
 * samples in little memory, and fits a line or a curve to them.
 *
 * Samples of nearly the same size from the same set of devices form one cell with a mean (mean.h).
 * The line is fitted by least squares of relative errors, because predictions should have the same
 * relative error at any size; cells far from the line get less weight. If the samples do not show
 * the slope a, because all have one size, a is the slope that their chunks showed, and b is the
 * remaining time. Without such a slope, b is the given cost, and a follows from the remaining time.
 * A line with a <= 0 or b < 0 is refused, and so are invalid times and sizes.
 *
 * Machines change: clocks rise, other programs come and go. A device that changes becomes slower or
 * faster by the same factor with parts of all sizes. So if several samples in a row deviate in the
 * same direction, all cells are scaled towards them.
 *
 * Devices slow each other, so a sample carries the set that worked, as bits, and a line is
 * requested for a set. A set without samples gets the line of the nearest set that has some, scaled
 * by how much other devices are known to slow this one.
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
    uint32_t team;    /* devices that worked, as bits: bit d is device d; 0: unknown */
};

struct yk_fit_cell {
    double items;        /* size of its first sample */
    struct yk_mean ns;   /* time for that size, see fit.c */
    double item_ns;      /* slope of the latest sample that had one; 0: none */
    uint32_t team, last; /* last: number of its latest sample */
};

/* The latest samples in a row that deviate from their team's line in the same direction. */
struct yk_fit_missed {
    uint32_t team;
    int count;     /* number of these; < 0: they took less time */
    double factor; /* sum of the logarithms of measured / predicted */
};

/* All zero: no samples. */
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
        curve;        /* to use instead of the line if samples do not lie on it; count 0: none */
    double item_half; /* a lies within +- this with a probability of 95 %; infinite: unknown */
    double off;       /* relative deviation of samples from the line (root mean square) */
    double samples;   /* faded number of samples */
    int sizes;
    uint32_t team; /* the set whose samples these are */
    double slowed; /* factor by which the line was scaled if that is not the set asked for */
};

/* Adds a sample. Returns 0 if its size or time is invalid, otherwise 1. */
int yk_fit_add(struct yk_fit *fit, const struct yk_fit_sample *sample);
/* Multiplies the weight of all samples by `factor`. */
void yk_fit_fade(struct yk_fit *fit, double factor);
void yk_fit_line(const struct yk_fit *fit, const struct yk_fit_asked *asked, struct yk_fitted *out);
/* Scales the line and the curve to those of a device that takes `factor` times as long. */
void yk_fitted_scale(struct yk_fitted *fitted, double factor);
/* Returns 1 if there are samples of more than one set, so that lines depend on the set. */
int yk_fit_knows_sets(const struct yk_fit *fit);

/* --- fit_line.c --- */
/* Fits a line to the samples of exactly that set. */
void yk_fit_set(const struct yk_fit *fit, uint32_t team, double fixed_ns, struct yk_fitted *out);

/* --- fit_curve.c --- */
/* Fits up to four lines to cells ordered by size. Sets count 0 if that is not clearly better than
 * one line with the relative error `off`. */
void yk_fit_curve(const struct yk_fit_cell *const *cells, int count, double off,
                  struct yk_curve *out);
/* The cells first .. last - 1. */
struct yk_fit_run {
    const struct yk_fit_cell *const *cells;
    const double *weights; /* one further factor per cell for its weight; NULL: none */
    int first, last;
};
/* Fits a line to a run of cells by least squares of relative errors. Its slope and b may be
 * negative; the slope is 0 if the cells have only one size. Returns the sum of squares. */
double yk_fit_squares(const struct yk_fit_run *run, struct yk_line *out);

#endif
