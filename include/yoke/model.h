/* yoke/model.h - a device's time as a straight line, and the split at which all end together
 * (papers on automatic data partitioning: T(v) = a v + b), for whoever measures devices himself.
 *
 * What jobs teach goes into models by itself; this is the same arithmetic for figures from
 * elsewhere.
 */
#ifndef YOKE_MODEL_H
#define YOKE_MODEL_H

#include <stdint.h>
#include <yoke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yoke_sample {
    double items, seconds; /* > 0 */
} yoke_sample;

typedef struct yoke_line {
    double item_seconds;  /* a; 0: nothing is known */
    double fixed_seconds; /* b */
    double item_half;     /* a lies within +- this with a probability of 95 %; INFINITY: too few
                             samples to tell */
    double off;           /* samples differ from it by this part (root of mean squares) */
} yoke_line;

/* By least squares of relative errors, with little weight for what is far off, and less for earlier
 * samples than for later ones, as machines change. Sizes within 1 % of each other are one; of more
 * than 12 sizes the latest count. Equal sizes say nothing of b, which is 0 then; a negative slope
 * is none: all the time is the items' then. YOKE_EINVAL: a sample is none. */
YOKE_API yoke_status yoke_line_fit(const yoke_sample *samples, int count, yoke_line *out);

/* The mean of measured times, > 0; it lies within +- *half with a probability of 95 % (INFINITY for
 * one). Not the plain mean: a time that is far off, by 15 % and by four standard deviations, is
 * doubted for the many reasons there are to be late, and left out until the next one that is far
 * off says the same; then those before them are. `half` may be NULL. 0 of no values. */
YOKE_API double yoke_mean(const double *values, int count, double *half);

/* Items for each line such that all end as early as can be; some may get none. Gives the seconds
 * until then. `parts` may be NULL. YOKE_EINVAL: no line is known, or one is none. */
YOKE_API yoke_status yoke_line_split(const yoke_line *lines, int count, int64_t items,
                                     int64_t *parts, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
