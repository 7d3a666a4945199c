/* problem_lists.c - problems on lists: options, dot products, tables, gathers, mixed types, saxpy.
 */
#include <math.h>

#include "problems.h"

static void lists(struct problem *p, int64_t rows, const size_t *element_sizes, int count)
{
    p->size[0] = rows;
    for (int a = 0; a < count; a++)
        problem_array_add(p, rows, 1, element_sizes[a]);
}

/* ---- options: price, strike, years, call, put ---- */

static const size_t floats[5] = { 4, 4, 4, 4, 4 };

static void black_scholes_shape(struct problem *p, int64_t items)
{
    lists(p, items, floats, 5);
}
static void binomial_shape(struct problem *p, int64_t items)
{
    lists(p, items, floats, 4);
}

static void option_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 5, 30);
    problem_fill_floats(p, 1, 1, 60);
    problem_fill_floats(p, 2, 0.25, 10);
    for (int a = 3; a < p->array_count; a++)
        problem_fill_floats(p, a, -1, -1);
}

static double normal(double d)
{
    return erfc(-d / sqrt(2.0)) / 2;
}

static int64_t black_scholes_wrong(const struct problem *p)
{
    const float *price = p->array[0].at, *strike = p->array[1].at, *years = p->array[2].at;
    const float *call = p->array[3].at, *put = p->array[4].at;
    const double r = option_rate, v = option_volatility;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++) {
        const double s = price[k], x = strike[k], t = years[k];
        const double d1 = (log(s / x) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        const double want = s * normal(d1) - x * exp(-r * t) * normal(d2);
        wrong += !problem_is_near(call[k], want, 1e-4);
        wrong += !problem_is_near(put[k], want - s + x * exp(-r * t), 1e-4); /* put-call parity */
    }
    return wrong;
}

const struct problem_kind problem_black_scholes = { "black-scholes", black_scholes_shape,
                                                    option_fill, black_scholes_wrong };

/* The value of the binomial tree in closed form: a sum over its ends, each with the probability of
 * k of n fair draws. */
static double binomial_call(double s, double x, double t)
{
    const double r = option_rate, v = option_volatility, n = BINOMIAL_STEPS, step = t / n;
    const double up = exp(v * sqrt(step)), p = (exp(r * step) - 1 / up) / (up - 1 / up);
    double sum = 0, chance = pow(1 - p, n);
    for (int k = 0; k <= BINOMIAL_STEPS; k++) {
        const double end = s * exp(v * sqrt(step) * (2 * k - n));
        sum += end > x ? chance * (end - x) : 0;
        chance *= (n - k) / (k + 1) * p / (1 - p);
    }
    return sum * exp(-r * t);
}

static int64_t binomial_wrong(const struct problem *p)
{
    const float *price = p->array[0].at, *strike = p->array[1].at, *years = p->array[2].at;
    const float *call = p->array[3].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++)
        wrong += !problem_is_near(call[k], binomial_call(price[k], strike[k], years[k]), 2e-3);
    return wrong;
}

const struct problem_kind problem_binomial = { "binomial", binomial_shape, option_fill,
                                               binomial_wrong };

/* ---- dot products: x, y, and the sum or the sums of rows ---- */

static void dot_shape(struct problem *p, int64_t items)
{
    lists(p, items, floats, 2);
    problem_array_add(p, 1, 1, sizeof(double));
}

static void dot_rows_shape(struct problem *p, int64_t items)
{
    const int64_t rows = (items + dot_columns - 1) / dot_columns;
    p->size[0] = rows;
    problem_array_add(p, rows, dot_columns, sizeof(float));
    problem_array_add(p, rows, dot_columns, sizeof(float));
    problem_array_add(p, rows, 1, sizeof(double));
}

static void dot_fill(const struct problem *p)
{
    double *sums = p->array[2].at;
    problem_fill_floats(p, 0, 0, 1);
    problem_fill_floats(p, 1, 0, 1);
    for (int64_t k = 0; k < p->array[2].rows; k++)
        sums[k] = 0.25; /* a sum is added to; sums of rows are overwritten */
}

/* Products of floats are exact in double. So only the sum rounds, depending on its order. */
static double dot_of(const struct problem *p, int64_t first, int64_t last)
{
    const float *x = p->array[0].at, *y = p->array[1].at;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t k = first; k < last; k++)
        sum += (double)x[k] * y[k];
    return sum;
}

static int64_t dot_wrong(const struct problem *p)
{
    const double *sum = p->array[2].at, want = 0.25 + (double)p->runs * dot_of(p, 0, p->size[0]);
    return !problem_is_near(*sum, want, 1e-10 * want);
}

static int64_t dot_rows_wrong(const struct problem *p)
{
    const double *sums = p->array[2].at;
    int64_t wrong = 0;
    for (int64_t k = 0; k < p->size[0]; k++) {
        const double want = dot_of(p, k * dot_columns, (k + 1) * dot_columns);
        wrong += !problem_is_near(sums[k], want, 1e-10 * want);
    }
    return wrong;
}

const struct problem_kind problem_dot_add = { "dot-add", dot_shape, dot_fill, dot_wrong };
const struct problem_kind problem_dot_group = { "dot-group", dot_shape, dot_fill, dot_wrong };
const struct problem_kind problem_dot_reduce = { "dot-reduce", dot_shape, dot_fill, dot_wrong };
const struct problem_kind problem_dot_rows = { "dot-rows", dot_rows_shape, dot_fill,
                                               dot_rows_wrong };

/* ---- lookup: x, table, y ---- */

static void lookup_shape(struct problem *p, int64_t items)
{
    p->size[0] = items;
    problem_array_add(p, items, 1, sizeof(float));
    problem_array_add(p, lookup_points, 1, sizeof(float));
    problem_array_add(p, items, 1, sizeof(float));
}

static void lookup_fill(const struct problem *p)
{
    float *table = p->array[1].at;
    problem_fill_floats(p, 0, 0, 0.9999);
    problem_fill_floats(p, 2, -1, -1);
    for (int k = 0; k < lookup_points; k++)
        table[k] = (float)sin(8.0 * k / (lookup_points - 1));
}

static int64_t lookup_wrong(const struct problem *p)
{
    const float *x = p->array[0].at, *y = p->array[2].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++) /* linear interpolation is off by 5e-7 */
        wrong += !problem_is_near(y[k], sin(8.0 * x[k]), 3e-6);
    return wrong;
}

const struct problem_kind problem_lookup = { "lookup", lookup_shape, lookup_fill, lookup_wrong };

/* ---- gather: index, x, y ---- */

static void gather_shape(struct problem *p, int64_t items)
{
    lists(p, items, floats, 3);
}

static void gather_fill(const struct problem *p)
{
    int32_t *index = p->array[0].at;
    problem_fill_floats(p, 1, 0, 1);
    problem_fill_floats(p, 2, -1, -1);
#pragma omp parallel for
    for (int64_t k = 0; k < p->size[0]; k++)
        index[k] = (int32_t)(problem_random(k, 0) * (double)p->size[0]);
}

static int64_t gather_wrong(const struct problem *p)
{
    const float *y = p->array[2].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++)
        wrong +=
            y[k] != problem_float((int64_t)(problem_random(k, 0) * (double)p->size[0]), 1, 0, 1);
    return wrong;
}

const struct problem_kind problem_gather = { "gather", gather_shape, gather_fill, gather_wrong };

/* ---- mixed types: grey, offset, weight, value, sum ---- */

static void mixed_shape(struct problem *p, int64_t items)
{
    static const size_t sizes[5] = { sizeof(uint8_t), sizeof(int16_t), sizeof(float),
                                     sizeof(double), sizeof(int16_t) };
    lists(p, items, sizes, 5);
}

static void mixed_fill(const struct problem *p)
{
    uint8_t *grey = p->array[0].at;
    int16_t *offset = p->array[1].at, *sum = p->array[4].at;
    double *value = p->array[3].at;
    problem_fill_floats(p, 2, 0, 1);
#pragma omp parallel for
    for (int64_t k = 0; k < p->size[0]; k++) {
        grey[k] = (uint8_t)(256 * problem_random(k, 0));
        offset[k] = (int16_t)(65536 * problem_random(k, 1) - 32768);
        value[k] = sum[k] = -1;
    }
}

static int64_t mixed_wrong(const struct problem *p)
{
    const uint8_t *grey = p->array[0].at;
    const int16_t *offset = p->array[1].at, *sum = p->array[4].at;
    const float *weight = p->array[2].at;
    const double *value = p->array[3].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++) { /* the product is exact, so there is one rounding */
        wrong += value[k] != (double)weight[k] * (double)grey[k] + (double)offset[k];
        wrong += sum[k] != (int16_t)((int)offset[k] / 2 + (int)grey[k]);
    }
    return wrong;
}

const struct problem_kind problem_mixed = { "mixed", mixed_shape, mixed_fill, mixed_wrong };

/* ---- saxpy: x, y ---- */

static void saxpy_shape(struct problem *p, int64_t items)
{
    lists(p, items, floats, 2);
}

static void saxpy_fill(const struct problem *p)
{
    problem_fill_floats(p, 0, 0, 1);
    problem_fill_floats(p, 1, 0, 1);
}

static int64_t saxpy_wrong(const struct problem *p)
{
    const float *y = p->array[1].at;
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t k = 0; k < p->size[0]; k++) {
        const double runs = (double)p->runs;
        const double want = runs * saxpy_a * problem_float(k, 0, 0, 1) + problem_float(k, 1, 0, 1);
        wrong += !problem_is_near(y[k], want, 2e-7 * runs * runs); /* y grows, its rounding too */
    }
    return wrong;
}

const struct problem_kind problem_saxpy = { "saxpy", saxpy_shape, saxpy_fill, saxpy_wrong };
