/* problem.c - windows, chunks and comparison; see problem.h.
 */
#include "problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shapes.h"

void *allocate(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        abort();
    return memory;
}

/* Copies of the rows that indexes first .. last - 1 may touch. */
static void windows_open(const struct problem *problem, const yoke_chunk *chunk,
                         struct launch_arg *args)
{
    for (int p = 0; p < problem->kernel->param_count; p++) {
        const struct operand *operand = &problem->operands[p];
        int64_t from = chunk->first, to = chunk->last;
        args[p].value = operand->value;
        if (operand->value)
            continue;
        if (operand->reach == HALO) {
            from -= from > 0;
            to += to < problem->count;
        } else if (operand->reach == WHOLE) {
            from = 0;
            to = operand->count;
        }
        args[p].bytes = (size_t)(to - from) * operand->row_bytes;
        args[p].window = allocate(args[p].bytes);
        args[p].shift = -from * (int64_t)operand->row_bytes;
        memcpy(args[p].window, (char *)operand->rows - args[p].shift, args[p].bytes);
    }
}

static void windows_close(const struct problem *problem, struct launch_arg *args)
{
    for (int p = 0; p < problem->kernel->param_count; p++) {
        if (!args[p].window)
            continue;
        if (problem->kernel->params[p].mode != YOKE_PARAM_IN)
            memcpy((char *)problem->operands[p].rows - args[p].shift, args[p].window,
                   args[p].bytes);
        free(args[p].window);
    }
}

void run(const struct launcher *launcher, const struct problem *problem)
{
    const int64_t unit = problem->kernel->unit > 1 ? problem->kernel->unit : 1;
    const int64_t cut = problem->count * 2 / 5 / unit * unit;
    const int64_t bounds[] = { 0, cut, cut + (problem->count - cut) / 3 / unit * unit,
                               problem->count };
    for (int c = 0; c < 3; c++) {
        struct launch_arg args[24] = { { 0 } };
        yoke_chunk chunk = { .first = bounds[c],
                             .last = bounds[c + 1],
                             .extent = { problem->extent[0] ? problem->extent[0] : 1,
                                         problem->extent[1] ? problem->extent[1] : 1 },
                             .team = 1 };
        chunk.second.first = problem->second[0];
        chunk.second.last = problem->second[1] ? problem->second[1] : chunk.extent[0];
        chunk.third.first = problem->third[0];
        chunk.third.last = problem->third[1] ? problem->third[1] : chunk.extent[1];
        if (chunk.first == chunk.last)
            continue;
        windows_open(problem, &chunk, args);
        launcher->launch(launcher->state, problem->kernel, args, &chunk);
        windows_close(problem, args);
    }
}

void near(const char *what, int64_t at, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * (1.0 + fabs(expected))))
        fail_msg("%s[%lld] is %.9g, expected %.9g", what, (long long)at, value, expected);
}

void same(const char *what, int64_t at, int64_t value, int64_t expected)
{
    if (value != expected)
        fail_msg("%s[%lld] is %lld, expected %lld", what, (long long)at, (long long)value,
                 (long long)expected);
}

float noise(int64_t i)
{
    return ((float)((i * 7919 + 13) % 1009) + 0.5f) / 1010.0f;
}

float *noise_array(int64_t count)
{
    float *x = allocate((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = noise(i);
    return x;
}

int bin_of(float x)
{
    int bin = (int)(x * BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}
