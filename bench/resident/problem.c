/* problem.c - see problem.h. */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[CASES] = {
    [AXPY] = "axpy",   [STENCIL] = "stencil", [CHAIN] = "chain",
    [TURNS] = "turns", [SPMV] = "spmv",       [CG] = "cg",
};

int problem_read(char **words, struct problem *out)
{
    int which = 0;
    while (which < CASES && strcmp(names[which], words[0]) != 0)
        which++;
    *out = (struct problem){ (enum problem_case)which, atoi(words[2]), atoll(words[1]) };
    return which < CASES && out->rows >= 1 && out->steps >= 2;
}

int problem_has_matrix(const struct problem *problem)
{
    return problem->which == SPMV || problem->which == CG;
}

void problem_print(const struct problem *problem, const struct problem_times *times)
{
    printf("%s all %.1f step %.3f first %.1f", names[problem->which],
           1e6 * (times->end - times->begin),
           1e6 * (times->end - times->half) / (problem->steps - problem->steps / 2),
           1e6 * (times->first - times->begin));
}

/* --- data --- */

float wave(int64_t i)
{
    return 1 + 0.5f * (float)((i * 7919) % 1000) / 1000;
}
float zero(int64_t i)
{
    (void)i;
    return 0;
}

/* The columns of a row's non-zeros: the diagonal, and four on either side at these distances. The
 * matrix is diagonally dominant. */
static int64_t neighbour(int64_t i, int k, int64_t rows)
{
    static const int64_t apart[NONZEROS] = { -1000, -100, -10, -1, 0, 1, 10, 100, 1000 };
    return ((i + apart[k]) % rows + rows) % rows;
}
static float nonzero(int k)
{
    return k == NONZEROS / 2 ? 8.01f : -1;
}

void matrix_fill(const struct matrix *matrix, int64_t rows)
{
    int64_t i;
    int k;
    for (i = 0; i < rows; i++) {
        matrix->start[i] = i * NONZEROS;
        for (k = 0; k < NONZEROS; k++) {
            matrix->column[i * NONZEROS + k] = (int32_t)neighbour(i, k, rows);
            matrix->value[i * NONZEROS + k] = nonzero(k);
        }
    }
    matrix->start[rows] = rows * NONZEROS;
}

/* --- the same by plain loops --- */

/* Some rows, from `first` on. Rows at the ends become wrong if they have neighbours outside, and
 * one more row on each side per step. */
struct plain {
    int64_t first, count;
    float *u, *w, *y;
};

static void plain_smooth(struct plain *p)
{
    int64_t i;
    for (i = 0; i < p->count; i++)
        p->w[i] = i == 0 || i == p->count - 1
                      ? p->u[i]
                      : 0.25f * p->u[i - 1] + 0.5f * p->u[i] + 0.25f * p->u[i + 1];
}

static void plain_axpy(struct plain *p, const float *x)
{
    int64_t i;
    for (i = 0; i < p->count; i++)
        p->y[i] = 0.5f * x[i] + p->y[i];
}

static void plain_step_axpy(struct plain *p)
{
    plain_axpy(p, p->u);
}
static void plain_step_stencil(struct plain *p)
{
    float *kept = p->u;
    plain_smooth(p);
    p->u = p->w;
    p->w = kept;
}
static void plain_step_turns(struct plain *p)
{
    plain_smooth(p);
    memcpy(p->u, p->w, (size_t)p->count * sizeof *p->u);
}
static void plain_step_chain(struct plain *p)
{
    plain_step_turns(p);
    plain_axpy(p, p->w);
}

/* A row of the matrix times x, which is whole. */
static float plain_product(int64_t i, const float *x, int64_t rows)
{
    float sum = 0;
    int k;
    for (k = 0; k < NONZEROS; k++)
        sum += nonzero(k) * x[neighbour(i, k, rows)];
    return sum;
}

static void plain_step_spmv(struct plain *p)
{
    int64_t i;
    for (i = 0; i < p->count; i++)
        p->w[i] = plain_product(i, p->u, p->count);
    for (i = 0; i < p->count; i++)
        p->u[i] = 1.0f / 16 * p->w[i];
}

static void (*const plain_step[CASES])(struct plain *) = {
    [AXPY] = plain_step_axpy,   [STENCIL] = plain_step_stencil, [CHAIN] = plain_step_chain,
    [TURNS] = plain_step_turns, [SPMV] = plain_step_spmv,
};

/* --- comparing --- */

struct window {
    int64_t first, count, wrong; /* `wrong`: rows at an end that depend on rows outside */
};
static const double NOISE = 1e-3;

/* The largest difference, relative to the largest value. Floats near 1, which all began as, leave
 * noise of less than a thousandth of NOISE: the values of spmv decay to less than that. */
static double difference(const float *mine, const float *plain, const struct window *window,
                         int64_t rows)
{
    const int64_t low = window->first > 0 ? window->wrong : 0;
    const int64_t high =
        window->first + window->count < rows ? window->count - window->wrong : window->count;
    double most = 0, largest = NOISE, off;
    int64_t i;
    for (i = low; i < high; i++) {
        off = fabs((double)mine[window->first + i] - plain[i]);
        if (isnan(off))
            return INFINITY;
        most = fmax(most, off);
        largest = fmax(largest, fabs((double)plain[i]));
    }
    return most / largest;
}

static double error_in(const struct problem *problem, const struct window *window,
                       const struct problem_results *found)
{
    struct plain p = { .first = window->first, .count = window->count };
    float *memory = malloc(3 * (size_t)p.count * sizeof *memory);
    double off;
    int64_t i;
    if (!memory)
        return INFINITY;
    p.u = memory;
    p.w = p.u + p.count;
    p.y = p.w + p.count;
    for (i = 0; i < p.count; i++) {
        p.u[i] = wave(p.first + i);
        p.y[i] = p.w[i] = 0;
    }
    for (i = 0; i < problem->steps; i++)
        plain_step[problem->which](&p);
    off = fmax(difference(found->u, p.u, window, problem->rows),
               difference(found->y, p.y, window, problem->rows));
    free(memory);
    return off;
}

/* How far the residual of y is from what the program says, relative to the first residual, from
 * which it must go down: it grows in the first steps. */
static double error_of_solution(const struct problem *problem, const struct problem_results *found)
{
    double before = 0, after = 0, off;
    int64_t i;
    for (i = 0; i < problem->rows; i++) {
        off = (double)wave(i) - plain_product(i, found->y, problem->rows);
        before += (double)wave(i) * wave(i);
        after += off * off;
    }
    if (problem->steps >= 10 && !(after < before))
        return INFINITY;
    return fabs(after - found->residual) / fmax(before, after);
}

static double error_of_decay(const struct problem *problem, const float *u)
{
    int64_t i;
    for (i = 0; i < problem->rows; i++)
        if (!(fabs((double)u[i]) < 1))
            return INFINITY;
    return 0;
}

static double error_of(const struct problem *problem, const struct problem_results *found)
{
    const int64_t rows = problem->rows, count = 2 * problem->steps + (1 << 16);
    const struct window all = { .count = rows };
    const int64_t firsts[] = { 0, (rows - count) / 2, rows - count };
    double most = 0;
    int k;
    if (problem->which == CG)
        return error_of_solution(problem, found);
    if (problem->which == SPMV && problem->steps > SPMV_STEPS)
        return error_of_decay(problem, found->u);
    if (problem->which == SPMV || rows <= 3 * count)
        return error_in(problem, &all, found);
    for (k = 0; k < 3; k++)
        most = fmax(most,
                    error_in(problem, &(struct window){ firsts[k], count, problem->steps }, found));
    return most;
}

int problem_verify(const struct problem *problem, const struct problem_results *found)
{
    const double off = error_of(problem, found);
    if (off < 1e-3)
        return 1;
    fprintf(stderr, "%s: results are off by %g\n", names[problem->which], off);
    return 0;
}
