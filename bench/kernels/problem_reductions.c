/* problem_reductions.c - problems with one result: the sum of a list, its largest element, the
 * index of its first smallest element. */
#include <math.h>

#include "problems.h"

static void list_and(struct problem *p, int64_t rows, size_t result_size)
{
    p->size[0] = rows;
    problem_array_add(p, rows, 1, sizeof(float));
    problem_array_add(p, 1, 1, result_size);
}
static void float_shape(struct problem *p, int64_t items)
{
    list_and(p, items, sizeof(float));
}
static void place_shape(struct problem *p, int64_t items)
{
    list_and(p, items, sizeof(place_t));
}

/* Whole numbers around 0: all sums, also of parts, are so small that floats are exact, in any
 * order. */
static void sum_fill(const struct problem *p)
{
    float *x = p->array[0].at, *sum = p->array[1].at;
#pragma omp parallel for
    for (int64_t k = 0; k < p->size[0]; k++)
        x[k] = (float)(floor(255 * problem_random(k, 0)) - 127);
    *sum = NAN;
}

static int64_t sum_wrong(const struct problem *p)
{
    const float *x = p->array[0].at, *got = p->array[1].at;
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t k = 0; k < p->size[0]; k++)
        sum += (int64_t)x[k];
    return !((double)*got == (double)sum);
}

static void max_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 0, 1);
    *(float *)p->array[1].at = NAN;
}

/* Counts elements above the result; plus 1 if no element equals it. */
static int64_t max_wrong(const struct problem *p)
{
    const float *x = p->array[0].at, got = *(float *)p->array[1].at;
    int64_t above = 0, equal = 0;
#pragma omp parallel for reduction(+ : above, equal)
    for (int64_t k = 0; k < p->size[0]; k++) {
        above += !(x[k] <= got);
        equal += x[k] == got;
    }
    return above + !equal;
}

static void argmin_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 0, 1);
    *(place_t *)p->array[1].at = (place_t){ NAN, -1 };
}

/* Counts elements below the result, and equal ones before its index; 1 if the result is not an
 * element. */
static int64_t argmin_wrong(const struct problem *p)
{
    const float *x = p->array[0].at;
    const place_t got = *(place_t *)p->array[1].at;
    int64_t wrong = 0;
    if (got.place < 0 || got.place >= p->size[0] || !(x[got.place] == got.value))
        return 1;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++)
        wrong += x[k] < got.value || (x[k] == got.value && k < got.place);
    return wrong;
}

const struct problem_kind problem_sum = { "sum", float_shape, sum_fill, sum_wrong };
const struct problem_kind problem_max = { "max", float_shape, max_fill, max_wrong };
const struct problem_kind problem_argmin = { "argmin", place_shape, argmin_fill, argmin_wrong };
