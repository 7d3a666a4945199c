/* tune.c - see tune.h. */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most untimed runs with all devices, in which the partitioner learns. */
enum { LESSONS_MOST = 12 };

/* --- one time --- */

static yoke_status time_narrowly(const struct tune_spec *spec, struct app_session *session,
                                 const char *what, struct tune_time *out)
{
    double seconds[APP_REPEAT_MAX];
    yoke_status status = YOKE_OK;
    *out = (struct tune_time){ 0, INFINITY, 0 };
    while (status == YOKE_OK && out->runs < spec->runs_most &&
           !(out->half <= spec->narrow * out->seconds)) {
        status = app_session_time(session, what, &seconds[out->runs]);
        if (status == YOKE_OK)
            out->seconds = yoke_mean(seconds, ++out->runs, &out->half);
    }
    return status;
}

/* --- a device alone --- */

static yoke_status time_block(const struct tune_spec *spec, struct app_session *session,
                              struct tune_lines *lines, struct tune_block *block)
{
    const char *name = session->run.tally.devices[0].name; /* of the run before */
    char what[YOKE_DEVICE_NAME_MAX + 32];
    yoke_status status = YOKE_OK;
    double seconds;
    int d;
    snprintf(what, sizeof what, "%s, %d %%", name, block->percent);
    session->run.percent = block->percent;
    /* the first run at a size prepares memory */
    status = app_session_time(session, what, &seconds);
    session->run.jobs = &lines->measure;
    if (status == YOKE_OK)
        status = time_narrowly(spec, session, what, &block->time);
    session->run.jobs = NULL;
    tune_lines_end_block(lines);
    block->items = 0;
    for (d = 0; status == YOKE_OK && d < session->run.tally.device_count; d++)
        block->items += session->run.tally.devices[d].items;
    session->run.percent = 0;
    return status;
}

static yoke_status fit_line(struct tune_device *device)
{
    yoke_sample samples[TUNE_BLOCKS_MAX];
    int b;
    for (b = 0; b < device->block_count; b++)
        samples[b] =
            (yoke_sample){ (double)device->blocks[b].items, device->blocks[b].time.seconds };
    if (yoke_line_fit(samples, device->block_count, &device->alone) != YOKE_OK)
        return app_fail(YOKE_EINVAL, "%s", yoke_error_text());
    return YOKE_OK;
}

/* These runs do not use the knowledge base: it would take a device alone for another machine. */
static yoke_status train(const struct tune_spec *from, void *state, struct tune *tune, int d)
{
    struct measure_spec spec = *from->spec;
    struct app_session session;
    struct tune_device *device = &tune->devices[d];
    const struct measure_device *named = &tune->all.devices[d];
    const struct app_session_spec opened = { .spec = &spec, .devices = named->spec };
    double first;
    int b;
    spec.config.partitioner = NULL;
    yoke_status status = app_session_open(&opened, &session);
    if (status == YOKE_OK)
        status = app_session_attach(&session, state);
    session.run.width = named->lanes;
    if (status == YOKE_OK)
        status = app_session_warm_up(&session, &first);
    for (b = 0; status == YOKE_OK && b < from->blocks; b++) {
        device->blocks[b].percent = 100 * (b + 1) / from->blocks;
        status = time_block(from, &session, &tune->lines, &device->blocks[b]);
        device->block_count += status == YOKE_OK;
    }
    yoke_status closed = app_session_close(&session);
    if (status == YOKE_OK)
        status = fit_line(device);
    if (status == YOKE_OK)
        status = tune_lines_end_device(&tune->lines, d);
    return status == YOKE_OK ? closed : status;
}

static yoke_status train_all(const struct tune_spec *spec, void *state, struct tune *tune)
{
    yoke_status status = YOKE_OK;
    for (int d = 0; status == YOKE_OK && d < tune->all.device_count; d++) {
        struct tune_device *device = &tune->devices[d];
        device->like = 0;
        while (device->like < d &&
               !measure_alike(&tune->all.devices[device->like], &tune->all.devices[d]))
            device->like++;
        if (device->like == d)
            status = train(spec, state, tune, d);
        else
            *device = tune->devices[device->like];
        if (device->like != d)
            tune_lines_copy(&tune->lines, d, device->like);
    }
    return status;
}

/* --- all together --- */

/* Returns 1 if the partitioner itself decided the latest run. Otherwise its name says so: "auto
 * (teaches linear)". */
static int is_taught(const struct app_session *session)
{
    return !strchr(session->run.tally.partitioner, '(');
}

/* Keeps the lines, runs until the partitioner has learned enough, and then until the mean time is
 * known narrowly. */
static yoke_status run_together(const struct tune_spec *spec, struct app_session *session,
                                struct tune *tune)
{
    struct app_runs runs = { 0 };
    double seconds, first;
    session->run.jobs = &tune->lines.keep;
    yoke_status status = app_session_warm_up(session, &first);
    session->run.jobs = NULL;
    for (int run = 0; status == YOKE_OK && run < LESSONS_MOST; run++) {
        status = app_session_time(session, "together", &seconds);
        if (run > 0 && is_taught(session))
            break;
    }
    if (status == YOKE_OK)
        status = time_narrowly(spec, session, "together", &tune->together);
    if (status == YOKE_OK)
        status = app_runs_open(&runs, 1);
    if (status == YOKE_OK)
        status = app_session_time(session, "together", &seconds);
    if (status == YOKE_OK)
        status = app_runs_keep(&runs, session, seconds);
    if (status == YOKE_OK) {
        free(tune->all.devices);
        tune->all.devices = NULL;
        status = app_runs_tell(&runs, session, &tune->all);
    }
    app_runs_close(&runs);
    return status;
}

static yoke_status foretell(struct tune *tune)
{
    const int count = tune->all.device_count;
    yoke_line *lines = calloc((size_t)count, sizeof *lines);
    int64_t *parts = calloc((size_t)count, sizeof *parts);
    yoke_status status = YOKE_OK;
    if (!lines || !parts)
        status = app_fail(YOKE_ENOMEM, "no memory for the lines of %d devices", count);
    for (int d = 0; status == YOKE_OK && d < count; d++) {
        lines[d] = tune->devices[d].alone;
        tune->items = tune->devices[0].blocks[tune->devices[0].block_count - 1].items;
    }
    if (status == YOKE_OK &&
        yoke_line_split(lines, count, tune->items, parts, &tune->foretold) != YOKE_OK)
        status = app_fail(YOKE_EINVAL, "%s", yoke_error_text());
    for (int d = 0; status == YOKE_OK && d < count; d++)
        tune->devices[d].part = parts[d];
    free(parts);
    free(lines);
    return status;
}

/* --- the whole --- */

/* Lists all devices with their names, from the runtime that stays open. */
static yoke_status find_devices(struct app_session *owner, struct tune *out)
{
    struct app_tally *tally = &owner->run.tally;
    yoke_status status = app_tally_grow(&owner->run, yoke_device_count(owner->run.runtime));
    if (status != YOKE_OK)
        return status;
    out->all.devices = tally->devices;
    out->all.device_count = tally->device_count;
    *tally = (struct app_tally){ 0 };
    out->devices = calloc((size_t)out->all.device_count, sizeof *out->devices);
    if (!out->devices)
        return app_fail(YOKE_ENOMEM, "no memory for %d devices", out->all.device_count);
    return tune_lines_open(out->all.device_count, &out->lines);
}

static yoke_status tune_with(const struct tune_spec *from, struct app_session *owner,
                             struct tune *out)
{
    struct measure_spec *spec = from->spec;
    void *state = NULL;
    yoke_status status = find_devices(owner, out);
    if (status == YOKE_OK && spec->watch.progress)
        spec->watch.progress(spec->watch.context, "inputs", 0, 0);
    spec->input.memory.runtime = owner->run.runtime;
    if (status == YOKE_OK) {
        status = spec->app->open(&spec->input, &state);
        out->all.wrong_words = status == YOKE_EINVAL && app_is_mistaken();
    }
    if (status != YOKE_OK)
        return status;
    status = train_all(from, state, out);
    if (status == YOKE_OK)
        status = app_session_attach(owner, state);
    if (status == YOKE_OK)
        status = run_together(from, owner, out);
    yoke_status detached = app_session_detach(owner);
    if (status == YOKE_OK)
        status = foretell(out);
    spec->app->close(state);
    return status == YOKE_OK ? detached : status;
}

yoke_status tune_measure(const struct tune_spec *from, struct tune *out)
{
    struct app_session owner;
    const struct app_session_spec opened = { .spec = from->spec, .judged = 1 };
    *out = (struct tune){ .all = measure_nothing() };
    yoke_status status = app_session_open(&opened, &owner);
    out->all.wrong_words = status == YOKE_EINVAL;
    out->all.open_seconds = owner.open_seconds;
    if (status == YOKE_OK)
        status = tune_with(from, &owner, out);
    yoke_status closed = app_session_close(&owner);
    return status == YOKE_OK ? closed : status;
}

void tune_close(struct tune *tune)
{
    measure_close(&tune->all);
    tune_lines_close(&tune->lines);
    free(tune->devices);
    tune->devices = NULL;
}
