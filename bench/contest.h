/* contest.h - an application opened from words for a contest: SIZE ROUNDS [OPTION=VALUE ...].
 *
 * Options are the application's, and input=FILE. Every failure ends the program, with the reason.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "driver.h"

enum { CONTEST_ROUNDS_MAX = 1000 };

struct contest {
    struct measure_spec spec;
    struct app_session session; /* the data lie in its memory, so it is closed last */
    void *state;
    int rounds;
};

/* Ends the program, with the reason, unless all went well. */
void contest_well(yoke_status status);
/* What `words` (NULL ends them) say into spec, with the plain kernel, and rounds; 0: they make no
 * sense. */
int contest_words(const struct app *app, char *const *words, struct contest *out);
/* Opened and attached to the spec's devices. */
void contest_open(struct contest *contest);
void contest_close(struct contest *contest);

#endif
