/* contest.c - see contest.h. */
#include "contest.h"

#include <stdlib.h>

#include "app_words.h"
#include "program.h"

void contest_well(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", app_error_text());
    exit(1);
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
    app_words_begin(app, &spec->input);
    spec->input.kernel = APP_KERNEL_PLAIN;
    for (words += 2; *words; words++)
        if (!app_word(app, *words, &spec->input))
            return 0;
    return 1;
}

void contest_open(struct contest *contest)
{
    struct measure_spec *spec = &contest->spec;
    spec->repeat = spec->verify = 1;
    spec->input.seed = 1;
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
