/* turns.c - see turns.h. */
#include "turns.h"

#include <math.h>
#include <string.h>

#include "stop.h"

static const double whole_limit_seconds = 60;

static int is_cores(const struct stage *stage, int set)
{
    const struct sets *sets = &stage->matrix->sets;
    return sets->has_cores && set == sets->alone[0];
}

/* Lists each device with its settings, so that it is the same in a set and alone. */
static void list_devices(const struct matrix *matrix, const struct set *set, struct turns *turns)
{
    size_t used = 0, size = sizeof turns->devices;
    for (int d = 0; d < matrix->device_count; d++)
        if (set->devices >> d & 1)
            used += (size_t)snprintf(turns->devices + used, size - used, "%s%s", used ? "," : "",
                                     matrix->devices[d].spec);
}

static yoke_status open_set(struct stage *stage, int set)
{
    struct turns *turns = &stage->turns[set];
    list_devices(stage->matrix, &stage->matrix->sets.sets[set], turns);
    struct app_session_spec from = { .spec = &stage->spec, .devices = turns->devices };
    turns->is_open = 1;
    yoke_status status = app_session_open(&from, &turns->session);
    stage->size->cells[set].figures.open_seconds = turns->session.open_seconds;
    if (status == YOKE_OK)
        status = app_runs_open(&turns->runs, stage->spec.repeat);
    return status;
}

/* Sets the cell's part to MATRIX_PART if all rows would take too long. The first run includes
 * setting up memory and libraries, and can take many times as long as later runs, so it alone does
 * not decide. */
static yoke_status try_part(struct stage *stage, int set)
{
    struct turns *turns = &stage->turns[set];
    struct matrix_cell *cell = &stage->size->cells[set];
    if (!is_cores(stage, set) || !stage->spec.app->is_regular)
        return YOKE_OK;
    const double limit = whole_limit_seconds / MATRIX_PART;
    turns->session.run.part = MATRIX_PART;
    yoke_status status = app_session_time(&turns->session, "a part", &turns->latest);
    if (status == YOKE_OK && turns->latest > limit)
        status = app_session_time(&turns->session, "the part again", &turns->latest);
    if (status == YOKE_OK && turns->latest > limit)
        cell->part = MATRIX_PART;
    turns->session.run.part = cell->part;
    return status;
}

/* After attaching again, untimed runs prepare each queue of a GPU: its memory, and what a library
 * keeps for it. Short runs may not use every queue, so there are more of them. */
static yoke_status make_ready(struct stage *stage, int set)
{
    static const double short_seconds = 0.1;
    struct turns *turns = &stage->turns[set];
    int runs = is_cores(stage, set) ? 0 : turns->latest < short_seconds ? 3 : 1;
    yoke_status status = YOKE_OK;
    for (int i = 0; status == YOKE_OK && i < runs; i++)
        status = app_session_time(&turns->session, "ready", &turns->latest);
    return status;
}

/* Does the untimed runs of a turn. */
static yoke_status begin_turn(struct stage *stage, int set, int turn)
{
    struct turns *turns = &stage->turns[set];
    double *first = &stage->size->cells[set].figures.first_seconds;
    if (turn > 0)
        return make_ready(stage, set);
    yoke_status status = try_part(stage, set);
    if (status == YOKE_OK)
        status = app_session_warm_up(&turns->session, first);
    if (status == YOKE_OK)
        turns->latest = *first;
    return status;
}

static int is_behind(const struct stage *stage, int set, double started)
{
    const struct turns *turns = &stage->turns[set];
    return measure_is_behind(turns->latest * stage->size->cells[set].part, stage->best_seconds,
                             turns->spent_seconds + app_wall_seconds() - started);
}

/* Returns the number of runs that must be done at the end of a turn: one after the first turn, so
 * that each set has a result if the user stops early. */
static int runs_until(const struct stage *stage, int turn)
{
    return 1 + (stage->spec.repeat - 1) * turn / (TURNS_COUNT - 1);
}

static yoke_status time_turn(struct stage *stage, int set, int turn)
{
    struct turns *turns = &stage->turns[set];
    struct app_session *session = &turns->session;
    double started = app_wall_seconds();
    char what[64];
    yoke_status status = begin_turn(stage, set, turn);
    /* A set that is far behind after its first run is not run again: then that time is used. */
    if (status == YOKE_OK && turn == 0 && is_behind(stage, set, started))
        status = app_runs_keep(&turns->runs, session, turns->latest);
    while (status == YOKE_OK && turns->runs.count < runs_until(stage, turn) &&
           !is_behind(stage, set, started)) {
        snprintf(what, sizeof what, "run %d of %d", turns->runs.count + 1, stage->spec.repeat);
        status = app_session_time(session, what, &turns->latest);
        if (status == YOKE_OK)
            status = app_runs_keep(&turns->runs, session, turns->latest);
    }
    turns->spent_seconds += app_wall_seconds() - started;
    if (status == YOKE_OK)
        stage->best_seconds =
            fmin(stage->best_seconds, turns->latest * stage->size->cells[set].part);
    return status;
}

/* Failures after a request to stop are caused by it: arrays of a canceled job have lost rows. */
yoke_status turns_leave_out(struct matrix_cell *cell, yoke_status status)
{
    if (status != YOKE_OK && app_stop_check() != YOKE_OK)
        return YOKE_ECANCELED;
    if (status == YOKE_OK || status == YOKE_ECANCELED)
        return status;
    snprintf(cell->error, sizeof cell->error, "%s", app_error_text());
    return YOKE_OK;
}

static int is_done(const struct stage *stage, int set, int turn)
{
    return stage->size->cells[set].error[0] ||
           (turn > 0 && (stage->turns[set].runs.count >= runs_until(stage, turn) ||
                         is_behind(stage, set, app_wall_seconds())));
}

static yoke_status take_turn(struct stage *stage, int set, int turn)
{
    struct turns *turns = &stage->turns[set];
    struct matrix_cell *cell = &stage->size->cells[set];
    yoke_status status = YOKE_OK;
    stage->now = &stage->matrix->sets.sets[set];
    stage->step++;
    if (is_done(stage, set, turn))
        return YOKE_OK;
    if (turn == 0)
        status = open_set(stage, set);
    if (status == YOKE_OK)
        status = app_session_attach(&turns->session, stage->state);
    if (status == YOKE_OK)
        status = time_turn(stage, set, turn);
    if (status == YOKE_OK && turn == 0 && cell->part == 1)
        status = app_session_verify(&turns->session, &cell->figures);
    status = turns_leave_out(cell, status);
    yoke_status detached = turns_leave_out(cell, app_session_detach(&turns->session));
    return status == YOKE_OK ? detached : status;
}

yoke_status turns_take(struct stage *stage)
{
    yoke_status status = YOKE_OK;
    const struct sets *sets = &stage->matrix->sets;
    for (int turn = 0; turn < TURNS_COUNT; turn++)
        for (int i = 0; status == YOKE_OK && i < sets->count; i++)
            status = take_turn(stage, i < sets->shown ? sets->shown - 1 - i : i, turn);
    return status;
}

yoke_status turns_end(struct stage *stage)
{
    yoke_status status = YOKE_OK;
    for (int set = 0; set < stage->matrix->sets.count; set++) {
        struct turns *turns = &stage->turns[set];
        struct measure *figures = &stage->size->cells[set].figures;
        yoke_status told = YOKE_OK, closed = YOKE_OK;
        if (turns->runs.count > 0)
            told = app_runs_tell(&turns->runs, &turns->session, figures);
        app_runs_close(&turns->runs);
        if (turns->is_open)
            closed = app_session_close(&turns->session);
        if (status == YOKE_OK)
            status = told == YOKE_OK ? closed : told;
    }
    return status;
}
