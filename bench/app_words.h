/* app_words.h - an application's options among a program's words. */
#ifndef BENCH_APP_WORDS_H
#define BENCH_APP_WORDS_H

#include "app.h"

/* Each option as it is if nobody says anything. */
void app_words_begin(const struct app *app, struct app_spec *out);
/* NAME=VALUE of the application, or input=FILE, into *out; 0: it is none of these. */
int app_word(const struct app *app, const char *word, struct app_spec *out);

#endif
