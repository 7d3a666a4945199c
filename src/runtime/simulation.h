/* simulation.h - the runs of one simulation, one after the other: of a job (simulation_job.c), or
 * of a step (simulation_steps.c). simulation.c makes the runs and collects their results.
 */
#ifndef YK_RUNTIME_SIMULATION_H
#define YK_RUNTIME_SIMULATION_H

#include <yoke/array.h>
#include <yoke/simulate.h>

#include "../simulator/simulate.h"
#include "../simulator/step.h"

struct yk_series;

struct yk_series_kind {
    /* Called before the first run. only: -1: with all devices; 0: the cores; 1 + g: GPU g. `close`
     * is called in any case. */
    yoke_status (*open)(struct yk_series *series, int only);
    /* Makes run `number`, from 0. Learns from *result, the previous run's (none for run 0), closes
     * it, and sets *result to its own. After an error *result is closed. */
    yoke_status (*run)(struct yk_series *series, int number, struct yk_simulate_result *result);
    /* Writes the timeline, if one was asked for; `last` is the last run's result. */
    yoke_status (*write)(struct yk_series *series, const struct yk_simulate_result *last);
    void (*close)(struct yk_series *series);
};
extern const struct yk_series_kind yk_series_of_jobs, yk_series_of_steps;

struct yk_series {
    const yoke_simulation *asked;
    const struct yk_series_kind *kind;
    struct yk_machine *machine;
    int64_t seed;         /* of the first run */
    yoke_traffic traffic; /* of the last run */
    /* runs of a job */
    struct yk_profile profile;
    struct yk_simulate_spec spec;
    struct yk_learned *learned; /* what was learned about each device */
    struct yk_team team;        /* what was learned about teams */
    struct yk_adjust adjust;    /* adjustments of shares */
    /* runs of a step */
    struct yk_step step;
    struct yk_simulated_program *program;
};

/* simulation_timeline.c: repeats the last run of a job, and writes its timeline. */
yoke_status yk_series_write_timeline(struct yk_series *series,
                                     const struct yk_simulate_result *last);

#endif
