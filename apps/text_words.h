/* text_words.h - words and numbers of a line, in any locale.
 *
 * Each function takes what comes next at `*at` and moves `*at` past it. Words are separated by
 * blanks, and a # at the beginning of a word ends the line.
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

/* Returns the text after the blanks. */
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

/* Takes a word. Returns its length, 0 at the end of the line; *out is its beginning. */
size_t text_take_word(const char **at, const char **out);
/* Takes the next word and returns 1 if it is `word`; otherwise takes nothing and returns 0. */
int text_take_this(const char **at, const char *word);
/* Takes the rest of the line, also behind a #. Returns its length without the blanks around it. */
size_t text_take_rest(const char **at, const char **out);

/* Takes a decimal number. Returns 1; or 0, and takes nothing. nan and inf count as numbers here, so
 * that a caller that cannot use them can say so. The value is right to a few units in the last
 * place of a double. */
int text_take_number(const char **at, double *out);
/* Takes a whole number, up to its last digit. If it is beyond 10^18, *out is some number beyond
 * 10^18. */
#define TEXT_WHOLE_MOST 1000000000000000000 /* one more digit still fits into a uint64_t */
int text_take_whole(const char **at, int64_t *out);
/* Returns the number at `at` as it is written, for messages: its value may be too large. */
struct text_whole {
    char text[44];
};
struct text_whole text_whole_at(const char *at);

/* Takes a number; if there is none, an error names `what`. */
yoke_status text_number(const struct text_file *from, const char **at, const char *what,
                        double *out);
/* Reports that `what` was expected at `at`. */
yoke_status text_not_this(const struct text_file *from, const char *at, const char *what);

#endif
