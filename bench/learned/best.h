/* best.h - finds and times the best fixed weight in a session of its own. So the session that is
 * compared neither learns from it nor teaches it. */
#ifndef BENCH_LEARNED_BEST_H
#define BENCH_LEARNED_BEST_H

#include "driver.h"

enum { BEST_ROUNDS_MAX = 31 };

struct best {
    struct measure_spec spec;
    struct app_session session;
    void *state;
};

/* Opens a session with the same application on the same devices, beside other sessions. */
void best_open(const struct measure_spec *spec, struct best *out);
/* Searches weights in steps of 1/10, then of 1/40 around the best. Each is judged by the median of
 * `rounds` runs. */
double best_weight(struct best *best, int rounds);
/* Seconds of a run with this weight. */
double best_time(struct best *best, double weight);
void best_close(struct best *best);

#endif
