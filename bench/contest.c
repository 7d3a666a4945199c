/* contest.c - see contest.h. */
#include "contest.h"

#include <stdlib.h>
#include <string.h>

#include "program.h"

void contest_well(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", app_error_text());
    exit(1);
}

/* NAME=VALUE; 0: there is no such option. */
static int take_option(const char *word, struct measure_spec *spec)
{
    const char *value = strchr(word, '=');
    const size_t length = value ? (size_t)(value++ - word) : 0;
    if (!length)
        return 0;
    if (length == 5 && !strncmp(word, "input", length))
        spec->input.input = value;
    for (int k = 0; spec->app->options && spec->app->options[k].name; k++)
        if (strlen(spec->app->options[k].name) == length &&
            !strncmp(word, spec->app->options[k].name, length)) {
            spec->input.values[k] = value;
            return 1;
        }
    return spec->input.input == value;
}

int contest_words(const struct app *app, char *const *words, struct contest *out)
{
    struct measure_spec *spec = &out->spec;
    int64_t rounds;
    if (!app || !words[0] || !words[1] || !read_size(words[0], 1, spec->input.size) ||
        read_size(words[1], 1, &rounds) != 1 || rounds > CONTEST_ROUNDS_MAX)
        return 0;
    spec->app = app;
    out->rounds = (int)rounds;
    for (int k = 0; app->options && app->options[k].name; k++)
        spec->input.values[k] = app->options[k].initial;
    for (words += 2; *words; words++)
        if (!take_option(*words, spec))
            return 0;
    return 1;
}

void contest_open(struct contest *contest)
{
    struct measure_spec *spec = &contest->spec;
    spec->repeat = spec->verify = 1;
    spec->input.seed = 1;
    spec->input.kernel = APP_KERNEL_PLAIN;
    contest_well(app_session_open(&(struct app_session_spec){ .spec = spec }, &contest->session));
    spec->input.memory.runtime = contest->session.run.runtime;
    contest_well(spec->app->open(&spec->input, &contest->state));
    contest_well(app_session_attach(&contest->session, contest->state));
}

void contest_close(struct contest *contest)
{
    contest_well(app_session_detach(&contest->session));
    contest->spec.app->close(contest->state);
    contest_well(app_session_close(&contest->session));
}
