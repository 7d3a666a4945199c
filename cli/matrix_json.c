/* matrix_json.c - the result of --matrix for programs: for each size, each device alone and each
 * set, with the numbers of yoke run. Every field is always present; null: not measured.
 */
#include <math.h>

#include "json.h"
#include "run.h"

static cJSON *names_of(const struct matrix *matrix, uint32_t devices)
{
    cJSON *names = cJSON_CreateArray();
    for (int d = 0; d < matrix->device_count; d++)
        if (devices >> d & 1)
            cJSON_AddItemToArray(names, cJSON_CreateString(matrix->devices[d].name));
    return names;
}

static void add_devices(cJSON *top, const struct matrix *matrix)
{
    cJSON *devices = cJSON_AddArrayToObject(top, "devices");
    for (int d = 0; d < matrix->device_count; d++) {
        const struct measure_device *device = &matrix->devices[d];
        cJSON *one = cJSON_CreateObject();
        json_text(one, "name", device->name);
        json_text(one, "backend", device->backend);
        json_text(one, "model", device->model);
        json_integer(one, "lanes", device->lanes);
        cJSON_AddItemToArray(devices, one);
    }
}

/* Adds T_D, the time alone, of each part (sets.h). */
static void add_alone(cJSON *top, const struct matrix *matrix, const struct matrix_size *size)
{
    const struct sets *sets = &matrix->sets;
    cJSON *alone = cJSON_AddArrayToObject(top, "alone");
    for (int p = 0; p < sets->part_count; p++) {
        const struct matrix_cell *cell = &size->cells[sets->alone[p]];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "devices", names_of(matrix, sets->devices_of[p]));
        json_number(one, "seconds", cell->figures.seconds);
        json_number(one, "part", cell->figures.run_count ? cell->part : NAN);
        cJSON_AddItemToArray(alone, one);
    }
}

static void add_sets(cJSON *top, const struct measure_spec *spec, const struct matrix *matrix,
                     const struct matrix_size *size)
{
    cJSON *sets = cJSON_AddArrayToObject(top, "sets");
    for (int set = 0; set < matrix->sets.shown; set++) {
        const struct matrix_cell *cell = &size->cells[set];
        cJSON *one = cJSON_CreateObject();
        json_text(one, "set", matrix->sets.sets[set].name);
        cJSON_AddItemToObject(one, "names", names_of(matrix, matrix->sets.sets[set].devices));
        json_number(one, "part", cell->figures.run_count ? cell->part : NAN);
        json_text(one, "error", cell->error[0] ? cell->error : NULL);
        json_number(one, "speedup", cell->speedup);
        run_json_figures(one, spec, &cell->figures);
        cJSON_AddItemToArray(sets, one);
    }
}

static void add_sizes(cJSON *top, const struct measure_spec *spec, const struct matrix *matrix)
{
    cJSON *sizes = cJSON_AddArrayToObject(top, "sizes");
    for (int s = 0; s < matrix->size_count; s++) {
        cJSON *one = cJSON_CreateObject();
        run_json_size(one, spec->app, matrix->sizes[s].size);
        add_alone(one, matrix, &matrix->sizes[s]);
        add_sets(one, spec, matrix, &matrix->sizes[s]);
        cJSON_AddItemToArray(sizes, one);
    }
}

int matrix_write_json(const struct measure_spec *spec, const struct matrix *matrix,
                      const char *path)
{
    cJSON *top = cJSON_CreateObject();
    json_integer(top, "schema", 1);
    json_text(top, "version", yoke_version());
    json_machine(top);
    json_text(top, "app", spec->app->name);
    json_integer(top, "seed", (int64_t)spec->input.seed);
    json_text(top, "partitioner", matrix_partitioner(matrix));
    json_text(top, "kernel", run_kernel_name(spec));
    json_text(top, "memory", run_memory_name(spec->input.memory.kind));
    cJSON_AddBoolToObject(top, "cold", spec->cold);
    json_integer(top, "repeat", spec->repeat);
    cJSON_AddBoolToObject(top, "complete", matrix->is_complete);
    json_text(top, "reference", matrix->sets.sets[0].name);
    add_devices(top, matrix);
    add_sizes(top, spec, matrix);
    return json_write(top, path);
}
