/* program.c - see program.h. */
#include "program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

const char *value_of(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

static int read_whole(const char *text, int *out)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < INT_MIN || value > INT_MAX)
        return 0;
    *out = (int)value;
    return 1;
}

static int read_large(const char *text, int64_t *out)
{
    char *end;
    double value = strtod(text, &end);
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    value *= (double)((int64_t)1 << shift);
    if (end == text || end[shift > 0] || !(value >= -0x1p53 && value <= 0x1p53))
        return 0;
    *out = (int64_t)value;
    return 1;
}

static int read_real(const char *text, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end)
        return 0;
    *out = value;
    return 1;
}

int read_option(const struct program_option *options, const char *word)
{
    const char *value = NULL;
    while (options->name && !(value = value_of(word, options->name)))
        options++;
    if (!value)
        return 0;
    if (options->whole)
        return read_whole(value, options->whole);
    if (options->large)
        return read_large(value, options->large);
    if (options->real)
        return read_real(value, options->real);
    *options->text = value;
    return 1;
}
