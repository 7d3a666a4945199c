/* program.h - what the comparison programs share: medians, failing, words of the command line. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdint.h>
#include <yoke/status.h>

/* Sorts the values. */
double median(double *values, int count);
/* Ends the program, with the reason, unless all went well. */
void must(yoke_status status, const char *what);
/* "A", "AxB" or "AxBxC" with numbers of at least `least`: how many there are; 0 if it is none. */
int read_size(const char *text, int64_t least, int64_t *size);

/* What follows NAME= in `word`; NULL: it begins otherwise. */
const char *value_of(const char *word, const char *name);
/* An option of the program's own, NAME=VALUE, with the one place that it has. */
struct program_option {
    const char *name; /* NULL ends a list */
    int *whole;
    int64_t *large; /* with K, M, G as powers of 1024; up to 2^53 */
    double *real;
    const char **text;
};
/* `word` into its option's place; 0: it is none of them, or no number where one should be. */
int read_option(const struct program_option *options, const char *word);

#endif
