/* run_json.c - the result of yoke run for programs. Every field is always present; null: not
 * measured.
 */
#include <math.h>

#include "json.h"
#include "run.h"

void run_json_size(cJSON *object, const struct app *app, const int64_t *size)
{
    if (app->size_count == 1) {
        json_integer(object, "size", size[0]);
        return;
    }
    cJSON *array = cJSON_AddArrayToObject(object, "size");
    for (int i = 0; i < app->size_count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)size[i]));
}

/* `count` numbers, `apart` elements apart. */
struct each {
    int count, apart;
};

/* One number per run; null if it is missing. */
static void add_each(cJSON *object, const char *name, const double *numbers, struct each each)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < each.count; i++) {
        const double number = numbers ? numbers[i * each.apart] : 0;
        cJSON_AddItemToArray(array, number > 0 && isfinite(number) ? cJSON_CreateNumber(number)
                                                                   : cJSON_CreateNull());
    }
}

static void add_times(cJSON *top, const struct measure *measure)
{
    json_number(top, "open_seconds", measure->open_seconds);
    json_number(top, "first_seconds", measure->first_seconds);
    cJSON *runs = cJSON_AddArrayToObject(top, "runs");
    for (int i = 0; i < measure->run_count; i++)
        cJSON_AddItemToArray(runs, cJSON_CreateNumber(measure->runs[i]));
    json_number(top, "seconds", measure->seconds);
    json_number(top, "predicted_seconds", measure->predicted_seconds);
    add_each(top, "predictions", measure->predictions, (struct each){ measure->run_count, 1 });
    json_number(top, "whole_seconds", measure->whole_seconds);
    json_number(top, "work", measure->work);
    if (measure->verified < 0)
        cJSON_AddNullToObject(top, "verified");
    else
        cJSON_AddBoolToObject(top, "verified", measure->verified);
}

static void add_bytes(cJSON *top, const yoke_traffic *traffic)
{
    cJSON *bytes = cJSON_AddObjectToObject(top, "bytes");
    json_integer(bytes, "to_devices", traffic->to_devices);
    json_integer(bytes, "from_devices", traffic->from_devices);
    json_integer(bytes, "between_devices", traffic->between_devices);
}

static double known(double figure)
{
    return figure > 0 ? figure : NAN;
}

static void add_model(cJSON *one, const yoke_model_result *line)
{
    cJSON *model = cJSON_AddObjectToObject(one, "model");
    json_number(model, "item_seconds", known(line->item_seconds));
    json_number(model, "fixed_seconds", line->item_seconds > 0 ? line->fixed_seconds : NAN);
    json_number(model, "chunk_items", known(line->chunk_items));
    json_number(model, "link_bytes_per_second", known(line->link_bytes_per_second));
    json_number(model, "without_seconds", known(line->without_seconds));
}

static void add_devices(cJSON *top, const struct measure_spec *spec, const struct measure *measure)
{
    cJSON *devices = cJSON_AddArrayToObject(top, "devices");
    for (int d = 0; d < measure->device_count; d++) {
        const struct measure_device *device = &measure->devices[d];
        cJSON *one = cJSON_CreateObject();
        json_text(one, "name", device->name);
        json_text(one, "backend", device->backend);
        json_integer(one, "rows", device->rows);
        json_number(one, "share", device->share);
        json_number(one, "busy_seconds", device->busy_seconds);
        json_integer(one, "chunks", device->chunks);
        json_number(one, "alone_seconds", device->alone_seconds);
        json_number(one, "ended_seconds", known(device->line.ended_seconds));
        add_each(one, "ends", measure->ends ? measure->ends + d : NULL,
                 (struct each){ measure->run_count, measure->device_count });
        add_model(one, &device->line);
        json_text(one, "kernel", run_device_kernel(spec, device));
        json_text(one, "kernel_reason", *device->kernel ? device->kernel : NULL);
        json_text(one, "wait", device->wait);
        json_text(one, "reason", device->reason);
        cJSON_AddItemToArray(devices, one);
    }
}

static void add_oracle(cJSON *top, const struct measure *measure)
{
    if (!isfinite(measure->oracle_seconds)) {
        cJSON_AddNullToObject(top, "oracle");
        return;
    }
    cJSON *oracle = cJSON_AddObjectToObject(top, "oracle");
    cJSON *split = cJSON_AddObjectToObject(oracle, "split");
    for (int d = 0; d < measure->device_count; d++)
        json_number(split, measure->devices[d].name, measure->devices[d].oracle_share);
    json_number(oracle, "seconds", measure->oracle_seconds);
}

void run_json_figures(cJSON *top, const struct measure_spec *spec, const struct measure *measure)
{
    add_times(top, measure);
    add_bytes(top, &measure->traffic);
    add_devices(top, spec, measure);
    json_number(top, "ideal_seconds", measure->ideal_seconds);
    json_number(top, "efficiency", measure->efficiency);
    json_number(top, "gain", measure->gain);
    add_oracle(top, measure);
    json_number(top, "regret", measure->regret);
}

static void add_results(cJSON *top, const struct measure *measure)
{
    if (!measure->figure_count) {
        cJSON_AddNullToObject(top, "results");
        return;
    }
    cJSON *results = cJSON_AddArrayToObject(top, "results");
    for (int i = 0; i < measure->figure_count; i++) {
        cJSON *one = cJSON_CreateObject();
        json_text(one, "name", measure->figures[i].name);
        json_number(one, "value", measure->figures[i].value);
        json_number(one, "error", measure->figures[i].error);
        cJSON_AddItemToArray(results, one);
    }
}

cJSON *run_json(const struct measure_spec *spec, const struct measure *measure)
{
    cJSON *top = cJSON_CreateObject();
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    json_machine(top);
    json_text(top, "app", spec->app->name);
    run_json_size(top, spec->app, spec->input.size);
    json_integer(top, "seed", (int64_t)spec->input.seed);
    json_text(top, "partitioner", measure->partitioner);
    json_integer(top, "threads", run_threads(measure));
    json_text(top, "wait", run_wait_name(spec, measure));
    json_text(top, "kernel", run_kernel_name(spec));
    json_text(top, "memory", run_memory_name(spec->input.memory.kind));
    cJSON_AddBoolToObject(top, "cold", spec->cold);
    run_json_figures(top, spec, measure);
    add_results(top, measure);
    return top;
}

int run_write_json(const struct measure_spec *spec, const struct measure *measure, const char *path)
{
    return json_write(run_json(spec, measure), path);
}
