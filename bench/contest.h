/* contest.h - opens an application for a contest from the words SIZE ROUNDS [OPTION=VALUE ...].
 *
 * Options are the application's, and input=FILE. A failure ends the program with a message.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "driver.h"

enum { CONTEST_ROUNDS_MAX = 1000 };

struct contest {
    struct measure_spec spec;
    struct app_session session; /* the data are in its memory, so close it last */
    void *state;
    int rounds;
};

/* Ends the program with a message unless `status` is YOKE_OK. */
void contest_well(yoke_status status);
/* Reads `words` (NULL ends them) into spec, with the plain kernel, and rounds. 0: the words are
 * wrong. */
int contest_words(const struct app *app, char *const *words, struct contest *out);
/* Opens the application and attaches it to the spec's devices. */
void contest_open(struct contest *contest);
void contest_close(struct contest *contest);

#endif
