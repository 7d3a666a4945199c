/* adaptive.c - compares all partitioners on the same data in one process, in turns: time,
 * efficiency, gain and regret. Host threads spin, yield or block, with as many threads as cores, or
 * more.
 *
 *     yoke-bench-adaptive APP SIZE DEVICES [rounds=5] [seconds=30] [threads=0] [NAME=VALUE ...]
 *
 * SIZE is as for `yoke run`; NAME=VALUE are the application's own options (steps=5). The order:
 * 1. The first run with auto, in the fresh process, where drivers are still being loaded.
 * 2. Each device alone, and the sweep for the best fixed split (apps/driver.h).
 * 3. First runs of runtimes that are ready but know nothing.
 * 4. Turns that judge auto, with default threads: beside the best split and the best device alone.
 * 5. Turns of all partitioners, with each way of waiting.
 * Prints JSON. `threads`: 0, or the number of cores; then three thread counts are tried: that
 * number, one more and two more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app_words.h"
#include "../program.h"
#include "driver.h"

enum { ROWS_MAX = 16, ROUNDS_MAX = 64, JUDGED_ROUNDS = 25, FIRST_RUNS = 5 };

struct settings {
    int rounds, threads;
    double seconds; /* time limit for one group of rows */
    char chunks[5][64];
    /* Partitioners: the best fixed split, and everything on the best device. */
    char oracle[512], alone[512];
};

/* Rows of one group share a runtime. Each row keeps its times. */
struct row {
    const char *name, *partitioner;
    double times[ROUNDS_MAX];
    int count;
    double shares[8];
};

struct group {
    int threads, rounds;
    yoke_waiting waiting;
    struct row rows[ROWS_MAX];
    int row_count;
};

static const char *const waiting_names[] = { "auto", "spin", "yield", "block" };

static int take_turns(struct app_session *session, struct group *group, double patience)
{
    double start = app_wall_seconds();
    int round, r, d, done = 0;
    for (round = 0; round <= group->rounds; round++)
        for (r = 0; r < group->row_count; r++) {
            struct row *row = &group->rows[r];
            double seconds;
            if (round > 1 && app_wall_seconds() - start > patience)
                continue;
            session->run.partitioner = row->partitioner;
            if (app_session_time(session, "turns", &seconds) != YOKE_OK)
                return -1;
            if (round > 0) /* the first turn builds kernels and learns speeds */
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
        row->name, waiting_names[group->waiting], group->threads, row->count, median, best, worst,
        auto_->ideal_seconds / median, auto_->gain * auto_->seconds / median, median / oracle - 1);
    for (d = 0; d < auto_->device_count && d < 8; d++)
        printf("%s%.4f", d ? ", " : "", all > 0 ? row->shares[d] / all : 0);
    printf("]}");
}

static void add_row(struct group *group, const char *name, const char *partitioner)
{
    group->rows[group->row_count++] = (struct row){ .name = name, .partitioner = partitioner };
}

static void add_rows(struct group *group, const struct settings *settings, int all)
{
    static const char *const few[] = { "auto", "nc-ht", "c-ht" };
    static const char *const others[] = { "even", "guided" };
    int i;
    group->row_count = 0;
    add_row(group, "oracle", settings->oracle);
    for (i = 0; i < 3; i++)
        add_row(group, few[i], few[i]);
    for (i = 0; all && i < 2; i++)
        add_row(group, others[i], others[i]);
    for (i = 0; all && i < 5; i++)
        add_row(group, settings->chunks[i], settings->chunks[i]);
}

/* Opens a separate runtime, waits until it is ready, and attaches the data. */
static yoke_status open_ready(struct measure_spec *spec, void *state, struct app_session *session)
{
    struct app_session_spec from = { .spec = spec };
    yoke_status status = app_session_open(&from, session);
    if (status == YOKE_OK)
        status = app_session_attach(session, state);
    if (status == YOKE_OK)
        yoke_ready(session->run.runtime);
    return status;
}

static int run_group(const struct measure_spec *spec, void *state, const struct settings *settings,
                     struct group *group)
{
    struct measure_spec mine = *spec;
    struct app_session session;
    int done = -1;
    mine.config.threads = group->threads;
    mine.config.waiting = group->waiting;
    if (open_ready(&mine, state, &session) == YOKE_OK)
        done = take_turns(&session, group, settings->seconds);
    if (app_session_close(&session) != YOKE_OK)
        done = -1;
    return done;
}

static int first_run(struct measure_spec *spec, void *state, const char *partitioner, double *time)
{
    struct app_session session;
    yoke_status status = open_ready(spec, state, &session);
    session.run.partitioner = partitioner;
    if (status == YOKE_OK)
        status = app_session_time(&session, "first runs", time);
    if (app_session_close(&session) != YOKE_OK || status != YOKE_OK)
        return -1;
    return 0;
}

static void print_times(const char *name, const double *times, int count)
{
    int i;
    printf(" \"%s\": [", name);
    for (i = 0; i < count; i++)
        printf("%s%.9f", i ? ", " : "", times[i]);
    printf("],\n");
}

/* First runs of runtimes whose drivers are loaded and whose kernels are on disk. auto pays here for
 * what it must learn. Both auto and the best fixed split pay for loading kernels, for devices'
 * pages and for copies of memory that is not pinned yet. */
static int first_runs(const struct measure_spec *spec, void *state, const struct settings *settings)
{
    struct measure_spec mine = *spec;
    double times[FIRST_RUNS], oracle[FIRST_RUNS];
    int i;
    for (i = 0; i < FIRST_RUNS; i++)
        if (first_run(&mine, state, "auto", &times[i]) < 0 ||
            first_run(&mine, state, settings->oracle, &oracle[i]) < 0)
            return -1;
    print_times("ready_first_seconds", times, FIRST_RUNS);
    print_times("oracle_first_seconds", oracle, FIRST_RUNS);
    return 0;
}

/* Writes "static:shares=..." for the oracle that measure() found, and for the best device alone. */
static void shares_text(const struct measure *auto_, struct settings *settings)
{
    size_t size = sizeof settings->oracle, at, alone_at;
    int d, best = 0;
    at = alone_at = (size_t)snprintf(settings->oracle, size, "static:shares=");
    memcpy(settings->alone, settings->oracle, at + 1);
    for (d = 1; d < auto_->device_count; d++)
        if (auto_->devices[d].alone_seconds < auto_->devices[best].alone_seconds)
            best = d;
    for (d = 0; d < auto_->device_count && at < size && alone_at < size; d++) {
        at += (size_t)snprintf(settings->oracle + at, size - at, "%s%.4f", d ? "/" : "",
                               auto_->devices[d].oracle_share);
        alone_at += (size_t)snprintf(settings->alone + alone_at, size - alone_at, "%s%d",
                                     d ? "/" : "", d == best);
    }
}

static void print_group(const struct group *group, const struct measure *auto_)
{
    static int first = 1;
    int r;
    for (r = 0; r < group->row_count; r++) {
        printf("%s", first ? " \"rows\": [\n" : ",\n");
        print_row(group, &group->rows[r], auto_,
                  app_median(group->rows[0].times, group->rows[0].count));
        first = 0;
    }
    fflush(stdout);
}

/* Judges auto, without a thread count or a way of waiting. */
static int judge(const struct measure_spec *spec, void *state, const struct settings *settings,
                 const struct measure *auto_)
{
    struct group group = { .rounds = JUDGED_ROUNDS };
    add_row(&group, "oracle", settings->oracle);
    add_row(&group, "best alone", settings->alone);
    add_row(&group, "auto", "auto");
    if (run_group(spec, state, settings, &group) < 0)
        return -1;
    print_group(&group, auto_);
    return 0;
}

static int judge_all(struct measure_spec *spec, const struct settings *settings,
                     const struct measure *auto_)
{
    static const yoke_waiting waits[] = { YOKE_WAIT_BLOCK, YOKE_WAIT_SPIN, YOKE_WAIT_YIELD };
    void *state;
    int w, t, counts = settings->threads ? 3 : 1;
    /* The data are in memory of this runtime. It sleeps. */
    struct app_session session;
    struct app_session_spec from = { .spec = spec };
    must(app_session_open(&from, &session), "a runtime");
    spec->input.memory.runtime = session.run.runtime;
    if (spec->app->open(&spec->input, &state) != YOKE_OK || first_runs(spec, state, settings) < 0 ||
        judge(spec, state, settings, auto_) < 0)
        return -1;
    for (t = 0; t < counts; t++)
        for (w = 0; w < 3; w++) {
            struct group group = { .threads = settings->threads ? settings->threads + t : 0,
                                   .rounds = settings->rounds,
                                   .waiting = waits[w] };
            add_rows(&group, settings, w == 0 && t == 0);
            if (run_group(spec, state, settings, &group) < 0)
                return -1;
            print_group(&group, auto_);
        }
    spec->app->close(state);
    return app_session_close(&session) == YOKE_OK ? 0 : -1;
}

static int read_word(struct measure_spec *spec, struct settings *settings, const char *word)
{
    const struct program_option options[] = {
        { "rounds", .whole = &settings->rounds },
        { "seconds", .real = &settings->seconds },
        { "threads", .whole = &settings->threads },
        { .name = NULL },
    };
    return read_option(options, word) || app_word(spec->app, word, &spec->input);
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
    app_words_begin(spec.app, &spec.input);
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
    printf("],\n");
    shares_text(&out, &settings);
    if (judge_all(&spec, &settings, &out) < 0) {
        fprintf(stderr, "%s\n", app_error_text());
        return 1;
    }
    printf("\n]}\n");
    measure_close(&out);
    return wrong;
}
