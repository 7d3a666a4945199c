/* program.h - what the comparison programs share. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <yoke/status.h>

/* Sorts the values. */
double median(double *values, int count);
/* Ends the program, with the reason, unless all went well. */
void must(yoke_status status, const char *what);

#endif
