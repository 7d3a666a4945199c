/* matrix.c - one size after the other. For each, the sets take turns (turns.h); then their times
 * are compared.
 */
#include "turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shows progress: the bar is for the whole matrix, and the text says what is running. */
static void show(void *context, const char *what, int64_t done, int64_t total)
{
    struct stage *stage = context;
    char text[2 * SETS_NAME_MAX];
    (void)done;
    (void)total;
    snprintf(text, sizeof text, "%s: %s", stage->now ? stage->now->name : "all", what);
    if (stage->watch->progress)
        stage->watch->progress(stage->watch->context, text, stage->step, stage->steps);
}

/* Scales times as if all rows had been run. */
static void scale(struct matrix_cell *cell)
{
    struct measure *figures = &cell->figures;
    figures->first_seconds *= cell->part;
    figures->seconds *= cell->part;
    figures->whole_seconds *= cell->part;
    for (int i = 0; i < figures->run_count; i++)
        figures->runs[i] *= cell->part;
    for (int d = 0; d < figures->device_count; d++)
        figures->devices[d].busy_seconds *= cell->part;
}

/* Sets the speedup, efficiency and gain of one set; NAN if a time that they need is missing. */
static void judge(const struct sets *sets, struct matrix_size *size, int index)
{
    struct matrix_cell *cell = &size->cells[index];
    double alone[SETS_DEVICES_MAX];
    int count = 0;
    for (int p = 0; p < sets->part_count; p++)
        if (sets->sets[index].parts >> p & 1)
            alone[count++] = size->cells[sets->alone[p]].figures.seconds;
    cell->speedup = size->cells[0].figures.seconds / cell->figures.seconds;
    measure_gain(alone, count, &cell->figures);
}

/* Sets alone_seconds of one set's devices, from the sets that are one device alone. */
static void tell_alone(const struct matrix *matrix, struct matrix_size *size, int index)
{
    const struct sets *sets = &matrix->sets;
    struct measure *figures = &size->cells[index].figures;
    int at = 0;
    for (int d = 0; d < matrix->device_count && at < figures->device_count; d++) {
        if (!(sets->sets[index].devices >> d & 1))
            continue;
        for (int p = 0; p < sets->part_count; p++)
            if (sets->devices_of[p] == (uint32_t)1 << d)
                figures->devices[at].alone_seconds = size->cells[sets->alone[p]].figures.seconds;
        at++;
    }
}

static void judge_all(const struct matrix *matrix, struct matrix_size *size)
{
    for (int set = 0; set < matrix->sets.count; set++)
        scale(&size->cells[set]);
    for (int set = 0; set < matrix->sets.count; set++) {
        judge(&matrix->sets, size, set);
        tell_alone(matrix, size, set);
    }
}

static yoke_status sweep(struct stage *stage)
{
    yoke_status status = YOKE_OK;
    for (int set = 0; status == YOKE_OK && set < stage->matrix->sets.shown; set++) {
        struct measure_spec spec = stage->spec;
        if (stage->size->cells[set].figures.device_count < 2)
            continue;
        stage->now = &stage->matrix->sets.sets[set];
        spec.config.devices = stage->turns[set].devices;
        struct matrix_cell *cell = &stage->size->cells[set];
        status = turns_leave_out(cell, measure_sweep(&spec, stage->state, &cell->figures));
    }
    return status;
}

static yoke_status run_size(struct stage *stage)
{
    yoke_status status = turns_take(stage);
    yoke_status ended = turns_end(stage);
    judge_all(stage->matrix, stage->size);
    if (status == YOKE_OK)
        status = ended;
    if (status == YOKE_OK && stage->spec.sweep_step > 0)
        status = sweep(stage);
    return status;
}

static yoke_status open_cells(struct matrix *out)
{
    for (int s = 0; s < out->size_count; s++) {
        struct matrix_cell *cells = calloc((size_t)out->sets.count, sizeof *cells);
        if (!cells)
            return app_fail(YOKE_ENOMEM, "no memory for the figures of %d sets", out->sets.count);
        out->sizes[s].cells = cells;
        for (int set = 0; set < out->sets.count; set++)
            cells[set] =
                (struct matrix_cell){ .figures = measure_nothing(), .speedup = NAN, .part = 1 };
    }
    return YOKE_OK;
}

/* Lists all devices and their sets. The data will be in memory of this session's runtime. */
static yoke_status find_sets(struct app_session *owner, struct matrix *out)
{
    struct app_tally *tally = &owner->run.tally;
    yoke_status status = app_tally_grow(&owner->run, yoke_device_count(owner->run.runtime));
    out->devices = tally->devices;
    out->device_count = tally->device_count;
    *tally = (struct app_tally){ 0 };
    if (status == YOKE_OK)
        status = sets_make(out->devices, out->device_count, &out->sets);
    return status == YOKE_OK ? open_cells(out) : status;
}

static yoke_status measure_size(struct stage *stage, int index)
{
    struct measure_spec *spec = &stage->spec;
    struct matrix_size *size = &stage->matrix->sizes[index];
    stage->size = size;
    stage->best_seconds = INFINITY;
    stage->now = NULL;
    memcpy(spec->input.size, size->size, sizeof size->size);
    show(stage, "inputs", 0, 0);
    yoke_status status = spec->app->open(&spec->input, &stage->state);
    stage->matrix->wrong_words = status == YOKE_EINVAL && app_is_mistaken();
    if (status != YOKE_OK)
        return status;
    memcpy(size->size, spec->input.size, sizeof size->size);
    stage->turns = calloc((size_t)stage->matrix->sets.count, sizeof *stage->turns);
    if (stage->turns)
        status = run_size(stage);
    else
        status =
            app_fail(YOKE_ENOMEM, "no memory for the turns of %d sets", stage->matrix->sets.count);
    free(stage->turns);
    spec->app->close(stage->state);
    return status;
}

static int count_failed(const struct matrix *matrix)
{
    int count = 0;
    for (int s = 0; s < matrix->size_count; s++)
        for (int set = 0; matrix->sizes[s].cells && set < matrix->sets.count; set++)
            count += matrix->sizes[s].cells[set].error[0] != '\0';
    return count;
}

yoke_status matrix_measure(struct measure_spec *spec, struct matrix *out)
{
    struct app_session owner;
    struct stage stage = { .spec = *spec, .matrix = out, .watch = &spec->watch };
    struct app_session_spec from = { .spec = spec };
    yoke_status status = app_session_open(&from, &owner);
    if (status == YOKE_OK)
        status = find_sets(&owner, out);
    out->wrong_words = status == YOKE_EINVAL;
    stage.spec.config.trace = NULL;
    stage.spec.watch.progress = show;
    stage.spec.watch.context = &stage;
    stage.spec.input.memory.runtime = owner.run.runtime;
    stage.steps = TURNS_COUNT * out->sets.count * out->size_count;
    for (int s = 0; status == YOKE_OK && s < out->size_count; s++)
        status = measure_size(&stage, s);
    out->is_complete = status == YOKE_OK && !count_failed(out);
    yoke_status closed = app_session_close(&owner);
    return status == YOKE_OK ? closed : status;
}

void matrix_close(struct matrix *matrix)
{
    for (int s = 0; s < matrix->size_count; s++) {
        for (int set = 0; matrix->sizes[s].cells && set < matrix->sets.count; set++)
            measure_close(&matrix->sizes[s].cells[set].figures);
        free(matrix->sizes[s].cells);
    }
    free(matrix->devices);
    *matrix = (struct matrix){ 0 };
}
