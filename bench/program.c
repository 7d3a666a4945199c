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

int read_size(const char *text, int64_t least, int64_t *size)
{
    char *end;
    int count = 0;
    for (; *text && count < 3; text = *end == 'x' ? end + 1 : end) {
        size[count] = strtoll(text, &end, 10);
        if (end == text || size[count++] < least)
            return 0;
    }
    return count;
}
