/* args.h - options from tables: the same table reads a command line and prints its help.
 */
#ifndef YOKE_CLI_ARGS_H
#define YOKE_CLI_ARGS_H

#include <stdint.h>

#include "app.h"

enum { ARGS_TABLES_MAX = 2, ARGS_WORDS_MAX = 4 };

struct args_table {
    const struct app_option *options; /* NULL-name terminated; an option without `value` is a
                                       * flag */
    const char **values;              /* one per option; "1" for a flag that is given */
};

struct args {
    const char *command; /* for messages */
    struct args_table tables[ARGS_TABLES_MAX];
    const char *words[ARGS_WORDS_MAX]; /* words that are not options, in order */
    int word_count, word_limit;
};

/* Returns 0, or 2 after a message that names the wrong word. */
int args_parse(struct args *args, int argc, char **argv);
/* Prints "yoke: ..." to standard error, with characters that could control a terminal as \\xNN. */
void args_say(const char *text);
/* Prints a formatted text like args_say; returns 2, the status for a usage error. */
int args_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns 1 if the text is a number, -1 if it is too large for 64 bits, 0 if it is not a number. A
 * count may end in k, M, G (thousands) or Ki, Mi, Gi. */
int args_count(const char *text, int64_t *out);
/* Reads N or WxHxD. Returns how many numbers it read, 0 if it is not a size, or -1 if one is too
 * large. */
int args_size(const char *text, int64_t size[3]);
/* Reads "5%", "5" or "0.05" as a fraction. Returns 1, or 0 if it is not between 0 and 1. */
int args_fraction(const char *text, double *out);

/* An option and the text of its value. If `text` is NULL, the readers below do not change *out.
 * They return 0, or 2 after a message. */
struct args_given {
    const char *option, *text;
};
/* A count within bounds. */
struct args_bounds {
    int64_t least, most;
};
int args_read_count(struct args_given given, struct args_bounds bounds, int64_t *out);
/* Sets *out to the index of the word in the NULL-terminated list `names`; `choice` lists the words
 * in the message. */
int args_read_word(struct args_given given, const char *const *names, const char *choice, int *out);
/* Checks that a timeline's file name ends in .json or .html. Returns 0, or 2 after a message. */
int args_check_trace(const char *path);

#endif
