/* cost.h - PURE. What a device takes for its part of a job, and how sure that is.
 *
 * A part of v items in n chunks takes n b + v a, with a relative noise s from job to job. State are
 * a and b, their covariance, and s^2; each job is one observation, whatever its chunks were, for
 * chunks of a job share their noise. Estimates follow by a Kalman filter (h = (v, n), R = (s t)^2):
 * a device about which little is known learns much from a job, one that is known well little.
 *
 * A job that is further off than noise explains is an outlier and teaches nothing; a second one in
 * a row, on the same side, tells that the device has changed, and so does a sum of small ones
 * (CUSUM). Then what was known counts little beside the latest job.
 */
#ifndef YK_MODEL_COST_H
#define YK_MODEL_COST_H

#include <stdint.h>

struct yk_cost {
    double item_ns;                       /* a; 0: nothing is known */
    double fixed_ns;                      /* b, of a chunk beside its items */
    double item_var, fixed_var, both_var; /* covariance of the two */
    double noise2;                        /* s^2, of what a part takes */
    double above, below; /* CUSUM, standard deviations: slower, faster than foreseen */
    int outside;         /* the latest job was an outlier: 1 above, -1 below */
    uint32_t jobs;       /* that taught */
};

struct yk_cost_sample {
    double items, chunks, ns;
    double unsure_ns; /* standard deviation of what else was in ns and had to be guessed, as copies
                         of rows that stay now; 0: nothing was */
};

/* What is believed before anything was seen: a chunk costs fixed_ns. */
void yk_cost_open(struct yk_cost *cost, double fixed_ns);
/* What an earlier process saw. */
void yk_cost_recall(struct yk_cost *cost, double item_ns, double fixed_ns);
static inline int yk_cost_is_known(const struct yk_cost *cost)
{
    return cost->item_ns > 0;
}

enum yk_cost_news {
    YK_COST_NONE,    /* an outlier, or no time at all */
    YK_COST_LEARNED, /* as foreseen, more or less */
    YK_COST_CHANGED  /* the device is not what it was */
};
enum yk_cost_news yk_cost_observe(struct yk_cost *cost, const struct yk_cost_sample *sample);

/* A part of so many items, in one chunk. Infinite if nothing is known. */
double yk_cost_ns(const struct yk_cost *cost, double items);

/* Devices, by what is known before they have done anything. */
struct yk_cost_pool {
    const int *make;    /* alike and above 0: of one make */
    const double *peak; /* operations per ns; 0 or infinite: unknown */
    int count;
};
/* Devices of one make differ by no more than chance until they have shown that they do: their costs
 * move towards the make's mean by as much as that leaves room for (empirical Bayes). Equal devices
 * so have equal costs, and one that is under load keeps its own. One of which nothing is known is
 * taken for as fast as they are. Devices of different makes are likewise taken for as fast as their
 * peaks say, far less surely. */
void yk_cost_pool(struct yk_cost *costs, const struct yk_cost_pool *devices);

#endif
