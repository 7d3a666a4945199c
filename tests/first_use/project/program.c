/* program.c - a new user's program: the loops of bench/kernels, one call each, all results checked.
 *
 *     program [elements ...] */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#include "problems.h"

extern const yoke_kernel mandelbrot, blur_rows, blur_columns, black_scholes, binomial, dot_add,
    dot_group, dot_reduce, dot_rows, histogram, stencil, stencil_interior, push, lookup, gather,
    mixed, saxpy, reduce_sum, reduce_max, reduce_argmin;

static yoke_status run_mandelbrot(const struct problem *p)
{
    int32_t *count = p->array[0].at;
    return yoke_for2(NULL, &mandelbrot, p->size[0], p->size[1], p->size[0], mandelbrot_limit,
                     count);
}

static yoke_status run_blur(const struct problem *p)
{
    const int64_t height = p->size[0], width = p->size[1];
    float *from = p->array[0].at, *between = p->array[1].at, *to = p->array[2].at;
    yoke_status status = yoke_for2(NULL, &blur_rows, height, width, from, between);
    if (status != YOKE_OK)
        return status;
    return yoke_for2(NULL, &blur_columns, height, width, height,
                     yoke_halo(between, BLUR_RADIUS, BLUR_RADIUS), to);
}

static yoke_status run_black_scholes(const struct problem *p)
{
    float *price = p->array[0].at, *strike = p->array[1].at, *years = p->array[2].at;
    float *call = p->array[3].at, *put = p->array[4].at;
    return yoke_for(NULL, &black_scholes, p->size[0], option_rate, option_volatility, price, strike,
                    years, call, put);
}

static yoke_status run_binomial(const struct problem *p)
{
    float *price = p->array[0].at, *strike = p->array[1].at, *years = p->array[2].at;
    float *call = p->array[3].at;
    return yoke_for(NULL, &binomial, p->size[0], option_rate, option_volatility, price, strike,
                    years, call);
}

static yoke_status run_dot_add(const struct problem *p)
{
    float *x = p->array[0].at, *y = p->array[1].at;
    double *sum = p->array[2].at;
    return yoke_for(NULL, &dot_add, p->size[0], x, y, yoke_whole(sum, 1));
}

static yoke_status run_dot_group(const struct problem *p)
{
    float *x = p->array[0].at, *y = p->array[1].at;
    double *sum = p->array[2].at;
    return yoke_for(NULL, &dot_group, p->size[0], x, y, yoke_whole(sum, 1));
}

static yoke_status run_dot_reduce(const struct problem *p)
{
    float *x = p->array[0].at, *y = p->array[1].at;
    double *sum = p->array[2].at;
    return yoke_for(NULL, &dot_reduce, p->size[0], x, y, yoke_onto(sum));
}

static yoke_status run_dot_rows(const struct problem *p)
{
    float *x = p->array[0].at, *y = p->array[1].at;
    double *sums = p->array[2].at;
    return yoke_for(NULL, &dot_rows, p->size[0], dot_columns, yoke_row(x, dot_columns),
                    yoke_row(y, dot_columns), sums);
}

static yoke_status run_histogram(const struct problem *p)
{
    uint8_t *pixel = p->array[0].at;
    uint32_t *bins = p->array[1].at;
    return yoke_for(NULL, &histogram, p->size[0], pixel, yoke_whole(bins, HISTOGRAM_BINS));
}

static yoke_status run_stencil(const struct problem *p)
{
    float *from = p->array[0].at, *to = p->array[1].at;
    return yoke_for3(NULL, &stencil, p->size[0], p->size[1], p->size[2], p->size[0],
                     yoke_halo(from, 1, 1), to);
}

static yoke_status run_interior(const struct problem *p)
{
    float *from = p->array[0].at, *to = p->array[1].at;
    return yoke_for3(NULL, &stencil_interior, yoke_interior(p->size[0], 1),
                     yoke_interior(p->size[1], 1), yoke_interior(p->size[2], 1),
                     yoke_halo(from, 1, 1), to);
}

static yoke_status run_push(const struct problem *p)
{
    particle_t *particles = p->array[0].at;
    return yoke_for(NULL, &push, p->size[0], push_field, push_dt, particles);
}

static yoke_status run_lookup(const struct problem *p)
{
    float *x = p->array[0].at, *table = p->array[1].at, *y = p->array[2].at;
    return yoke_for(NULL, &lookup, p->size[0], lookup_points, x, yoke_whole(table, lookup_points),
                    y);
}

static yoke_status run_gather(const struct problem *p)
{
    int32_t *index = p->array[0].at;
    float *x = p->array[1].at, *y = p->array[2].at;
    return yoke_for(NULL, &gather, p->size[0], index, yoke_whole(x, p->size[0]), y);
}

static yoke_status run_mixed(const struct problem *p)
{
    uint8_t *grey = p->array[0].at;
    int16_t *offset = p->array[1].at, *sum = p->array[4].at;
    float *weight = p->array[2].at;
    double *value = p->array[3].at;
    return yoke_for(NULL, &mixed, p->size[0], grey, offset, weight, value, sum);
}

static yoke_status run_saxpy(const struct problem *p)
{
    float *x = p->array[0].at, *y = p->array[1].at;
    return yoke_for(NULL, &saxpy, p->size[0], saxpy_a, x, y);
}

static yoke_status run_sum(const struct problem *p)
{
    float *x = p->array[0].at, *sum = p->array[1].at;
    return yoke_for(NULL, &reduce_sum, p->size[0], x, sum);
}

static yoke_status run_max(const struct problem *p)
{
    float *x = p->array[0].at, *largest = p->array[1].at;
    return yoke_for(NULL, &reduce_max, p->size[0], x, largest);
}

static yoke_status run_argmin(const struct problem *p)
{
    float *x = p->array[0].at;
    yoke_at_float *least = p->array[1].at;
    return yoke_for(NULL, &reduce_argmin, p->size[0], x, least);
}

/* In the order of problem_kinds. */
static yoke_status (*const runs[PROBLEM_COUNT])(const struct problem *) = {
    run_mandelbrot, run_blur,       run_black_scholes, run_binomial,  run_dot_add,
    run_dot_group,  run_dot_reduce, run_dot_rows,      run_histogram, run_stencil,
    run_interior,   run_push,       run_lookup,        run_gather,    run_mixed,
    run_saxpy,      run_sum,        run_max,           run_argmin
};

/* 0: correct. */
static int check(int k, int64_t elements)
{
    struct problem p;
    int64_t wrong;
    if (!problem_open(problem_kinds[k], elements, &p)) {
        fprintf(stderr, "no memory for %s\n", problem_kinds[k]->name);
        return 1;
    }
    p.kind->fill(&p);
    if (runs[k](&p) != YOKE_OK) {
        printf("%-16s %s\n", p.kind->name, yoke_error_text());
        wrong = 1;
    } else {
        wrong = p.kind->wrong(&p);
        printf("%-16s %9lld x %lld x %lld: %lld wrong\n", p.kind->name, (long long)p.size[0],
               (long long)p.size[1], (long long)p.size[2], (long long)wrong);
    }
    problem_close(&p);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int a = 1; a < argc; a++)
        for (int k = 0; k < PROBLEM_COUNT; k++)
            failed |= check(k, atoll(argv[a]));
    return failed;
}
