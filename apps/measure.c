/* measure.c - the measuring loop: open, first run, repeats, verify; then baselines and sweep.
 *
 * The first run is reported separately, because it includes building kernels and pinning memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* Returns how many real devices did nothing in the latest run: they were dropped, or their kernel
 * is still being compiled. */
static int idle_devices(const struct app_tally *tally, int devices)
{
    int idle = devices - tally->device_count;
    for (int d = 0; d < tally->device_count; d++)
        idle += tally->devices[d].items == 0 && strcmp(tally->devices[d].backend, "sim") != 0;
    return idle;
}

yoke_status app_session_warm_up(struct app_session *session, double *first_seconds)
{
    static const double patience = 2;
    double start = app_wall_seconds(), seconds;
    yoke_status status = app_session_time(session, "first run", first_seconds);
    /* yoke_device_count waits until every driver is loaded, so all devices take part from the
     * second run on. */
    int count = status == YOKE_OK ? yoke_device_count(session->run.runtime) : 0;
    while (status == YOKE_OK && idle_devices(&session->run.tally, count) &&
           app_wall_seconds() - start < patience)
        status = app_session_time(session, "warming up", &seconds);
    return status;
}

/* Sets the weight and the policy that changes it. Untimed runs have no policy. */
static yoke_status set_weight(struct app_session *session, yoke_weight_fn *policy)
{
    const struct measure_weight *weight = &session->spec->weight;
    yoke_status status = YOKE_OK;
    if (weight->given)
        status = yoke_set_cpu_weight(session->run.runtime, NULL, weight->weight);
    if (status == YOKE_OK && weight->given)
        status = yoke_set_weight_policy(session->run.runtime, NULL, policy, NULL);
    return status;
}

static yoke_status repeat_runs(struct app_session *session, struct app_runs *runs,
                               struct measure *out)
{
    int wanted = session->spec->repeat;
    double seconds;
    char what[64];
    yoke_status status = set_weight(session, NULL);
    if (status == YOKE_OK)
        status = app_session_warm_up(session, &out->first_seconds);
    if (status == YOKE_OK)
        status = set_weight(session, session->spec->weight.policy);
    for (int i = 0; status == YOKE_OK && i < wanted; i++) {
        snprintf(what, sizeof what, "run %d of %d", i + 1, wanted);
        status = app_session_time(session, what, &seconds);
        if (status == YOKE_OK)
            status = app_runs_keep(runs, session, seconds);
    }
    return status;
}

static yoke_status time_runs(struct app_session *session, struct measure *out)
{
    struct app_runs runs;
    yoke_status status = app_runs_open(&runs, session->spec->repeat);
    if (status == YOKE_OK)
        status = repeat_runs(session, &runs, out);
    if (status == YOKE_OK)
        status = app_runs_tell(&runs, session, out);
    app_runs_close(&runs);
    return status;
}

/* A wrong result is not a failure here; a verification that could not be done is one. */
yoke_status app_session_verify(struct app_session *session, struct measure *out)
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

/* Opens devices before inputs, so that a mistyped name is found before a long read, and drivers
 * load meanwhile. */
static yoke_status judged(struct measure_spec *spec, struct app_session *session,
                          struct measure *out)
{
    struct app_session_spec from = { .spec = spec, .judged = 1 };
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
    out->wrong_words = status == YOKE_EINVAL && app_is_mistaken();
    if (status == YOKE_OK)
        status = app_session_attach(session, state);
    if (status == YOKE_OK)
        status = time_runs(session, out);
    if (status == YOKE_OK)
        status = app_session_verify(session, out);
    if (status == YOKE_OK && spec->app->figures)
        status = spec->app->figures(state, out->figures, &out->figure_count);
    if (status == YOKE_OK)
        status = report(session, out);
    yoke_status detached = app_session_detach(session);
    return status == YOKE_OK ? detached : status;
}

struct measure measure_nothing(void)
{
    return (struct measure){ .open_seconds = NAN,
                             .first_seconds = NAN,
                             .seconds = NAN,
                             .whole_seconds = NAN,
                             .verified = -1,
                             .work = NAN,
                             .predicted_seconds = NAN,
                             .ideal_seconds = NAN,
                             .efficiency = NAN,
                             .gain = NAN,
                             .oracle_seconds = NAN,
                             .regret = NAN };
}

yoke_status measure(struct measure_spec *spec, struct measure *out)
{
    struct app_session session;
    *out = measure_nothing();
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
    free(measure->predictions);
    free(measure->ends);
    free(measure->devices);
    free(measure->report);
    *measure = (struct measure){ 0 };
}
