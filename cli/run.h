/* run.h - between the parts of yoke run: its options, and how its answer is written. */
#ifndef YOKE_CLI_RUN_H
#define YOKE_CLI_RUN_H

#include <cjson/cJSON.h>

#include "driver.h"

enum run_option {
    RUN_SIZE,
    RUN_INPUT,
    RUN_OUTPUT,
    RUN_DEVICES,
    RUN_PARTITIONER,
    RUN_THREADS,
    RUN_WAIT,
    RUN_MEMORY,
    RUN_COLD,
    RUN_REPEAT,
    RUN_SEED,
    RUN_VERIFY,
    RUN_BASELINES,
    RUN_SWEEP,
    RUN_JSON,
    RUN_TRACE,
    RUN_QUIET,
    RUN_OPTIONS
};
extern const struct app_option run_options[]; /* in the order of enum run_option */

/* Values as given to what is to be measured; 0, or 2 after a message. */
int run_options_read(const char *const *values, struct measure_spec *out);
/* How devices were waited for: as asked, or what auto came to for the one that did most. */
const char *run_wait_name(const struct measure_spec *spec, const struct measure *measure);
extern const char *const run_wait_names[]; /* in the order of yoke_waiting, NULL-terminated */
const char *run_memory_name(enum app_memory_kind kind);
/* CPU lanes of the devices that ran. */
int run_threads(const struct measure *measure);

void run_print(const struct measure_spec *spec, const struct measure *measure);
/* The parts of it. */
void run_print_devices(const struct measure *measure);
void run_print_traffic(const yoke_traffic *traffic);
void run_print_gain(const struct measure *measure);
/* What run_write_json writes. */
cJSON *run_json(const struct measure_spec *spec, const struct measure *measure);
int run_write_json(const struct measure_spec *spec, const struct measure *measure,
                   const char *path);

#endif
