/* adaptive.c - every partitioner on the same data in one process, taking turns: time, efficiency,
 * gain and regret, with host threads that spin, yield or block and as many threads as cores or
 * more.
 *
 *     yoke-bench-adaptive APP SIZE DEVICES [rounds=5] [seconds=30] [threads=0] [NAME=VALUE ...]
 *
 * SIZE as for `yoke run`; NAME=VALUE are the application's own options (steps=5). The first run
 * with auto is timed in the fresh process; then each device alone and the sweep for the best fixed
 * split (apps/driver.h), then the turns. Prints JSON. `threads`: 0, or the number of cores, from
 * which three counts are tried: that, one and two more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "driver.h"

enum { ROWS_MAX = 16, ROUNDS_MAX = 64 };

struct settings {
    int rounds, threads;
    double seconds; /* for one group of rows */
    char chunks[5][64];
};

/* Rows of one group share a runtime; each keeps its times. */
struct row {
    const char *partitioner; /* NULL: the oracle's split */
    double times[ROUNDS_MAX];
    int count;
    double shares[8];
};

struct group {
    int threads;
    yoke_waiting waiting;
    struct row rows[ROWS_MAX];
    int row_count;
};

static const char *const waiting_names[] = { "auto", "spin", "yield", "block" };

static int take_turns(struct app_session *session, struct group *group, const char *oracle,
                      const struct settings *settings)
{
    double start = app_wall_seconds();
    int round, r, d, done = 0;
    for (round = 0; round <= settings->rounds; round++)
        for (r = 0; r < group->row_count; r++) {
            struct row *row = &group->rows[r];
            double seconds;
            if (round > 1 && app_wall_seconds() - start > settings->seconds)
                continue;
            session->run.partitioner = row->partitioner ? row->partitioner : oracle;
            if (app_session_time(session, "turns", &seconds) != YOKE_OK)
                return -1;
            if (round > 0) /* the first turn builds kernels and teaches speeds */
                row->times[row->count++] = seconds;
            for (d = 0; d < session->run.tally.device_count && d < 8; d++)
                row->shares[d] = (double)session->run.tally.devices[d].items;
            done++;
        }
    return done;
}

static void print_row(const struct group *group, const struct row *row, const struct measure *auto_,
                      double oracle)
{
    double median = app_median(row->times, row->count), best = INFINITY, all = 0, worst = 0;
    int i, d;
    for (i = 0; i < row->count; i++) {
        best = fmin(best, row->times[i]);
        worst = fmax(worst, row->times[i]);
    }
    for (d = 0; d < 8; d++)
        all += row->shares[d];
    printf(
        "    {\"partitioner\": \"%s\", \"wait\": \"%s\", \"threads\": %d, \"runs\": %d, "
        "\"seconds\": "
        "%.9f, \"least\": %.9f, \"most\": %.9f, \"efficiency\": %.5f, \"gain\": %.5f, \"regret\": "
        "%.5f, \"shares\": [",
        row->partitioner ? row->partitioner : "oracle", waiting_names[group->waiting],
        group->threads, row->count, median, best, worst, auto_->ideal_seconds / median,
        auto_->gain * auto_->seconds / median, median / oracle - 1);
    for (d = 0; d < auto_->device_count && d < 8; d++)
        printf("%s%.4f", d ? ", " : "", all > 0 ? row->shares[d] / all : 0);
    printf("]}");
}

static void add_rows(struct group *group, const struct settings *settings, int all)
{
    static const char *const few[] = { NULL, "auto", "nc-ht", "c-ht" };
    static const char *const others[] = { "even", "guided" };
    int i;
    group->row_count = 0;
    for (i = 0; i < 4; i++)
        group->rows[group->row_count++] = (struct row){ .partitioner = few[i] };
    for (i = 0; all && i < 2; i++)
        group->rows[group->row_count++] = (struct row){ .partitioner = others[i] };
    for (i = 0; all && i < 5; i++)
        group->rows[group->row_count++] = (struct row){ .partitioner = settings->chunks[i] };
}

static int run_group(const struct measure_spec *spec, void *state, const char *oracle,
                     const struct settings *settings, struct group *group)
{
    struct measure_spec mine = *spec;
    struct app_session session;
    struct app_session_spec from = { .spec = &mine };
    int done = -1;
    mine.config.threads = group->threads;
    mine.config.waiting = group->waiting;
    if (app_session_open(&from, &session) == YOKE_OK &&
        app_session_attach(&session, state) == YOKE_OK) {
        yoke_ready(session.run.runtime);
        done = take_turns(&session, group, oracle, settings);
    }
    if (app_session_close(&session) != YOKE_OK)
        done = -1;
    return done;
}

/* "static:shares=..." of the oracle that measure() found. */
static void oracle_text(const struct measure *auto_, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "static:shares=");
    int d;
    for (d = 0; d < auto_->device_count && at < size; d++)
        at += (size_t)snprintf(text + at, size - at, "%s%.4f", d ? "/" : "",
                               auto_->devices[d].oracle_share);
}

static int judge_all(struct measure_spec *spec, const struct settings *settings,
                     const struct measure *auto_)
{
    static const yoke_waiting waits[] = { YOKE_WAIT_BLOCK, YOKE_WAIT_SPIN, YOKE_WAIT_YIELD };
    char oracle[512];
    void *state;
    int w, t, r, first = 1, counts = settings->threads ? 3 : 1;
    /* The data lie in memory of this runtime, which sleeps. */
    struct app_session session;
    struct app_session_spec from = { .spec = spec };
    oracle_text(auto_, oracle, sizeof oracle);
    must(app_session_open(&from, &session), "a runtime");
    spec->input.memory.runtime = session.run.runtime;
    if (spec->app->open(&spec->input, &state) != YOKE_OK)
        return -1;
    for (t = 0; t < counts; t++)
        for (w = 0; w < 3; w++) {
            struct group group = { .threads = settings->threads ? settings->threads + t : 0,
                                   .waiting = waits[w] };
            add_rows(&group, settings, w == 0 && t == 0);
            if (run_group(spec, state, oracle, settings, &group) < 0)
                return -1;
            for (r = 0; r < group.row_count; r++) {
                printf("%s", first ? "" : ",\n");
                print_row(&group, &group.rows[r], auto_,
                          app_median(group.rows[0].times, group.rows[0].count));
                first = 0;
            }
            fflush(stdout);
        }
    spec->app->close(state);
    return app_session_close(&session) == YOKE_OK ? 0 : -1;
}

static int read_word(struct measure_spec *spec, struct settings *settings, const char *word)
{
    const char *value = strchr(word, '=');
    int o;
    if (!value)
        return 0;
    if (!strncmp(word, "rounds=", 7))
        settings->rounds = atoi(value + 1);
    else if (!strncmp(word, "seconds=", 8))
        settings->seconds = atof(value + 1);
    else if (!strncmp(word, "threads=", 8))
        settings->threads = atoi(value + 1);
    else if (!strncmp(word, "input=", 6))
        spec->input.input = value + 1;
    else
        for (o = 0; spec->app->options && spec->app->options[o].name; o++)
            if (strlen(spec->app->options[o].name) == (size_t)(value - word) &&
                !strncmp(spec->app->options[o].name, word, (size_t)(value - word))) {
                spec->input.values[o] = value + 1;
                return 1;
            }
    return !strncmp(word, "rounds=", 7) || !strncmp(word, "seconds=", 8) ||
           !strncmp(word, "threads=", 8) || !strncmp(word, "input=", 6);
}

int main(int argc, char **argv)
{
    static const int parts[] = { 20, 80, 320, 1280, 5120 };
    struct settings settings = { .rounds = 5, .seconds = 30 };
    struct measure_spec spec = { .repeat = 5, .verify = 1, .baselines = 1, .sweep_step = 0.05 };
    struct measure out;
    int i, wrong;
    spec.app = argc > 3 ? app_find(argv[1]) : NULL;
    if (!spec.app || !read_size(argv[2], 0, spec.input.size)) {
        fprintf(stderr,
                "usage: %s APP SIZE DEVICES [rounds=N] [seconds=S] [threads=N] [NAME=VALUE ...]\n",
                argv[0]);
        return 2;
    }
    spec.config.devices = argv[3];
    spec.input.seed = 1;
    for (i = 0; spec.app->options && spec.app->options[i].name; i++)
        spec.input.values[i] = spec.app->options[i].initial;
    for (i = 4; i < argc; i++)
        if (!read_word(&spec, &settings, argv[i])) {
            fprintf(stderr, "'%s' is no option of this program or of %s\n", argv[i], argv[1]);
            return 2;
        }
    if (settings.rounds < 1 || settings.rounds >= ROUNDS_MAX)
        settings.rounds = 5;
    if (measure(&spec, &out) != YOKE_OK) {
        fprintf(stderr, "%s\n", app_error_text());
        return 1;
    }
    for (i = 0; i < 5; i++)
        snprintf(settings.chunks[i], sizeof settings.chunks[i], "dynamic:chunk=%lld",
                 (long long)fmax(1, (double)out.devices[0].rows / parts[i] +
                                        (double)(out.device_count > 1 ? out.devices[1].rows : 0) /
                                            parts[i]));
    wrong = out.verified != 1;
    printf("{\"app\": \"%s\", \"size\": \"%s\", \"verified\": %s, \"first_seconds\": %.9f, "
           "\"seconds\": %.9f, \"whole_seconds\": %.9f, \"ideal_seconds\": %.9f, \"gain\": %.5f, "
           "\"regret\": %.5f, \"oracle_seconds\": %.9f,\n \"devices\": [",
           argv[1], argv[2], wrong ? "false" : "true", out.first_seconds, out.seconds,
           isnan(out.whole_seconds) ? 0 : out.whole_seconds, out.ideal_seconds, out.gain,
           out.regret, out.oracle_seconds);
    for (i = 0; i < out.device_count; i++)
        printf("%s{\"name\": \"%s\", \"alone_seconds\": %.9f, \"share\": %.4f, \"oracle_share\": "
               "%.4f}",
               i ? ", " : "", out.devices[i].name, out.devices[i].alone_seconds,
               out.devices[i].share, out.devices[i].oracle_share);
    printf("],\n \"rows\": [\n");
    if (judge_all(&spec, &settings, &out) < 0) {
        fprintf(stderr, "%s\n", app_error_text());
        return 1;
    }
    printf("\n]}\n");
    measure_close(&out);
    return wrong;
}
