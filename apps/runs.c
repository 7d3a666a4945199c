/* runs.c - runs of one session, and the results of the median run.
 *
 * The devices' results are those of the median run, so they belong to the reported time. The median
 * is known only at the end, so each run's tally is kept until then.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct app_record {
    int run; /* its number, from 0 */
    double seconds, whole_seconds;
    struct app_tally tally;
};

yoke_status app_runs_open(struct app_runs *runs, int capacity)
{
    *runs = (struct app_runs){ .records = calloc((size_t)capacity, sizeof *runs->records),
                               .capacity = capacity };
    if (!runs->records)
        return app_fail(YOKE_ENOMEM, "no memory for the figures of %d runs", capacity);
    return YOKE_OK;
}

void app_runs_close(struct app_runs *runs)
{
    for (int i = 0; i < runs->count; i++)
        app_tally_clear(&runs->records[i].tally);
    free(runs->records);
    *runs = (struct app_runs){ 0 };
}

/* Devices that did nothing in the run get an entry, too. */
yoke_status app_runs_keep(struct app_runs *runs, struct app_session *session, double seconds)
{
    struct app_run *run = &session->run;
    if (runs->count == runs->capacity)
        return YOKE_OK;
    yoke_status status = app_tally_grow(run, yoke_device_count(run->runtime));
    if (status != YOKE_OK)
        return status;
    runs->records[runs->count] = (struct app_record){ .run = runs->count,
                                                      .seconds = seconds,
                                                      .whole_seconds = session->whole_seconds,
                                                      .tally = run->tally };
    runs->count++;
    run->tally = (struct app_tally){ 0 };
    return YOKE_OK;
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct app_record *)a)->seconds, y = ((const struct app_record *)b)->seconds;
    return (x > y) - (x < y);
}

/* Sets each device's share, and its rows of one job, rounded so that their sum is the job's
 * range. */
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

/* Returns when each device ended in each run: [run][device]; NULL if there is no memory. */
static double *ends_of(const struct app_runs *runs, int device_count)
{
    double *ends = calloc((size_t)runs->count * (size_t)device_count + 1, sizeof *ends);
    for (int i = 0; ends && i < runs->count; i++) {
        const struct app_tally *tally = &runs->records[i].tally;
        for (int d = 0; d < device_count && d < tally->device_count; d++)
            if (tally->devices[d].items > 0)
                ends[runs->records[i].run * device_count + d] =
                    tally->devices[d].line.ended_seconds;
    }
    return ends;
}

yoke_status app_runs_tell(struct app_runs *runs, const struct app_session *session,
                          struct measure *out)
{
    out->runs = calloc((size_t)runs->count, sizeof *out->runs);
    out->predictions = calloc((size_t)runs->count, sizeof *out->predictions);
    if (!out->runs || !out->predictions)
        return app_fail(YOKE_ENOMEM, "no memory for the figures of %d runs", runs->count);
    for (int i = 0; i < runs->count; i++) {
        out->runs[i] = runs->records[i].seconds;
        out->predictions[i] = runs->records[i].tally.predicted_seconds;
    }
    out->run_count = runs->count;
    out->seconds = app_median(out->runs, out->run_count);
    qsort(runs->records, (size_t)runs->count, sizeof *runs->records, by_seconds);
    struct app_record *median = &runs->records[(runs->count - 1) / 2];
    out->ends = ends_of(runs, median->tally.device_count);
    if (!out->ends)
        return app_fail(YOKE_ENOMEM, "no memory for the figures of %d runs", runs->count);
    out->whole_seconds = median->whole_seconds;
    out->jobs = median->tally.jobs;
    out->traffic = median->tally.traffic;
    out->predicted_seconds = median->tally.predicted_seconds;
    out->devices = median->tally.devices;
    out->device_count = median->tally.device_count;
    snprintf(out->partitioner, sizeof out->partitioner, "%s", median->tally.partitioner);
    median->tally = (struct app_tally){ 0 };
    const struct app *app = session->spec->app;
    out->work = app->work ? app->work(session->state) : NAN;
    set_shares(out, app->items(session->state));
    return YOKE_OK;
}
