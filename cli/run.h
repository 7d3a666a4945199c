/* run.h - shared by the parts of yoke run: its options, and how its result is written. */
#ifndef YOKE_CLI_RUN_H
#define YOKE_CLI_RUN_H

#include <cjson/cJSON.h>

#include "count.h"
#include "matrix.h"

enum run_option {
    RUN_SIZE,
    RUN_SIZES,
    RUN_INPUT,
    RUN_OUTPUT,
    RUN_DEVICES,
    RUN_PARTITIONER,
    RUN_CPU_WEIGHT,
    RUN_WEIGHT_POLICY,
    RUN_THREADS,
    RUN_WAIT,
    RUN_KERNEL,
    RUN_MEMORY,
    RUN_COLD,
    RUN_REPEAT,
    RUN_SEED,
    RUN_VERIFY,
    RUN_BASELINES,
    RUN_SWEEP,
    RUN_MATRIX,
    RUN_JSON,
    RUN_PLOT,
    RUN_TRACE,
    RUN_QUIET,
    RUN_OPTIONS
};
extern const struct app_option run_options[]; /* in the order of enum run_option */

/* Converts the options' values to a measurement's spec. Returns 0, or 2 after a message. */
int run_options_read(const char *const *values, struct measure_spec *out);
/* Writes the sizes for --matrix, given by --size or --sizes, to `out`. Call it after
 * run_options_read; returns the same. */
int run_options_read_matrix(const char *const *values, struct measure_spec *spec,
                            struct matrix *out);
/* Returns how host threads waited for devices: as requested, or what auto chose for the device with
 * the largest share. */
const char *run_wait_name(const struct measure_spec *spec, const struct measure *measure);
extern const char *const run_wait_names[]; /* in the order of yoke_waiting, NULL-terminated */
const char *run_memory_name(enum app_memory_kind kind);
/* Returns the requested kind of kernel; NULL if the application has only one kernel. */
const char *run_kernel_name(const struct measure_spec *spec);
/* Returns the kind of kernel that did more of the device's items; NULL if there is only one kernel,
 * or if the device did nothing. */
const char *run_device_kernel(const struct measure_spec *spec, const struct measure_device *device);
/* Returns the number of CPU lanes of the devices that ran. */
int run_threads(const struct measure *measure);

/* "7000x7000x7000" */
const char *run_size_text(const struct app *app, const int64_t *size, char text[80]);
/* Returns what the size counts: "elements"; "element" for a single number that is 1. */
struct count_words run_size_words(const struct app *app, int64_t size);
void run_print(const struct measure_spec *spec, const struct measure *measure);
/* The parts of run_print. The first prints the prediction for the median run, if there is one. */
void run_print_prediction(const struct measure *measure);
void run_print_devices(const struct measure *measure);
void run_print_traffic(const yoke_traffic *traffic);
void run_print_gain(const struct measure *measure);
/* Returns what run_write_json writes. */
cJSON *run_json(const struct measure_spec *spec, const struct measure *measure);
/* Adds a member for the input's size. */
void run_json_size(cJSON *object, const struct app *app, const int64_t *size);
/* Adds members for everything measured, from open_seconds to regret. */
void run_json_figures(cJSON *object, const struct measure_spec *spec,
                      const struct measure *measure);
int run_write_json(const struct measure_spec *spec, const struct measure *measure,
                   const char *path);

/* Does all of yoke run APP --matrix; returns the exit status. */
int run_matrix(struct measure_spec *spec, const char *const *values);
void matrix_print(const struct measure_spec *spec, const struct matrix *matrix);
int matrix_write_json(const struct measure_spec *spec, const struct matrix *matrix,
                      const char *path);
/* Draws times and efficiency of all sets; returns the exit status. */
int matrix_plot(const struct measure_spec *spec, const struct matrix *matrix, const char *path);
/* Returns the partitioner of the first set that was measured; "" if none was. */
const char *matrix_partitioner(const struct matrix *matrix);

#endif
