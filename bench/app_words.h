/* app_words.h - reads an application's options from a program's command line. */
#ifndef BENCH_APP_WORDS_H
#define BENCH_APP_WORDS_H

#include "app.h"

/* Sets each option to its default. */
void app_words_begin(const struct app *app, struct app_spec *out);
/* Reads NAME=VALUE of the application, or input=FILE, into *out. 0: `word` is neither. */
int app_word(const struct app *app, const char *word, struct app_spec *out);

#endif
