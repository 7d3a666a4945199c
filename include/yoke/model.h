/* yoke/model.h - a device's time as a straight line, and the split at which all devices end
 * together (papers on automatic data partitioning: T(v) = a v + b), for programs that measure
 * devices themselves.
 *
 * What jobs teach is added to yoke's models automatically; this is the same arithmetic for other
 * measurements (docs/scheduling.md).
 */
#ifndef YOKE_MODEL_H
#define YOKE_MODEL_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement. */
typedef struct yoke_sample {
    double items, seconds; /* > 0 */
} yoke_sample;

/* A device's time for v items: fixed_seconds + v * item_seconds. */
typedef struct yoke_line {
    double item_seconds;  /* a; 0: unknown */
    double fixed_seconds; /* b */
    double item_half;     /* a is within +- this with a probability of 95 %; INFINITY: too few
                           * samples */
    double off;           /* relative deviation of the samples from the line (root of mean
                           * squares) */
} yoke_line;

/* Fits a line by least squares of relative errors. Outliers get little weight, and earlier samples
 * less than later ones, because machines change. Sizes within 1 % of each other count as one; of
 * more than 12 sizes the latest count. If all sizes are equal, b is unknown and set to 0. If the
 * samples would give a negative a or b, b is also 0. YOKE_EINVAL: a sample is invalid. */
YOKE_API yoke_status yoke_line_fit(const yoke_sample *samples, int count, yoke_line *out);

/* The mean of measured times, > 0; it is within +- *half with a probability of 95 % (INFINITY for
 * one value). Not the plain mean: a time that deviates by more than 15 % and four standard
 * deviations is an outlier, because there are many reasons for a delay. It is left out, unless the
 * next outlier agrees with it: then the values before these two are left out instead. `half` may be
 * NULL. Returns 0 if `count` is 0. */
YOKE_API double yoke_mean(const double *values, int count, double *half);

/* Items for each line such that all end as early as possible; some may get none. *seconds is the
 * time until the last one ends. `parts` may be NULL. YOKE_EINVAL: no line is known, or one is
 * invalid. */
YOKE_API yoke_status yoke_line_split(const yoke_line *lines, int count, int64_t items,
                                     int64_t *parts, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
