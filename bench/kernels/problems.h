/* problems.h - data for the loops of kernels.c, and their right results.
 *
 * A problem has arrays, filled by formulas of the index alone. So a check can recompute data that a
 * kernel overwrote. References are independent of the kernels, in double precision or in integers.
 * Nothing here depends on yoke: results of any implementation can be checked.
 */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

enum { PROBLEM_ARRAYS_MAX = 6, PROBLEM_COUNT = 19 };

struct problem_array {
    void *at;
    int64_t rows, row_elements;
    size_t element_size;
};

struct problem {
    const struct problem_kind *kind;
    int64_t size[3]; /* of the range; 1 for dimensions that the kernel lacks */
    int64_t runs;    /* after which `wrong` counts; 1 unless changed after problem_open */
    int by_turns;    /* only the stencil: runs lead from array 0 to 1, back to 0, and so on */
    int array_count;
    struct problem_array array[PROBLEM_ARRAYS_MAX];
};

struct problem_kind {
    const char *name;
    /* Sets the sizes and arrays, without memory, for a loop over about `items` elements. */
    void (*shape)(struct problem *problem, int64_t items);
    void (*fill)(const struct problem *problem);
    /* The number of wrong result elements after `runs` runs on the data from `fill`. */
    int64_t (*wrong)(const struct problem *problem);
};

/* The thirteen, the stencil's interior, saxpy, the dot product as a reduction, and reductions. */
extern const struct problem_kind *const problem_kinds[PROBLEM_COUNT];

/* Allocates the arrays without filling them. 0: not enough memory; nothing is open then. */
int problem_open(const struct problem_kind *kind, int64_t items, struct problem *out);
void problem_close(struct problem *problem);

/* Values that are the same in every run. */
extern const int32_t mandelbrot_limit, lookup_points;
extern const int64_t dot_columns;
extern const float option_rate, option_volatility, saxpy_a;
extern const field_t push_field;
extern const double push_dt;

/* For the kinds: a number in [0, 1), for an index and a stream of such numbers. */
double problem_random(int64_t index, int stream);
/* Adds the next array, without memory. */
void problem_array_add(struct problem *problem, int64_t rows, int64_t row_elements,
                       size_t element_size);
/* Fills an array with floats in [low, high]; problem_float computes its element `index` again. */
void problem_fill_floats(const struct problem *problem, int array, double low, double high);
float problem_float(int64_t index, int array, double low, double high);
int problem_is_near(double got, double want, double allowed);

extern const struct problem_kind problem_mandelbrot, problem_blur, problem_histogram,
    problem_stencil, problem_stencil_interior;
extern const struct problem_kind problem_black_scholes, problem_binomial, problem_push;
extern const struct problem_kind problem_dot_add, problem_dot_group, problem_dot_reduce,
    problem_dot_rows;
extern const struct problem_kind problem_sum, problem_max, problem_argmin;
extern const struct problem_kind problem_lookup, problem_gather, problem_mixed, problem_saxpy;

#endif
