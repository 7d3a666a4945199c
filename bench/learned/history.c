/* history.c - repeats an application in one process, and records each run's time and the work of
 * each class of devices: while a rule changes the CPU weight, or while other threads keep the cores
 * busy during some of the runs.
 *
 *     yoke-bench-history APP SIZE DEVICES [runs=40] [partitioner=NAME] [weight=W] [policy=paper]
 *                        [from=RUN] [to=RUN] [busy=THREADS] [sweep=ROUNDS] [NAME=VALUE ...]
 *
 * SIZE is numbers with x between them. NAME=VALUE are the application's own options, and
 * input=FILE. The first runs, until all devices have joined, are not recorded. weight, policy: set
 * in the runtime after these. from, to: runs from .. to - 1 have `busy` load threads (default: as
 * many as online cores). sweep: first, the best fixed weights without and with load are searched,
 * with ROUNDS runs per weight. Each recorded run then alternates with a run at the best weight,
 * because the speed of a shared machine changes within seconds. Prints JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../app_words.h"
#include "../program.h"
#include "best.h"
#include "busy.h"

enum { RUNS_MAX = APP_REPEAT_MAX };

struct settings {
    int runs, from, to, busy, sweep;
    double weight; /* < 0: none */
    const char *policy;
};

/* The opponent of each run: the best weights without load and with load. */
struct rival {
    struct best best;
    double weights[2];
};

static struct busy busy;

static void fail(void)
{
    fprintf(stderr, "%s\n", app_error_text());
    exit(1);
}

static double time_run(struct app_session *session, const char *what)
{
    double seconds;
    if (app_session_time(session, what, &seconds) != YOKE_OK)
        fail();
    return seconds;
}

/* The weight that split the latest run; NaN: none. */
static double weight_of(const struct app_session *session)
{
    static const char key[] = "weight:cpu=";
    const char *text = session->run.tally.partitioner;
    return strncmp(text, key, sizeof key - 1) ? NAN : strtod(text + sizeof key - 1, NULL);
}

static void find_rival(const struct measure_spec *spec, const struct settings *settings,
                       struct rival *out)
{
    best_open(spec, &out->best);
    out->weights[0] = best_weight(&out->best, settings->sweep);
    busy_start(&busy, settings->busy);
    out->weights[1] = best_weight(&out->best, settings->sweep);
    busy_stop(&busy);
    printf("\"best_weight\": %.4f, \"best_weight_loaded\": %.4f,\n", out->weights[0],
           out->weights[1]);
}

static void print_run(struct app_session *session, double seconds, int loaded, int first)
{
    const double weight = weight_of(session);
    yoke_times times;
    must(yoke_last_times(session->run.runtime, NULL, &times), "the run's times");
    printf("%s{\"seconds\": %.9f, \"cpu_seconds\": %.9f, \"gpu_seconds\": %.9f, "
           "\"cpu_items\": %lld, \"gpu_items\": %lld, \"loaded\": %s, ",
           first ? "" : ",\n  ", seconds, times.cpu_seconds, times.gpu_seconds,
           (long long)times.cpu_items, (long long)times.gpu_items, loaded ? "true" : "false");
    if (isnan(weight))
        printf("\"weight\": null");
    else
        printf("\"weight\": %.6f", weight);
}

static void set_weight(struct app_session *session, const struct settings *settings)
{
    static const struct {
        const char *name;
        yoke_weight_fn *rule;
    } rules[] = { { "none", NULL }, { "paper", yoke_weight_paper }, { "rate", yoke_weight_rate } };
    size_t r = 0;
    if (settings->weight < 0)
        return;
    while (r < 3 && strcmp(rules[r].name, settings->policy))
        r++;
    if (r == 3) {
        fprintf(stderr, "policy=%s: give none, paper or rate\n", settings->policy);
        exit(2);
    }
    must(yoke_set_cpu_weight(session->run.runtime, NULL, settings->weight), "the weight");
    must(yoke_set_weight_policy(session->run.runtime, NULL, rules[r].rule, NULL), "the policy");
}

/* `rival`: NULL: none. */
static void record(struct app_session *session, const struct settings *settings,
                   struct rival *rival)
{
    double seconds;
    int run;
    if (app_session_warm_up(session, &seconds) != YOKE_OK)
        fail();
    set_weight(session, settings);
    printf("\"runs\": [\n  ");
    for (run = 0; run < settings->runs; run++) {
        const int loaded = run >= settings->from && run < settings->to;
        if (run == settings->from && loaded)
            busy_start(&busy, settings->busy);
        if (run == settings->to)
            busy_stop(&busy);
        seconds = time_run(session, "history");
        print_run(session, seconds, loaded, run == 0);
        if (rival)
            printf(", \"best_seconds\": %.9f", best_time(&rival->best, rival->weights[loaded]));
        printf("}");
    }
    busy_stop(&busy);
    printf("]");
}

static void run_all(struct measure_spec *spec, const struct settings *settings)
{
    const struct app_session_spec from = { .spec = spec };
    const int has_rival = settings->sweep > 0;
    struct rival rival;
    struct app_session session;
    void *state = NULL;
    int d;
    if (has_rival)
        find_rival(spec, settings, &rival);
    if (app_session_open(&from, &session) != YOKE_OK)
        fail();
    spec->input.memory.runtime = session.run.runtime;
    if (spec->app->open(&spec->input, &state) != YOKE_OK ||
        app_session_attach(&session, state) != YOKE_OK)
        fail();
    record(&session, settings, has_rival ? &rival : NULL);
    printf(",\n\"devices\": [");
    for (d = 0; d < session.run.tally.device_count; d++)
        printf("%s\"%s\"", d ? ", " : "", session.run.tally.devices[d].name);
    printf("]");
    if (has_rival)
        best_close(&rival.best);
    if (app_session_detach(&session) != YOKE_OK)
        fail();
    spec->app->close(state);
    if (app_session_close(&session) != YOKE_OK)
        fail();
}

static int read_word(struct measure_spec *spec, struct settings *settings, const char *word)
{
    const struct program_option options[] = {
        { "runs", .whole = &settings->runs },
        { "from", .whole = &settings->from },
        { "to", .whole = &settings->to },
        { "busy", .whole = &settings->busy },
        { "sweep", .whole = &settings->sweep },
        { "weight", .real = &settings->weight },
        { "policy", .text = &settings->policy },
        { "partitioner", .text = &spec->config.partitioner },
        { .name = NULL },
    };
    return read_option(options, word) || app_word(spec->app, word, &spec->input);
}

static int are_possible(const struct settings *settings)
{
    return settings->runs >= 1 && settings->runs <= RUNS_MAX && settings->sweep >= 0 &&
           settings->sweep <= BEST_ROUNDS_MAX && settings->busy >= 0 &&
           settings->busy <= BUSY_MOST && settings->weight <= 1;
}

int main(int argc, char **argv)
{
    struct settings settings = { .runs = 40,
                                 .from = RUNS_MAX + 1,
                                 .to = RUNS_MAX + 1,
                                 .busy = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                 .weight = -1,
                                 .policy = "none" };
    struct measure_spec spec = { .repeat = 1 };
    int i;
    spec.app = argc > 3 ? app_find(argv[1]) : NULL;
    if (!spec.app || !read_size(argv[2], 0, spec.input.size)) {
        fprintf(stderr, "usage: %s APP SIZE DEVICES [runs=N] [NAME=VALUE ...]\n", argv[0]);
        return 2;
    }
    spec.config.devices = argv[3];
    spec.input.seed = 1;
    app_words_begin(spec.app, &spec.input);
    for (i = 4; i < argc; i++)
        if (!read_word(&spec, &settings, argv[i])) {
            fprintf(stderr, "'%s' is no option of this program or of %s\n", argv[i], argv[1]);
            return 2;
        }
    if (!are_possible(&settings)) {
        fprintf(stderr, "a number is out of range\n");
        return 2;
    }
    printf("{\"app\": \"%s\", \"size\": \"%s\", \"partitioner\": \"%s\", \"policy\": \"%s\", "
           "\"busy\": %d, \"from\": %d, \"to\": %d,\n",
           argv[1], argv[2], spec.config.partitioner ? spec.config.partitioner : "auto",
           settings.policy, settings.busy, settings.from, settings.to);
    run_all(&spec, &settings);
    printf("}\n");
    return 0;
}
