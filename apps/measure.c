/* measure.c - the measuring loop: open, first run, repeats, verify; then baselines and sweep.
 *
 * The first run is reported apart, for it pays for building kernels and pinning memory. The figures
 * of the devices are those of the median run, so they belong to the time that is reported.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct record { /* one repeat */
    double seconds, whole_seconds;
    struct app_tally tally;
};

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct record *)a)->seconds, y = ((const struct record *)b)->seconds;
    return (x > y) - (x < y);
}

/* Rows of one job: shares of its range, rounded so that they add up to it. */
static void set_shares(struct measure *out, int64_t rows)
{
    int64_t all = 0, before = 0;
    for (int d = 0; d < out->device_count; d++)
        all += out->devices[d].items;
    for (int d = 0; d < out->device_count; d++) {
        struct measure_device *device = &out->devices[d];
        int64_t after = before + device->items;
        double scale = all ? (double)rows / (double)all : 0;
        device->share = all ? (double)device->items / (double)all : 0;
        device->rows = llround((double)after * scale) - llround((double)before * scale);
        before = after;
    }
}

/* The figures of the median run; `records` are sorted. */
static void keep_median(struct record *records, struct measure *out)
{
    struct record *median = &records[(out->run_count - 1) / 2];
    out->seconds = app_median(out->runs, out->run_count);
    out->whole_seconds = median->whole_seconds;
    out->traffic = median->tally.traffic;
    out->devices = median->tally.devices;
    out->device_count = median->tally.device_count;
    snprintf(out->partitioner, sizeof out->partitioner, "%s", median->tally.partitioner);
    median->tally.devices = NULL;
}

/* Real devices that did nothing in the latest run: dropped, or their kernel is still compiled. */
static int idle_devices(const struct app_tally *tally, int devices)
{
    int idle = devices - tally->device_count;
    for (int d = 0; d < tally->device_count; d++)
        idle += tally->devices[d].items == 0 && strcmp(tally->devices[d].backend, "sim") != 0;
    return idle;
}

/* A device joins when its kernel is compiled, which short runs are over before. They are done again
 * until each device has worked, for two seconds at most, so that the repeats are all alike. */
static yoke_status warm_up(struct app_session *session, struct measure *out, int *devices)
{
    static const double patience = 2;
    double start = app_wall_seconds(), seconds;
    yoke_status status = app_session_time(session, "first run", &out->first_seconds);
    /* Waits until every driver is loaded: from the second run on all devices take part. */
    *devices = status == YOKE_OK ? yoke_device_count(session->run.runtime) : 0;
    while (status == YOKE_OK && idle_devices(&session->run.tally, *devices) &&
           app_wall_seconds() - start < patience)
        status = app_session_time(session, "warming up", &seconds);
    return status;
}

static yoke_status repeat_runs(struct app_session *session, struct record *records,
                               struct measure *out)
{
    int wanted = session->spec->repeat;
    int devices;
    char what[64];
    yoke_status status = warm_up(session, out, &devices);
    for (int i = 0; status == YOKE_OK && i < wanted; i++) {
        snprintf(what, sizeof what, "run %d of %d", i + 1, wanted);
        status = app_session_time(session, what, &records[i].seconds);
        if (status == YOKE_OK)
            status = app_tally_grow(&session->run, devices);
        records[i].whole_seconds = session->whole_seconds;
        records[i].tally = session->run.tally;
        session->run.tally = (struct app_tally){ 0 };
        out->runs[i] = records[i].seconds;
        out->run_count = i + 1;
    }
    return status;
}

static yoke_status time_runs(struct app_session *session, struct measure *out)
{
    int wanted = session->spec->repeat;
    struct record *records = calloc((size_t)wanted, sizeof *records);
    yoke_status status;
    out->runs = calloc((size_t)wanted, sizeof *out->runs);
    if (records && out->runs)
        status = repeat_runs(session, records, out);
    else
        status = app_fail(YOKE_ENOMEM, "no memory for the figures of %d runs", wanted);
    if (status == YOKE_OK) {
        qsort(records, (size_t)wanted, sizeof *records, by_seconds);
        keep_median(records, out);
        set_shares(out, session->spec->app->items(session->state));
    }
    for (int i = 0; records && i < wanted; i++)
        app_tally_clear(&records[i].tally);
    free(records);
    return status;
}

/* A wrong result is an answer; that verification could not be done is a failure. */
static yoke_status verify(struct app_session *session, struct measure *out)
{
    const struct measure_spec *spec = session->spec;
    if (!spec->verify)
        return YOKE_OK;
    if (spec->watch.progress)
        spec->watch.progress(spec->watch.context, "verifying", 0, 0);
    yoke_status status = spec->app->verify(session->state, out->note);
    if (status != YOKE_OK && status != YOKE_EINVAL)
        return status;
    out->verified = status == YOKE_OK;
    if (!out->verified)
        snprintf(out->note, sizeof out->note, "%s", app_error_text());
    return YOKE_OK;
}

static yoke_status report(struct app_session *session, struct measure *out)
{
    size_t length = 0;
    if (!session->spec->app->report)
        return YOKE_OK;
    FILE *stream = open_memstream(&out->report, &length);
    if (!stream)
        return app_fail(YOKE_ENOMEM, "no memory for the report of %s", session->spec->app->name);
    yoke_status status = session->spec->app->report(session->state, stream);
    fclose(stream);
    return status;
}

/* Devices come before inputs, so that a mistyped name is not found out after a long read, and
 * drivers load meanwhile. */
static yoke_status judged(struct measure_spec *spec, struct app_session *session,
                          struct measure *out)
{
    struct app_session_spec from = { .spec = spec, .traced = 1 };
    void *state = NULL;
    yoke_status status = app_session_open(&from, session);
    out->open_seconds = session->open_seconds;
    out->wrong_words = status == YOKE_EINVAL;
    if (status != YOKE_OK)
        return status;
    if (spec->watch.progress)
        spec->watch.progress(spec->watch.context, "inputs", 0, 0);
    spec->input.memory.runtime = session->run.runtime;
    status = spec->app->open(&spec->input, &state);
    if (status == YOKE_OK)
        status = app_session_attach(session, state);
    if (status == YOKE_OK)
        status = time_runs(session, out);
    if (status == YOKE_OK)
        status = verify(session, out);
    if (status == YOKE_OK)
        status = report(session, out);
    yoke_status detached = app_session_detach(session);
    return status == YOKE_OK ? detached : status;
}

yoke_status measure(struct measure_spec *spec, struct measure *out)
{
    struct app_session session;
    *out = (struct measure){ .open_seconds = NAN,
                             .first_seconds = NAN,
                             .seconds = NAN,
                             .whole_seconds = NAN,
                             .verified = -1,
                             .ideal_seconds = NAN,
                             .efficiency = NAN,
                             .gain = NAN,
                             .oracle_seconds = NAN,
                             .regret = NAN };
    yoke_status status = judged(spec, &session, out);
    if (status == YOKE_OK && spec->baselines)
        status = measure_baselines(spec, session.state, out);
    if (status == YOKE_OK && spec->sweep_step > 0)
        status = measure_sweep(spec, session.state, out);
    if (session.state)
        spec->app->close(session.state);
    yoke_status closed = app_session_close(&session);
    return status == YOKE_OK ? closed : status;
}

void measure_close(struct measure *measure)
{
    free(measure->runs);
    free(measure->devices);
    free(measure->report);
    *measure = (struct measure){ 0 };
}
