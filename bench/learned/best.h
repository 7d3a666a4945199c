/* best.h - the best fixed weight, looked for and timed in a session of its own, so that what is
 * compared with it neither learns from it nor is told by it. */
#ifndef BENCH_LEARNED_BEST_H
#define BENCH_LEARNED_BEST_H

#include "driver.h"

enum { BEST_ROUNDS_MAX = 31 };

struct best {
    struct measure_spec spec;
    struct app_session session;
    void *state;
};

/* Beside whatever sessions there are: the same application, on the same devices. */
void best_open(const struct measure_spec *spec, struct best *out);
/* In steps of 1/10, then of 1/40 around the best, each the median of so many runs. */
double best_weight(struct best *best, int rounds);
/* A run with this weight. */
double best_time(struct best *best, double weight);
void best_close(struct best *best);

#endif
