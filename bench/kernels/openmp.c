/* openmp.c - the loops of kernels.c in plain OpenMP, with the directives that a user would write; a
 * shared object that the benchmark loads, so that it can be compiled for the machine at hand:
 *
 *     gcc -O3 -march=native -fopenmp -shared -fPIC -Iopenmp -I../../include -o openmp.so openmp.c
 */
#include "plain.h"

#include <string.h>

#define OPENMP_mandelbrot    omp parallel for schedule(dynamic) /* rows take unlike times */
#define OPENMP_blur_rows     omp parallel for
#define OPENMP_blur_columns  omp parallel for
#define OPENMP_black_scholes omp parallel for simd
#define OPENMP_binomial      omp parallel for
#define OPENMP_dot_add       omp parallel for simd reduction(+ : sum[:1])
#define OPENMP_dot_group     omp parallel for reduction(+ : sum[:1])
#define OPENMP_dot_reduce    omp parallel for simd reduction(+ : sum[:1])
#define OPENMP_dot_rows      omp parallel for
#define OPENMP_histogram     omp parallel for reduction(+ : bins[:HISTOGRAM_BINS])
#define OPENMP_stencil       omp parallel for
#define OPENMP_stencil_interior omp parallel for
#define OPENMP_push          omp parallel for simd
#define OPENMP_lookup        omp parallel for simd
#define OPENMP_gather        omp parallel for simd
#define OPENMP_mixed         omp parallel for simd
#define OPENMP_saxpy         omp parallel for simd

#include "kernels.c"

/* A user sums into a variable, which gcc keeps in registers, not into an element. */
static void openmp_dot(void *const *arguments, const int64_t *size)
{
    const float *x = arguments[0], *y = arguments[1];
    double *total = arguments[2], sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < size[0]; i++)
        dot_add(i, 1, 1, x, y, &sum);
    *total += sum;
}

#define KNOWN(kernel, margin) { #kernel, openmp_##kernel },

static plain_fn *openmp_find(const char *kernel)
{
    static const struct {
        const char *kernel;
        plain_fn *loop;
    } known[] = { { "dot_add", openmp_dot },
                  { "dot_reduce", openmp_dot },
                  PLAIN_KERNELS(KNOWN) }; /* the first of a name counts */
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].kernel, kernel))
            return known[k].loop;
    return NULL;
}

/* A parallel loop is done when it returns. */
static void openmp_wait(void)
{
}

const struct plain plain_loops = { .name = "OpenMP", .find = openmp_find, .wait = openmp_wait };
