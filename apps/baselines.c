/* baselines.c - each device alone: what the others add, and how close all together come to the
 * ideal.
 *
 * A device is opened with its settings (yoke_device.spec) in a runtime of its own, so that "alone"
 * also means without the threads and copies that the other devices need. The runtime of the judged
 * run sleeps meanwhile.
 *
 * The exact time of a device that is much slower than the judged run hardly changes the ideal. So
 * such a device is not run again once it has taken some seconds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

int measure_is_behind(double seconds, double best, double spent_seconds)
{
    static const double patience_seconds = 5, far_behind = 10;
    return spent_seconds >= patience_seconds && seconds >= far_behind * best;
}

/* Sets *median to the median of the runs after the first one. A device that is far behind after its
 * first run is not run again: then its first time is used. */
static yoke_status time_alone(struct app_session *session, const char *what, struct measure *out,
                              double *median)
{
    double seconds[APP_REPEAT_MAX], latest, start = app_wall_seconds();
    int count = 0;
    yoke_status status = app_session_time(session, what, &latest);
    *median = latest;
    while (status == YOKE_OK && count < session->spec->repeat &&
           !measure_is_behind(latest, out->seconds, app_wall_seconds() - start)) {
        status = app_session_time(session, what, &latest);
        seconds[count++] = latest;
    }
    if (status == YOKE_OK && count > 0)
        *median = app_median(seconds, count);
    return status;
}

static yoke_status alone(const struct measure_spec *spec, void *state, struct measure *out,
                         int device)
{
    struct app_session session;
    char what[128];
    double median;
    struct app_session_spec from = { .spec = spec, .devices = out->devices[device].spec };
    yoke_status status = app_session_open(&from, &session);
    if (status == YOKE_OK)
        status = app_session_attach(&session, state);
    /* Shares given to static are for all devices of the judged run, not for one. */
    session.run.partitioner = strncmp(out->partitioner, "static", 6) ? NULL : "static";
    snprintf(what, sizeof what, "%s alone", out->devices[device].name);
    if (status == YOKE_OK)
        status = time_alone(&session, what, out, &median);
    yoke_status closed = app_session_close(&session);
    if (status == YOKE_OK)
        out->devices[device].alone_seconds = median;
    return status == YOKE_OK ? closed : status;
}

void measure_gain(const double *alone_seconds, int count, struct measure *out)
{
    double rate = 0, best = INFINITY;
    for (int i = 0; i < count; i++) {
        rate += 1 / alone_seconds[i];
        best = fmin(best, alone_seconds[i]);
    }
    out->ideal_seconds = 1 / rate;
    out->efficiency = out->ideal_seconds / out->seconds;
    out->gain = isnan(rate) ? NAN : best / out->seconds;
}

yoke_status measure_baselines(const struct measure_spec *spec, void *state, struct measure *out)
{
    double *times = calloc((size_t)out->device_count, sizeof *times);
    yoke_status status = YOKE_OK;
    if (!times)
        return app_fail(YOKE_ENOMEM, "no memory for the times of %d devices", out->device_count);
    for (int d = 0; status == YOKE_OK && d < out->device_count; d++) {
        if (out->device_count == 1) /* the judged run was this device alone */
            out->devices[d].alone_seconds = out->seconds;
        else
            status = alone(spec, state, out, d);
        times[d] = out->devices[d].alone_seconds;
    }
    if (status == YOKE_OK)
        measure_gain(times, out->device_count, out);
    free(times);
    return status;
}
