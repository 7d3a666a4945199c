/* problems.c - see problems.h. */
#include "problems.h"

#include <math.h>
#include <stdlib.h>

const int32_t mandelbrot_limit = 256, lookup_points = 4096;
const int64_t dot_columns = 1024;
const float option_rate = 0.02f, option_volatility = 0.3f, saxpy_a = 0.75f;
const field_t push_field = { 0.1, -0.2, 0.3, 0.4, 0.5, -0.6 };
const double push_dt = 0.125;

const struct problem_kind *const problem_kinds[PROBLEM_COUNT] = { &problem_mandelbrot,
                                                                  &problem_blur,
                                                                  &problem_black_scholes,
                                                                  &problem_binomial,
                                                                  &problem_dot_add,
                                                                  &problem_dot_group,
                                                                  &problem_dot_reduce,
                                                                  &problem_dot_rows,
                                                                  &problem_histogram,
                                                                  &problem_stencil,
                                                                  &problem_stencil_interior,
                                                                  &problem_push,
                                                                  &problem_lookup,
                                                                  &problem_gather,
                                                                  &problem_mixed,
                                                                  &problem_saxpy,
                                                                  &problem_sum,
                                                                  &problem_max,
                                                                  &problem_argmin };

int problem_open(const struct problem_kind *kind, int64_t items, struct problem *out)
{
    struct problem problem = { .kind = kind, .size = { 1, 1, 1 }, .runs = 1 };
    kind->shape(&problem, items);
    for (int a = 0; a < problem.array_count; a++) {
        struct problem_array *array = &problem.array[a];
        const size_t bytes =
            (size_t)array->rows * (size_t)array->row_elements * array->element_size;
        array->at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        if (!array->at) {
            problem_close(&problem);
            return 0;
        }
    }
    *out = problem;
    return 1;
}

void problem_close(struct problem *problem)
{
    for (int a = 0; a < problem->array_count; a++)
        free(problem->array[a].at);
}

void problem_array_add(struct problem *problem, int64_t rows, int64_t row_elements,
                       size_t element_size)
{
    problem->array[problem->array_count++] = (struct problem_array){ .rows = rows,
                                                                     .row_elements = row_elements,
                                                                     .element_size = element_size };
}

/* The finaliser of splitmix64. */
double problem_random(int64_t index, int stream)
{
    uint64_t x = (uint64_t)index * 0x9e3779b97f4a7c15u + (uint64_t)stream * 0xd1b54a32d192ed03u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53;
}

int problem_is_near(double got, double want, double allowed)
{
    return fabs(got - want) <= allowed; /* false for NAN */
}

float problem_float(int64_t index, int array, double low, double high)
{
    return (float)(low + (high - low) * problem_random(index, array));
}

void problem_fill_floats(const struct problem *problem, int array, double low, double high)
{
    const struct problem_array *a = &problem->array[array];
    float *at = a->at;
    const int64_t count = a->rows * a->row_elements;
#pragma omp parallel for
    for (int64_t k = 0; k < count; k++)
        at[k] = problem_float(k, array, low, high);
}
