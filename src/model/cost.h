/* cost.h - PURE. The time that a device takes for its part of a job, and how certain that is.
 *
 * A part of v items in n chunks takes n b + v a, with a relative noise s from job to job. The state
 * is a and b, their covariance, and s^2. Each job is one observation, however many chunks it had,
 * because chunks of a job share their noise. A Kalman filter updates the estimates (h = (v, n), R =
 * (s t)^2): a job changes an uncertain estimate much, and a certain one little.
 *
 * A job whose deviation exceeds the noise is an outlier and teaches nothing. A third one in a
 * row, on the same side, means that the device has changed, and so does a sum of small deviations
 * (CUSUM). Then earlier knowledge counts little compared with the latest job.
 */
#ifndef YK_MODEL_COST_H
#define YK_MODEL_COST_H

#include <stdint.h>

struct yk_cost {
    double item_ns;                       /* a; 0: unknown */
    double fixed_ns;                      /* b, the overhead of a chunk */
    double item_var, fixed_var, both_var; /* covariance of the two */
    double noise2;                        /* s^2, relative to the time of a part */
    double above, below; /* CUSUM in standard deviations: slower, faster than predicted */
    int outside;         /* the latest outliers in a row: their number, negative: below */
    uint32_t jobs;       /* number of jobs that taught */
};

struct yk_cost_sample {
    double items, chunks, ns;
    double unsure_ns; /* standard deviation of other time in ns that had to be guessed, like
                       * copies of rows that stay from now on; 0: none */
};

/* The part of an estimate that outlives the process. */
struct yk_kept_cost {
    double item_ns, fixed_ns; /* item_ns 0: unknown */
    double error;             /* standard error of the two, as a part of them */
    double noise;             /* from job to job, as a part of the time */
};

/* The state before the first job: a chunk costs fixed_ns. */
void yk_cost_open(struct yk_cost *cost, double fixed_ns);
/* Sets item_ns 0 if nothing is known. */
void yk_cost_keep(const struct yk_cost *cost, struct yk_kept_cost *out);
/* The state from an earlier process: a little less certain than it was there, because the machine
 * may have changed since. Unknown if the figures are impossible. */
void yk_cost_recall(struct yk_cost *cost, const struct yk_kept_cost *kept);
/* A difference of times counts if it exceeds this number of its standard errors. */
#define YK_SURE 1.0

static inline int yk_cost_is_known(const struct yk_cost *cost)
{
    return cost->item_ns > 0;
}

enum yk_cost_news {
    YK_COST_NONE,    /* an outlier, or no time at all */
    YK_COST_LEARNED, /* about as predicted */
    YK_COST_CHANGED  /* the device has changed */
};
enum yk_cost_news yk_cost_observe(struct yk_cost *cost, const struct yk_cost_sample *sample);

/* Time of a part of `items` items, in one chunk. Infinite if unknown. */
double yk_cost_ns(const struct yk_cost *cost, double items);

/* Devices, with what is known before they have done anything. */
struct yk_cost_pool {
    const int *make;    /* equal numbers above 0: devices of one make */
    const double *peak; /* operations per ns; 0 or infinite: unknown */
    const double *told; /* overhead of a chunk as far as is known without a job, ns */
    int count;
};
/* Devices of one make are assumed to differ only by chance until their times show more: their costs
 * move towards the make's mean as far as the uncertainty allows (empirical Bayes). So equal devices
 * get equal costs, and one that is under load keeps its own. An unknown device is assumed to be as
 * fast as the others of its make. In the same way devices of different makes are assumed to be as
 * fast as their peaks say, with much less certainty. */
void yk_cost_pool(struct yk_cost *costs, const struct yk_cost_pool *devices);

#endif
