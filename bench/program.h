/* program.h - what the comparison programs share: medians, failures, options. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdint.h>
#include <yoke/status.h>

/* The monotonic clock, in seconds. */
double now_s(void);
/* Sorts the values. */
double median(double *values, int count);
/* Ends the program with a message unless `status` is YOKE_OK. */
void must(yoke_status status, const char *what);
/* Reads "A", "AxB" or "AxBxC", numbers of at least `least`. Returns how many there are; 0: not a
 * size. */
int read_size(const char *text, int64_t least, int64_t *size);

/* The text after NAME= in `word`; NULL: `word` begins differently. */
const char *value_of(const char *word, const char *name);
/* An option of the program, NAME=VALUE. Exactly one of its pointers is not NULL. */
struct program_option {
    const char *name; /* NULL ends a list */
    int *whole;
    int64_t *large; /* with K, M, G as powers of 1024; at most 2^53 */
    double *real;
    const char **text;
};
/* Stores `word` in its option's place. 0: it is no option, or not a number where a number
 * belongs. */
int read_option(const struct program_option *options, const char *word);

#endif
