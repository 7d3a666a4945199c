/* sim_answer.c - the output of yoke sim: a simulation presented like a measurement of yoke run, and
 * what only a simulation knows.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "run.h"
#include "sim.h"
#include "table.h"

/* The structs from which yoke run's output is printed. */
struct view {
    struct app app;
    struct measure_spec spec;
    struct measure measure;
};

enum { devices_shown = 48 };

static void fill_device(const yoke_simulated_device *from, int cores, struct measure_device *out)
{
    snprintf(out->name, sizeof out->name, "%s", from->name);
    snprintf(out->backend, sizeof out->backend, "sim");
    if (cores)
        snprintf(out->model, sizeof out->model, "%d core%s, %d thread%s", cores,
                 cores == 1 ? "" : "s", from->lanes, from->lanes == 1 ? "" : "s");
    else
        snprintf(out->model, sizeof out->model, "%d lane%s", from->lanes,
                 from->lanes == 1 ? "" : "s");
    snprintf(out->reason, sizeof out->reason, "%s", from->reason);
    out->lanes = from->lanes;
    out->items = out->rows = from->items;
    out->share = from->share;
    out->busy_seconds = from->busy_seconds;
    out->chunks = from->chunks;
    out->alone_seconds = from->alone_seconds;
    out->oracle_share = NAN;
}

static double best_alone(const yoke_simulated *simulated)
{
    double best = INFINITY;
    for (int d = 0; d < simulated->device_count; d++)
        best = fmin(best, simulated->devices[d].alone_seconds);
    return isfinite(best) ? best : NAN;
}

/* Returns how many runs the median leaves out: the first run; of steps, the first half, in which
 * arrays are uploaded and devices are tried. */
static int runs_before(const struct sim_spec *spec, const yoke_simulated *simulated)
{
    return spec->simulation.step ? simulated->run_count / 2 : simulated->run_count > 1;
}

/* Returns 0 if there is no memory. Otherwise close the view with close_view. */
static int open_view(const struct sim_spec *from, const yoke_simulated *simulated,
                     struct view *view)
{
    struct measure *measure = &view->measure;
    const int further = runs_before(from, simulated);
    *view = (struct view){ .app = { .name = from->app, .size_words = "items", .size_count = 1 } };
    view->spec.app = &view->app;
    view->spec.input.size[0] = from->simulation.items;
    view->spec.input.seed = (uint64_t)simulated->seed;
    view->spec.config.waiting = from->simulation.waiting;
    measure->verified = -1;
    measure->open_seconds = measure->oracle_seconds = measure->regret = NAN;
    measure->whole_seconds = measure->work = NAN;
    measure->predicted_seconds =
        simulated->predicted_seconds > 0 ? simulated->predicted_seconds : NAN;
    measure->first_seconds = simulated->runs[0];
    measure->run_count = simulated->run_count - further;
    measure->devices = calloc((size_t)simulated->device_count, sizeof *measure->devices);
    measure->runs = calloc((size_t)measure->run_count, sizeof *measure->runs);
    if (!measure->devices || !measure->runs) {
        free(measure->devices);
        free(measure->runs);
        return 0;
    }
    memcpy(measure->runs, simulated->runs + further,
           (size_t)measure->run_count * sizeof *measure->runs);
    measure->seconds = app_median(measure->runs, measure->run_count);
    snprintf(measure->partitioner, sizeof measure->partitioner, "%s", simulated->partitioner);
    measure->traffic.to_devices = simulated->to_devices;
    measure->traffic.from_devices = simulated->from_devices;
    measure->traffic.between_devices = simulated->between_devices;
    measure->device_count = simulated->device_count;
    for (int d = 0; d < simulated->device_count; d++)
        fill_device(&simulated->devices[d], d == 0 ? simulated->cores : 0, &measure->devices[d]);
    measure->ideal_seconds = simulated->ideal_seconds;
    measure->efficiency = simulated->ideal_seconds / measure->seconds;
    measure->gain = best_alone(simulated) / measure->seconds;
    return 1;
}

static void close_view(struct view *view)
{
    free(view->measure.runs);
    free(view->measure.devices);
}

static void print_head(const struct view *view, const struct sim_spec *spec)
{
    char first[32], median[32];
    const struct measure *measure = &view->measure;
    const char *run = spec->simulation.step ? "step" : "run";
    printf("%s, %s, %s, simulated on %s\n", spec->app,
           count_words(spec->simulation.items, "items").text, measure->partitioner,
           spec->simulation.machine);
    printf("%s the first %s", table_seconds(measure->first_seconds, first), run);
    if (spec->simulation.runs > 1)
        printf(", %s the median of %d %s%s after it", table_seconds(measure->seconds, median),
               measure->run_count, run, measure->run_count == 1 ? "" : "s");
    putchar('\n');
    run_print_prediction(measure);
    putchar('\n');
}

/* Prints the time of all steps together, with the first upload and the trials of devices. */
static void print_all_steps(const yoke_simulated *simulated)
{
    char text[32];
    double all = 0;
    for (int run = 0; run < simulated->run_count; run++)
        all += simulated->runs[run];
    printf("all %d steps: %s\n", simulated->run_count, table_seconds(all, text));
}

static void print_threads(const yoke_simulated *simulated)
{
    double all = simulated->core_seconds + simulated->lost_seconds;
    if (!(all > 0))
        return;
    printf("cores: %.1f %% useful work, %.1f %% spinning; chunks: %" PRId64
           ", calls of the dispatcher: %" PRId64 "\n",
           100 * simulated->core_seconds / all, 100 * simulated->spin_seconds / all,
           simulated->chunks, simulated->decisions);
}

void sim_print(const struct sim_spec *spec, const yoke_simulated *simulated)
{
    struct view view;
    char ideal[32];
    if (!open_view(spec, simulated, &view)) {
        command_failed("no memory for the table");
        return;
    }
    print_head(&view, spec);
    int left_out = view.measure.device_count - devices_shown;
    if (left_out > 0)
        view.measure.device_count = devices_shown;
    run_print_devices(&view.measure);
    if (left_out > 0)
        printf("and %d more devices; --json tells of all\n\n", left_out);
    view.measure.device_count = simulated->device_count;
    run_print_traffic(&view.measure.traffic);
    if (spec->simulation.step)
        print_all_steps(simulated);
    print_threads(simulated);
    if (isfinite(view.measure.gain))
        run_print_gain(&view.measure);
    else
        printf("ideal %s, efficiency %.3f\n", table_seconds(simulated->ideal_seconds, ideal),
               view.measure.efficiency);
    if (spec->simulation.trace)
        printf("timeline: %s\n", spec->simulation.trace);
    close_view(&view);
}

static cJSON *machine_json(const struct sim_spec *spec, const yoke_simulated *simulated)
{
    cJSON *machine = cJSON_CreateObject();
    json_text(machine, "processor", spec->simulation.machine);
    json_integer(machine, "cores", simulated->cores);
    json_text(machine, "quota_cores", NULL);
    json_text(machine, "memory_bytes", NULL);
    return machine;
}

int sim_write_json(const struct sim_spec *spec, const yoke_simulated *simulated, const char *path)
{
    struct view view;
    if (!open_view(spec, simulated, &view))
        return command_failed("no memory for the JSON text");
    cJSON *top = run_json(&view.spec, &view.measure);
    cJSON_ReplaceItemInObject(top, "machine", machine_json(spec, simulated));
    cJSON_ReplaceItemInObject(top, "threads", cJSON_CreateNumber(simulated->threads));
    cJSON_ReplaceItemInObject(top, "memory", cJSON_CreateNull());
    cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(top, "devices"))
        cJSON_ReplaceItemInObject(device, "wait", cJSON_CreateNull());
    cJSON *own = cJSON_AddObjectToObject(top, "simulation");
    if (spec->simulation.step)
        cJSON_AddItemToObject(own, "steps",
                              cJSON_CreateDoubleArray(simulated->runs, simulated->run_count));
    json_integer(own, "chunks", simulated->chunks);
    json_integer(own, "decisions", simulated->decisions);
    json_number(own, "core_seconds", simulated->core_seconds);
    json_number(own, "spin_seconds", simulated->spin_seconds);
    json_number(own, "lost_seconds", simulated->lost_seconds);
    close_view(&view);
    return json_write(top, path);
}
