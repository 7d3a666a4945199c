/* program.h - what the comparison programs share. */
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

#endif
