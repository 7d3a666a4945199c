/* text_words.h - words and numbers of a line, whatever the locale.
 *
 * Each takes what is next at `*at`, which is then behind it. Blanks are between words, and a # at
 * a word's beginning ends the line.
 */
#ifndef YOKE_APPS_TEXT_WORDS_H
#define YOKE_APPS_TEXT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "text_file.h"

static inline int text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int text_word_ends(const char *at)
{
    return *at == 0 || text_is_blank(*at);
}

/* Behind the blanks. */
static inline const char *text_skip_blanks(const char *at)
{
    while (text_is_blank(*at))
        at++;
    return at;
}

static inline int text_at_end(const char **at)
{
    *at = text_skip_blanks(*at);
    return **at == 0 || **at == '#';
}

/* A word's length, which is 0 at the end; it begins at `*out`. */
size_t text_take_word(const char **at, const char **out);
/* Whether the next word is `word`; if not, nothing is taken. */
int text_take_this(const char **at, const char *word);
/* The rest of the line, without blanks around it; a # belongs to it. */
size_t text_take_rest(const char **at, const char **out);

/* 1, or 0 and nothing is taken. Numbers are decimal; nan and inf are numbers here, so that what
 * they are too much for can say so. The value is right to a few units in a double's last place. */
int text_take_number(const char **at, double *out);
/* A whole number, which ends where its digits do; a value beyond 10^18 is some value beyond that.
 */
#define TEXT_WHOLE_MOST 1000000000000000000 /* another digit still fits */
int text_take_whole(const char **at, int64_t *out);
/* The one at `at` as it is written there, for messages: its value may be beyond. */
struct text_whole {
    char text[44];
};
struct text_whole text_whole_at(const char *at);

/* The next number is `what`, or an error says so. */
yoke_status text_number(const struct text_file *from, const char **at, const char *what,
                        double *out);
/* The error: what is there is not `what`. */
yoke_status text_not_this(const struct text_file *from, const char *at, const char *what);

#endif
