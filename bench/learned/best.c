/* best.c - see best.h. */
#include "best.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../program.h"

static void ensure(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", app_error_text());
    exit(1);
}

void best_open(const struct measure_spec *spec, struct best *out)
{
    const struct app_session_spec from = { .spec = &out->spec };
    double seconds;
    *out = (struct best){ .spec = *spec };
    out->spec.config.knowledge = "off";
    ensure(app_session_open(&from, &out->session));
    out->spec.input.memory.runtime = out->session.run.runtime;
    ensure(spec->app->open(&out->spec.input, &out->state));
    ensure(app_session_attach(&out->session, out->state));
    ensure(app_session_warm_up(&out->session, &seconds));
}

double best_time(struct best *best, double weight)
{
    char text[48];
    double seconds;
    snprintf(text, sizeof text, "weight:cpu=%.4f", weight);
    best->session.run.partitioner = text;
    ensure(app_session_time(&best->session, "best", &seconds));
    best->session.run.partitioner = NULL;
    return seconds;
}

/* The first run with a weight moves rows and is not counted. */
static double try_weight(struct best *best, double weight, int rounds)
{
    double times[BEST_ROUNDS_MAX];
    int i;
    best_time(best, weight);
    for (i = 0; i < rounds; i++)
        times[i] = best_time(best, weight);
    return median(times, rounds);
}

static double sweep(struct best *best, int rounds, double low, double step)
{
    double found = 0, least = INFINITY;
    int i;
    for (i = 0; i <= (step < 0.1 ? 6 : 10); i++) {
        const double weight = fmax(low + i * step, 0);
        double seconds;
        if (low + i * step < -1e-9 || weight > 1 + 1e-9)
            continue;
        seconds = try_weight(best, weight, rounds);
        if (seconds < least) {
            found = weight;
            least = seconds;
        }
    }
    return found;
}

double best_weight(struct best *best, int rounds)
{
    return sweep(best, rounds, sweep(best, rounds, 0, 0.1) - 0.075, 0.025);
}

void best_close(struct best *best)
{
    ensure(app_session_detach(&best->session));
    best->spec.app->close(best->state);
    ensure(app_session_close(&best->session));
}
