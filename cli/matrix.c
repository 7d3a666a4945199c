/* matrix.c - yoke run APP --matrix: measures every set of devices, and shows the results in tables.
 *
 * After Ctrl-C, or if a set fails, the results so far are still shown: they may have taken long.
 */
#include <string.h>

#include "command.h"
#include "plot.h"
#include "progress.h"
#include "request.h"
#include "run.h"

const char *matrix_partitioner(const struct matrix *matrix)
{
    for (int s = 0; s < matrix->size_count; s++)
        for (int set = 0; matrix->sizes[s].cells && set < matrix->sets.count; set++)
            if (matrix->sizes[s].cells[set].figures.run_count)
                return matrix->sizes[s].cells[set].figures.partitioner;
    return "";
}

/* Prints a line for an error in one set; returns 1 if there was one. */
static int complain_of(const char *where, const struct matrix_cell *cell)
{
    int is_wrong = cell->figures.verified == 0;
    if (is_wrong)
        fprintf(stderr, "yoke: %s: the result is wrong: %s\n", where, cell->figures.note);
    if (cell->error[0])
        fprintf(stderr, "yoke: %s: %s\n", where, cell->error);
    return is_wrong || cell->error[0];
}

static int complain(const struct measure_spec *spec, const struct matrix *matrix)
{
    char size[80], where[512];
    int wrong = 0;
    for (int s = 0; s < matrix->size_count; s++)
        for (int set = 0; matrix->sizes[s].cells && set < matrix->sets.count; set++) {
            snprintf(where, sizeof where, "%s, %s, on %s", spec->app->name,
                     run_size_text(spec->app, matrix->sizes[s].size, size),
                     matrix->sets.sets[set].name);
            wrong |= complain_of(where, &matrix->sizes[s].cells[set]);
        }
    return wrong;
}

static int answer(const struct measure_spec *spec, const struct matrix *matrix,
                  const char *const *values)
{
    const char *json = values[RUN_JSON], *plot = values[RUN_PLOT];
    int failed = complain(spec, matrix);
    if (!matrix_partitioner(matrix)[0])
        return failed;
    if (!values[RUN_QUIET] && !(json && !strcmp(json, "-")))
        matrix_print(spec, matrix);
    if (json)
        failed |= matrix_write_json(spec, matrix, json);
    if (plot)
        failed |= matrix_plot(spec, matrix, plot);
    return failed;
}

static int measure_matrix(struct measure_spec *spec, struct matrix *matrix,
                          const char *const *values)
{
    spec->watch = progress_open(progress_grace_answer);
    yoke_status measured = matrix_measure(spec, matrix);
    progress_close();
    if (request_status())
        command_stopped();
    else if (measured != YOKE_OK)
        command_failed(app_error_text());
    int status = answer(spec, matrix, values);
    if (measured != YOKE_OK)
        status = 1;
    if (matrix->wrong_words)
        status = 2;
    return request_status() ? request_status() : status;
}

int run_matrix(struct measure_spec *spec, const char *const *values)
{
    struct matrix matrix = { 0 };
    int wrong = run_options_read_matrix(values, spec, &matrix);
    if (!wrong && values[RUN_PLOT])
        wrong = plot_check(values[RUN_PLOT]);
    if (wrong)
        return wrong;
    int status = measure_matrix(spec, &matrix, values);
    matrix_close(&matrix);
    return status;
}
