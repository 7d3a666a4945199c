/* driver.c - what an application sees of its run, and sessions: data attached to a runtime.
 *
 * Jobs go to the runtime one at a time. What each device did in them is added up in the run's
 * tally, whose entries are made as devices appear (GPUs may join during the first run). Ctrl-C
 * takes effect at every job and every progress call.
 */
#include "driver.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stop.h"

/* The text of an application's own failure is valid until yoke fails, too: then yoke's text differs
 * from yoke_text_then. */
static _Thread_local char own_text[1024], yoke_text_then[1024];
static _Thread_local int mistaken;

static void record(int is_mistake, const char *format, va_list arguments)
{
    vsnprintf(own_text, sizeof own_text, format, arguments);
    snprintf(yoke_text_then, sizeof yoke_text_then, "%s", yoke_error_text());
    mistaken = is_mistake;
}

yoke_status app_fail(yoke_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(0, format, arguments);
    va_end(arguments);
    return status;
}

yoke_status app_mistake(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(1, format, arguments);
    va_end(arguments);
    return YOKE_EINVAL;
}

int app_is_mistaken(void)
{
    return mistaken;
}

const char *app_error_text(void)
{
    const char *text = yoke_error_text();
    return own_text[0] && !strncmp(text, yoke_text_then, sizeof yoke_text_then - 1) ? own_text
                                                                                    : text;
}

static yoke_status canceled(const struct app_run *run)
{
    const struct measure_watch *watch = run->watch;
    if (!watch->canceled || !*watch->canceled)
        return app_stop_check();
    return app_fail(YOKE_ECANCELED, "stopped on request");
}

yoke_status app_tally_grow(struct app_run *run, int count)
{
    struct app_tally *tally = &run->tally;
    if (count <= tally->device_count)
        return YOKE_OK;
    struct measure_device *grown = realloc(tally->devices, (size_t)count * sizeof *grown);
    if (!grown)
        return app_fail(YOKE_ENOMEM, "no memory for the figures of %d devices", count);
    tally->devices = grown;
    for (int d = tally->device_count; d < count; d++) {
        yoke_device device;
        yoke_status status = yoke_device_get(run->runtime, d, &device);
        if (status != YOKE_OK)
            return status;
        grown[d] = (struct measure_device){ .lanes = device.lanes,
                                            .alone_seconds = NAN,
                                            .oracle_share = NAN };
        snprintf(grown[d].name, sizeof grown[d].name, "%s", device.name);
        snprintf(grown[d].spec, sizeof grown[d].spec, "%s", device.spec);
        snprintf(grown[d].model, sizeof grown[d].model, "%s", device.model);
        snprintf(grown[d].backend, sizeof grown[d].backend, "%s", device.backend);
        tally->device_count = d + 1;
    }
    return YOKE_OK;
}

static yoke_status tally_add(struct app_run *run, const yoke_result *result)
{
    struct app_tally *tally = &run->tally;
    yoke_status status = app_tally_grow(run, result->device_count);
    if (status != YOKE_OK)
        return status;
    tally->jobs++;
    for (int i = 0; i < result->device_count; i++) {
        const yoke_device_result *part = &result->devices[i];
        struct measure_device *device = &tally->devices[part->device];
        device->items += part->items;
        device->busy_seconds += part->busy_seconds;
        device->chunks += part->chunks;
        device->alternative_items += result->kernels[i].items[1];
        snprintf(device->reason, sizeof device->reason, "%s", part->reason);
        snprintf(device->kernel, sizeof device->kernel, "%s", result->kernels[i].reason);
        device->line = result->models[i];
        if (!*result->waits[i].reason)
            continue;
        device->waiting = result->waits[i].waiting;
        snprintf(device->wait, sizeof device->wait, "%s", result->waits[i].reason);
    }
    for (int64_t k = 0; run->owners && k < result->decision_count; k++) {
        const yoke_decision *chunk = &result->decisions[k];
        memset(run->owners + chunk->first, chunk->device, (size_t)(chunk->last - chunk->first));
    }
    tally->predicted_seconds += result->predicted_seconds > 0 ? result->predicted_seconds : NAN;
    tally->traffic.to_devices += result->traffic.to_devices;
    tally->traffic.from_devices += result->traffic.from_devices;
    tally->traffic.between_devices += result->traffic.between_devices;
    snprintf(tally->partitioner, sizeof tally->partitioner, "%s", result->partitioner);
    return YOKE_OK;
}

void app_tally_clear(struct app_tally *tally)
{
    free(tally->devices);
    *tally = (struct app_tally){ 0 };
}

static int64_t percent_of(const struct app_run *run, int64_t items)
{
    const int64_t width = run->width > 1 ? run->width : 1;
    const int64_t wanted = (int64_t)((double)items * run->percent / 100);
    const int64_t whole = (wanted + width - 1) / width * width;
    return whole < 1 ? 1 : whole < items ? whole : items;
}

int64_t app_run_items(const struct app_run *run, int64_t items)
{
    if (run->percent > 0)
        return percent_of(run, items);
    if (run->part <= 1)
        return items;
    return items > run->part ? items / run->part : 1;
}

static yoke_job chosen(const struct app_run *run, const yoke_job *job)
{
    yoke_job mine = *job;
    if (!mine.partitioner)
        mine.partitioner = run->partitioner;
    mine.range.last = mine.range.first + app_run_items(run, mine.range.last - mine.range.first);
    return mine;
}

/* Takes the result and frees it. */
static yoke_status keep(struct app_run *run, yoke_result *result)
{
    yoke_status status = tally_add(run, result);
    yoke_result_close(result);
    return status;
}

static yoke_status run_one(struct app_run *run, const yoke_job *job)
{
    const yoke_job mine = chosen(run, job);
    const struct app_job_watch *watch = run->jobs;
    yoke_result *result = NULL;
    if (watch && watch->begins)
        watch->begins(watch->context, run->runtime, job);
    yoke_status status = yoke_run(run->runtime, &mine, &result);
    if (status != YOKE_OK)
        return status;
    if (watch && watch->ended)
        watch->ended(watch->context, job, result);
    return keep(run, result);
}

/* Waits for all jobs, even if one fails. */
static yoke_status run_all(struct app_run *run, const yoke_job *jobs, int count)
{
    yoke_ticket *tickets[APP_JOBS_MAX];
    yoke_status first = YOKE_OK;
    int submitted, i;
    for (submitted = 0; submitted < count && first == YOKE_OK; submitted++) {
        const yoke_job mine = chosen(run, &jobs[submitted]);
        first = yoke_submit(run->runtime, &mine, &tickets[submitted]);
        if (first != YOKE_OK)
            break;
    }
    for (i = 0; i < submitted; i++) {
        yoke_result *result = NULL;
        yoke_status status = yoke_wait(tickets[i], &result);
        if (status == YOKE_OK)
            status = keep(run, result);
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

yoke_status app_run_jobs(struct app_run *run, const yoke_job *jobs, int count)
{
    double wall = app_wall_seconds(), start = yoke_seconds(run->runtime);
    yoke_status status = canceled(run);
    if (status != YOKE_OK)
        return status;
    status = count == 1 ? run_one(run, jobs) : run_all(run, jobs, count);
    run->job_seconds += yoke_seconds(run->runtime) - start;
    run->job_wall_seconds += app_wall_seconds() - wall;
    return status == YOKE_ECANCELED && canceled(run) != YOKE_OK ? YOKE_ECANCELED : status;
}

yoke_status app_run_job(struct app_run *run, const yoke_job *job)
{
    return app_run_jobs(run, job, 1);
}

yoke_runtime *app_runtime(struct app_run *run)
{
    return run->runtime;
}

void app_run_owners(struct app_run *run, uint8_t *owners)
{
    run->owners = owners;
}

yoke_status app_progress(struct app_run *run, int64_t done, int64_t total)
{
    if (run->watch->progress)
        run->watch->progress(run->watch->context, run->what, done, total);
    return canceled(run);
}

double app_wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

yoke_status app_session_open(const struct app_session_spec *from, struct app_session *out)
{
    const struct measure_spec *spec = from->spec;
    yoke_config config = spec->config;
    *out =
        (struct app_session){ .spec = spec, .run = { .watch = &spec->watch, .what = "opening" } };
    if (from->devices)
        config.devices = from->devices;
    if (!from->judged)
        config.trace = NULL, config.knowledge = "off";
    config.loading = YOKE_LOAD_OPEN; /* so that even the shortest run has all devices */
    double start = app_wall_seconds();
    yoke_status status = yoke_open(&config, &out->run.runtime);
    if (status != YOKE_OK)
        return status;
    status = app_stop_watch(out->run.runtime);
    if (status == YOKE_OK && config.devices)
        status = yoke_ready(out->run.runtime);
    out->open_seconds = app_wall_seconds() - start;
    if (status == YOKE_OK && spec->cold)
        status = app_cold_open(&out->cold);
    return status;
}

yoke_status app_session_attach(struct app_session *session, void *state)
{
    session->state = state;
    yoke_status status = session->spec->app->attach(state, session->run.runtime);
    session->attached = status == YOKE_OK;
    return status;
}

yoke_status app_session_detach(struct app_session *session)
{
    char why[sizeof own_text];
    if (!session->attached)
        return YOKE_OK;
    session->attached = 0;
    snprintf(why, sizeof why, "%s", app_error_text());
    yoke_status status = session->spec->app->detach(session->state);
    /* A failed run may leave rows lost, and then detach fails, too. Report the run's failure. */
    return status != YOKE_OK && session->failed ? app_fail(status, "%s", why) : status;
}

yoke_status app_session_close(struct app_session *session)
{
    yoke_status status = app_session_detach(session);
    if (session->run.runtime) {
        app_stop_forget(session->run.runtime);
        yoke_status closed = yoke_close(session->run.runtime);
        if (status == YOKE_OK)
            status = closed;
    }
    session->run.runtime = NULL;
    app_tally_clear(&session->run.tally);
    app_cold_close(&session->cold);
    return status;
}

yoke_status app_session_time(struct app_session *session, const char *what, double *seconds)
{
    struct app_run *run = &session->run;
    yoke_status status = session->spec->app->reset(session->state);
    if (status == YOKE_OK && session->cold.bytes)
        status = app_cold_evict(&session->cold);
    if (status != YOKE_OK)
        return status;
    app_tally_clear(&run->tally);
    run->what = what;
    status = app_progress(run, 0, 0);
    if (status != YOKE_OK)
        return status;
    run->job_seconds = run->job_wall_seconds = 0;
    double wall = app_wall_seconds(), start = yoke_seconds(run->runtime);
    status = session->spec->app->run(session->state, run);
    session->failed = status != YOKE_OK;
    if (status != YOKE_OK)
        return status;
    *seconds = yoke_seconds(run->runtime) - start;
    session->whole_seconds = NAN;
    if (session->spec->app->timed == APP_TIMED_JOBS) {
        /* The host's own work takes real time even if devices are simulated. */
        session->whole_seconds =
            app_wall_seconds() - wall - run->job_wall_seconds + run->job_seconds;
        *seconds = run->job_seconds;
    }
    return YOKE_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double app_median(const double *values, int count)
{
    double sorted[APP_REPEAT_MAX];
    if (count <= 0)
        return NAN;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}
