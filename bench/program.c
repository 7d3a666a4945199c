/* program.c - see program.h. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

void must(yoke_status status, const char *what)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, yoke_error_text());
    exit(1);
}
