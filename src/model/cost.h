/* cost.h - PURE. The time that a device takes for its part of a job, and how certain that is.
 *
 * A part of v items in n chunks takes t = v a + n b: a is the time of an item, b the overhead of a
 * chunk. The relative noise from job to job is s. The state is a and b, their covariance, and s^2.
 * Each job is one observation, however many chunks it had, because its chunks share their noise. A
 * Kalman filter updates the estimates (h = (v, n), R = (s t)^2): a job changes an uncertain
 * estimate much, and a certain one little.
 *
 * A job that deviates by much more than the noise is an outlier and changes no estimate. Three
 * slower outliers in a row mean that the device has changed, and two faster ones, because
 * disturbances only make jobs slower. After a change the latest job counts much more than earlier
 * ones. Smaller changes need no detector: old jobs count less and less.
 */
#ifndef YK_MODEL_COST_H
#define YK_MODEL_COST_H

#include <stdint.h>

struct yk_cost {
    double item_ns;                       /* a; 0: unknown */
    double fixed_ns;                      /* b, the overhead of a chunk */
    double item_var, fixed_var, both_var; /* variances of a and b, and their covariance */
    double noise2;                        /* s^2, relative to the time of a part */
    int outside;   /* number of the latest outliers in a row; < 0: they were faster */
    uint32_t jobs; /* number of jobs that were no outliers */
};

struct yk_cost_sample {
    double items, chunks, ns;
    double unsure_ns; /* standard deviation of a guess that `ns` contains, like the wait for rows
                       * that was subtracted; 0: it contains none */
};

/* The part of an estimate that outlives the process. */
struct yk_kept_cost {
    double item_ns, fixed_ns; /* item_ns 0: unknown */
    double error;             /* standard error of each, as a fraction of it */
    double noise;             /* s, as a fraction of the time */
};

/* The state before the first job: a chunk costs fixed_ns. */
void yk_cost_open(struct yk_cost *cost, double fixed_ns);
/* Copies what outlives the process to *out; item_ns is 0 if nothing is known. */
void yk_cost_keep(const struct yk_cost *cost, struct yk_kept_cost *out);
/* Restores the state from an earlier process, a little less certain than it was there, because the
 * machine may have changed since. The cost is unknown if the figures are impossible. */
void yk_cost_recall(struct yk_cost *cost, const struct yk_kept_cost *kept);
/* Least weight of the latest sample in a mean, so that earlier ones fade: in s^2, and in the speed
 * of a device while a job runs (partition/speed.h). */
#define YK_LATEST 0.1
/* A deviation of more standard deviations than this is no noise: the job is an outlier, or one of
 * two teams or kernels is the faster one. */
#define YK_CLEAR 3.0

/* Returns how much of a device's time for its part of a job, busy_ns, may be the cold start of
 * code, caches, threads and drivers, or the wait for a core that others used: in its first job all
 * of it, in each later one a fraction of what it was in the job before (before_ns; 0: there was
 * none). If the times of small first parts were taken as certain, a GPU could seem to be slower
 * than cores for as long as nothing else shows its speed. */
double yk_cold_ns(double before_ns, double busy_ns);

static inline int yk_cost_is_known(const struct yk_cost *cost)
{
    return cost->item_ns > 0;
}

enum yk_cost_news {
    YK_COST_NONE,    /* nothing was learned: an outlier, or a sample without items or time */
    YK_COST_LEARNED, /* the time was about as predicted, or it is the first one */
    YK_COST_CHANGED  /* the device has changed */
};
enum yk_cost_news yk_cost_observe(struct yk_cost *cost, const struct yk_cost_sample *sample);

/* Time of a part of `items` items in one chunk; infinite if the cost is unknown. */
double yk_cost_ns(const struct yk_cost *cost, double items);

/* Returns 1 if a device's theoretical peak is known: 0 and infinity mean that it is not. */
int yk_peak_is_known(double peak);

/* Devices, and what is known of them before their first job. */
struct yk_cost_pool {
    const int *make;    /* equal numbers above 0: devices of one make */
    const double *peak; /* operations per ns; 0 or infinite: unknown */
    const double *told; /* overhead of a chunk as estimated before the first job, ns */
    int count;
};
/* Devices of one make are assumed to be equal until their times show a difference: each cost moves
 * towards the make's mean, the further the less certain it is (empirical Bayes). So equal devices
 * get equal costs, and a device that another program slows keeps its own. A device without a job is
 * assumed to be as fast as the others of its make. Between makes, costs move in the same way, but
 * much less, towards what the devices' peaks predict. */
void yk_cost_pool(struct yk_cost *costs, const struct yk_cost_pool *devices);

#endif
