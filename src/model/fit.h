/* fit.h - PURE. What jobs taught of a device's time T(v) = a v + b (papers/004, section 4): samples
 * in little memory, and the line, or the curve, that they lie on.
 *
 * Samples of nearly one size by the same set of devices are one cell with a mean (mean.h). The line
 * is fitted by least squares of relative errors, since what is asked is a time within so many per
 * cent at any size; cells that are far off are weighed down. What the samples cannot tell is taken
 * from what they bring along: where all are of one size, the slope is that of the chunks they were
 * made of, and b the rest; without one b is what was told, and a the rest. A slope that is not
 * positive, a negative b, times and sizes that are none are refused.
 *
 * Machines change: clocks rise, other programs come and go. A device that does so is as much slower
 * or faster with parts of all sizes, so where samples in a row are off to the same side all that is
 * known follows them.
 *
 * Devices slow each other, so a sample carries the set that worked, as bits, and a line is asked
 * for a set. Of one that has no samples, the line is that of the nearest that has, times what is
 * known of how much slower the device is beside others.
 */
#ifndef YK_MODEL_FIT_H
#define YK_MODEL_FIT_H

#include <stdint.h>

#include "curve.h"
#include "mean.h"

enum { YK_FIT_CELLS = 12 };

struct yk_fit_sample {
    double items, ns; /* > 0 */
    double item_ns;   /* slope, as chunks showed it; 0: unknown */
    uint32_t team;    /* devices that worked, the first one's bit is 1; 0: nobody knows */
};

struct yk_fit_cell {
    double items;        /* mean */
    struct yk_mean ns;   /* at that size, see fit.c */
    double item_ns;      /* of the latest that told; 0: none */
    uint32_t team, last; /* number of its latest sample */
};

/* Latest samples in a row that the line of their team misses on the same side. */
struct yk_fit_missed {
    uint32_t team;
    int count;     /* < 0: they took less */
    double factor; /* logarithm of by how much in all */
};

/* Zero: nothing. */
struct yk_fit {
    int count;
    uint32_t samples; /* all that ever were */
    struct yk_fit_missed missed;
    struct yk_fit_cell cells[YK_FIT_CELLS];
};

struct yk_fit_asked {
    uint32_t team;   /* that is to work */
    uint32_t self;   /* the device's own bit; 0: nothing is asked of its being slowed */
    double fixed_ns; /* b where samples do not tell it; 0: none */
};

struct yk_fitted {
    struct yk_line line; /* item_ns 0: nothing is known */
    struct yk_curve
        curve; /* where the line is wrong by more than samples differ; count 0: it is not */
    double
        item_half;  /* a lies within +- this with a probability of 95 %; infinite: cannot be told */
    double off;     /* samples differ from the line by this part of it (root of mean squares) */
    double samples; /* that count, faded */
    int sizes;
    uint32_t team; /* whose samples these are */
    double slowed; /* and the slope's factor, where it is not the one asked for */
};

/* 1 if it counts: 0 for what cannot be a sample. */
int yk_fit_add(struct yk_fit *fit, const struct yk_fit_sample *sample);
/* All samples that are there count less. */
void yk_fit_fade(struct yk_fit *fit, double factor);
void yk_fit_line(const struct yk_fit *fit, const struct yk_fit_asked *asked, struct yk_fitted *out);
/* The line, and the curve, of a device that takes so many times as long. */
void yk_fitted_scale(struct yk_fitted *fitted, double factor);
/* Samples of more than one set are there, so that lines depend on it. */
int yk_fit_knows_sets(const struct yk_fit *fit);

/* --- fit_line.c --- */
/* By the samples of just that set. */
void yk_fit_set(const struct yk_fit *fit, uint32_t team, double fixed_ns, struct yk_fitted *out);

/* --- fit_curve.c --- */
/* Cells in the order of their sizes as up to four lines that fit clearly better than one which is
 * off by `off`; count 0: none do. */
void yk_fit_curve(const struct yk_fit_cell *const *cells, int count, double off,
                  struct yk_curve *out);
/* Least squares of relative errors over cells first .. last - 1, each weighed by `weights` (NULL:
 * by its samples) too: the line, with a slope above 0 and any b; item_ns 0 if there is none. Gives
 * the sum of squares. */
double yk_fit_squares(const struct yk_fit_cell *const *cells, const double *weights, int first,
                      int last, struct yk_line *out);

#endif
