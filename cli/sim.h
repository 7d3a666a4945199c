/* sim.h - shared by the parts of yoke sim: its options, recorded costs, and its output. */
#ifndef YOKE_CLI_SIM_H
#define YOKE_CLI_SIM_H

#include <yoke/simulate.h>

#include "args.h"

enum sim_option {
    SIM_SIZE,
    SIM_WORK,
    SIM_BYTES,
    SIM_UNIT,
    SIM_PARTITIONER,
    SIM_THREADS,
    SIM_WAIT,
    SIM_REPEAT,
    SIM_SEED,
    SIM_BASELINES,
    SIM_JSON,
    SIM_TRACE,
    SIM_QUIET,
    SIM_OPTIONS
};
extern const struct app_option sim_options[]; /* in the order of enum sim_option */

/* What to simulate, as requested. */
struct sim_spec {
    const char *app; /* the profile as the user wrote it */
    yoke_simulation simulation;
    char profile[128]; /* simulation.profile points to it */
    double *costs;     /* recorded; freed by sim_spec_close */
};
/* Returns 0, or the exit status after a message. Close `out` in either case. */
int sim_spec_read(const char *const *words, const char *const *values, struct sim_spec *out);
void sim_spec_close(struct sim_spec *spec);

/* What a timeline of yoke run says about a kernel's items. */
struct sim_recording {
    double *costs; /* mean cost of an item, in any unit, in each of `count` stretches of equal
                    * length; malloc'ed */
    int64_t count, items;
    double core_seconds; /* time of an average item on a core; 0: no core took part */
};
/* Returns 0, or 1 after a message that names the file. */
int sim_recording_read(const char *path, struct sim_recording *out);

void sim_print(const struct sim_spec *spec, const yoke_simulated *simulated);
/* Returns the exit status. */
int sim_write_json(const struct sim_spec *spec, const yoke_simulated *simulated, const char *path);

#endif
