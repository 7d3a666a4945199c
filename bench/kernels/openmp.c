/* openmp.c - the loops of kernels.c in plain OpenMP, with the directives that users would write.
 * The benchmark loads this shared object, so that it can be compiled for the present machine:
 *
 *     gcc -O3 -march=native -fopenmp -shared -fPIC -Iopenmp -I../../include -o openmp.so openmp.c
 */
#include "plain.h"

#include <string.h>

#define OPENMP_mandelbrot    omp parallel for schedule(dynamic) /* rows differ in time */
#define OPENMP_blur_rows     omp parallel for
#define OPENMP_blur_columns  omp parallel for
#define OPENMP_black_scholes omp parallel for simd
#define OPENMP_binomial      omp parallel for
#define OPENMP_dot_add       omp parallel for simd reduction(+ : sum[:1])
#define OPENMP_dot_group     omp parallel for reduction(+ : sum[:1])
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

/* As users write it: the sum is a variable, which gcc keeps in registers, not an element. */
static void openmp_dot(void *const *arguments, const int64_t *size)
{
    const float *x = arguments[0], *y = arguments[1];
    double *total = arguments[2], sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < size[0]; i++)
        dot_add(i, 1, 1, x, y, &sum);
    *total += sum;
}

/* The reductions of reductions.c, by OpenMP's clause. */
static void openmp_sum(void *const *arguments, const int64_t *size)
{
    const float *x = arguments[0];
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < size[0]; i++)
        sum += x[i];
    *(float *)arguments[1] = sum;
}

static void openmp_max(void *const *arguments, const int64_t *size)
{
    const float *x = arguments[0];
    float largest = -INFINITY;
#pragma omp parallel for simd reduction(max : largest)
    for (int64_t i = 0; i < size[0]; i++)
        largest = x[i] > largest ? x[i] : largest;
    *(float *)arguments[1] = largest;
}

static int is_less(place_t a, place_t b)
{
    return a.value < b.value || (a.value == b.value && a.place < b.place);
}
#pragma omp declare reduction(least:place_t                                                        \
                              : omp_out = is_less(omp_in, omp_out) ? omp_in : omp_out)             \
    initializer(omp_priv = omp_orig)
static void openmp_argmin(void *const *arguments, const int64_t *size)
{
    const float *x = arguments[0];
    place_t best = { INFINITY, size[0] };
#pragma omp parallel for reduction(least : best)
    for (int64_t i = 0; i < size[0]; i++)
        if (x[i] < best.value)
            best = (place_t){ x[i], i };
    *(place_t *)arguments[1] = best;
}

#define KNOWN(kernel, margin) { #kernel, openmp_##kernel },

static plain_fn *openmp_find(const char *kernel)
{
    static const struct {
        const char *kernel;
        plain_fn *loop;
    } known[] = {
        { "dot_add", openmp_dot },          { "dot_reduce", openmp_dot },
        { "reduce_sum", openmp_sum },       { "reduce_max", openmp_max },
        { "reduce_argmin", openmp_argmin }, PLAIN_KERNELS(KNOWN)
    }; /* the first entry of a name counts */
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].kernel, kernel))
            return known[k].loop;
    return NULL;
}

/* A parallel loop has ended when it returns. */
static void openmp_wait(void)
{
}

const struct plain plain_loops = { .name = "OpenMP", .find = openmp_find, .wait = openmp_wait };
