/* mxv.c - a matrix times a vector, row by row, with an amount of work per element that --flops
 * sets: limited by memory if it is small, by arithmetic if it is large.
 *
 * The matrix consists of MXV_BASE hashed rows, repeated (made by a job on all cores, so that
 * gigabytes take seconds), except that each row's first MARKS elements are its own. So every row
 * has its own result, and all of them can be checked: the base row's sum in double precision, plus
 * the marks. Elements are multiples of 2^-8 and the vector's of 2^-2, so with --flops 0 the result
 * must be exact in any order of summation; otherwise the allowed error is the bound for a sum of
 * COLUMNS terms.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../app.h"
#include "../cores.h"
#include "../count.h"
#include "../memory.h"
#include "../random.h"
#include "mxv_kernels.h"

enum { COLUMNS = 2000, MARKS = 4, DEFAULT_ROWS = 800000, FLOPS_MAX = 100000 };
enum { ROW_BYTES = COLUMNS * (int)sizeof(float) };

struct mxv_state {
    int64_t rows, columns;
    int32_t flops;
    uint64_t seed;
    struct app_memory memory;
    float *matrix, *vector, *result, *base;
    yoke_array *matrix_array, *vector_array, *result_array; /* NULL while detached */
};

static const struct app_option mxv_options[] = {
    { "flops", "K", "8", "operations on each element besides multiply and add; even" },
    { NULL, NULL, NULL, NULL },
};

/* Returns a number in [-1/2, 1/2), a multiple of 2^-8. */
static float element(uint64_t seed, uint64_t index)
{
    return (float)((int)(random_bits(seed, index) >> 56) - 128) / 256;
}

/* Returns element `column`, which is below MARKS, of `row`. */
static float mark(const struct mxv_state *s, int64_t row, int column)
{
    return element(s->seed + 1, (uint64_t)(row * MARKS + column));
}

static void mxv_close(void *state)
{
    struct mxv_state *s = state;
    if (!s)
        return;
    app_data_free(&s->memory, s->matrix);
    app_data_free(&s->memory, s->vector);
    app_data_free(&s->memory, s->result);
    free(s->base);
    free(s);
}

static yoke_status fill_job(struct mxv_state *s, yoke_runtime *cpu)
{
    yoke_array_spec base = { .host = s->base,
                             .rows = MXV_BASE,
                             .element_size = sizeof(float),
                             .row_elements = COLUMNS,
                             .name = "base" };
    yoke_array_spec matrix = { .host = s->matrix,
                               .rows = s->rows,
                               .element_size = sizeof(float),
                               .row_elements = COLUMNS,
                               .name = "matrix" };
    yoke_array *from = NULL, *to = NULL;
    yoke_status closed, status = yoke_array_open(cpu, &base, &from);
    if (status == YOKE_OK)
        status = yoke_array_open(cpu, &matrix, &to);
    if (status == YOKE_OK) {
        yoke_job job = { .kernel = &mxv_fill,
                         .range = { 0, s->rows, { COLUMNS, 1 } },
                         .args = { yoke_in_whole(from), yoke_out(to) } };
        status = yoke_run(cpu, &job, NULL);
    }
    closed = yoke_array_close(to);
    yoke_array_close(from);
    return status != YOKE_OK ? status : closed;
}

static yoke_status fill(struct mxv_state *s)
{
    yoke_runtime *cpu;
    yoke_status status = cores_open(&cpu);
    int64_t i;
    int j;
    if (status != YOKE_OK)
        return status;
    for (i = 0; i < MXV_BASE * COLUMNS; i++)
        s->base[i] = element(s->seed, (uint64_t)i);
    for (j = 0; j < COLUMNS; j++)
        s->vector[j] = floorf(element(s->seed + 2, (uint64_t)j) * 8) / 4;
    status = fill_job(s, cpu);
    for (i = 0; status == YOKE_OK && i < s->rows; i++)
        for (j = 0; j < MARKS; j++)
            s->matrix[i * COLUMNS + j] = mark(s, i, j);
    cores_close(cpu);
    return status;
}

/* Sets *out to DEFAULT_ROWS, or to as many rows as fit into 6/10 of the available memory. */
static yoke_status default_rows(int64_t *out)
{
    int64_t available, fit;
    yoke_status status = app_memory_available(&available);
    if (status != YOKE_OK)
        return status;
    fit = available / 10 * 6 / ROW_BYTES;
    *out = fit < DEFAULT_ROWS ? (fit > 1 ? fit : 1) : DEFAULT_ROWS;
    return YOKE_OK;
}

/* Sets rows and flops as requested. */
static yoke_status settle(struct app_spec *spec, struct mxv_state *s)
{
    char *end;
    long flops = strtol(spec->values[0], &end, 10);
    yoke_status status = YOKE_OK;
    if (end == spec->values[0] || *end || flops < 0 || flops > FLOPS_MAX || flops % 2)
        return app_mistake("--flops %s: give an even number from 0 to %d", spec->values[0],
                           FLOPS_MAX);
    if (spec->size[0] < 0)
        return app_fail(YOKE_EINVAL, "mxv cannot have %" PRId64 " rows; --size is at least 1",
                        spec->size[0]);
    if (spec->size[0] == 0)
        status = default_rows(&spec->size[0]);
    if (status != YOKE_OK)
        return status;
    if (spec->size[0] > INT64_MAX / ROW_BYTES)
        return app_fail(YOKE_EINVAL, "%" PRId64 " rows have too many bytes; use a smaller --size",
                        spec->size[0]);
    s->rows = spec->size[0];
    s->columns = COLUMNS;
    s->flops = (int32_t)flops;
    s->seed = spec->seed;
    s->memory = spec->memory;
    return YOKE_OK;
}

static yoke_status alloc_arrays(struct mxv_state *s)
{
    const struct app_data matrix = { "mxv's rows", s->rows, ROW_BYTES };
    const struct app_data vector = { "mxv's vector", COLUMNS, sizeof(float) };
    const struct app_data result = { "mxv's result", s->rows, sizeof(float) };
    yoke_status status = app_data_alloc(&s->memory, &matrix, (void **)&s->matrix);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &vector, (void **)&s->vector);
    if (status == YOKE_OK)
        status = app_data_alloc(&s->memory, &result, (void **)&s->result);
    return status;
}

static yoke_status mxv_open(struct app_spec *spec, void **state)
{
    struct mxv_state initial = { 0 }, *s;
    yoke_status status = settle(spec, &initial);
    if (status == YOKE_OK)
        status = app_alloc("mxv", 1, sizeof *s, (void **)&s);
    if (status != YOKE_OK)
        return status;
    *s = initial;
    status = alloc_arrays(s);
    if (status == YOKE_OK)
        status = app_alloc("mxv's base", MXV_BASE, ROW_BYTES, (void **)&s->base);
    if (status == YOKE_OK)
        status = fill(s);
    if (status != YOKE_OK) {
        mxv_close(s);
        return status;
    }
    *state = s;
    return YOKE_OK;
}

static yoke_status mxv_detach(void *state)
{
    struct mxv_state *s = state;
    yoke_status first = yoke_array_close(s->result_array), status;
    status = yoke_array_close(s->vector_array);
    first = first != YOKE_OK ? first : status;
    status = yoke_array_close(s->matrix_array);
    s->result_array = s->vector_array = s->matrix_array = NULL;
    return first != YOKE_OK ? first : status;
}

static yoke_status mxv_attach(void *state, yoke_runtime *runtime)
{
    struct mxv_state *s = state;
    yoke_array_spec matrix = { .host = s->matrix,
                               .rows = s->rows,
                               .element_size = sizeof(float),
                               .row_elements = COLUMNS,
                               .name = "matrix" };
    yoke_array_spec vector = {
        .host = s->vector, .rows = COLUMNS, .element_size = sizeof(float), .name = "vector"
    };
    yoke_array_spec result = {
        .host = s->result, .rows = s->rows, .element_size = sizeof(float), .name = "result"
    };
    yoke_status status = yoke_array_open(runtime, &matrix, &s->matrix_array);
    if (status == YOKE_OK)
        status = yoke_array_open(runtime, &vector, &s->vector_array);
    if (status == YOKE_OK)
        status = yoke_array_open(runtime, &result, &s->result_array);
    if (status != YOKE_OK)
        mxv_detach(s);
    return status;
}

/* Makes the devices' copies invalid, so that each run copies the array again. */
static yoke_status refresh(yoke_array *array)
{
    yoke_status status = yoke_array_acquire(array, YOKE_READ_WRITE);
    return status == YOKE_OK ? yoke_array_release(array) : status;
}

/* The result starts as NaN, so that a row that is not computed is detected. */
static yoke_status mxv_reset(void *state)
{
    struct mxv_state *s = state;
    yoke_status status = refresh(s->matrix_array);
    int64_t i;
    if (status == YOKE_OK)
        status = refresh(s->vector_array);
    if (status == YOKE_OK)
        status = yoke_array_acquire(s->result_array, YOKE_WRITE);
    if (status != YOKE_OK)
        return status;
    for (i = 0; i < s->rows; i++)
        s->result[i] = NAN;
    return yoke_array_release(s->result_array);
}

static yoke_status mxv_run(void *state, struct app_run *run)
{
    struct mxv_state *s = state;
    yoke_job job = { .kernel = &mxv,
                     .range = { .last = s->rows },
                     .args = { yoke_value(s->columns), yoke_value(s->flops),
                               yoke_in(s->matrix_array), yoke_in_whole(s->vector_array),
                               yoke_out_home(s->result_array) } };
    return app_run_job(run, &job);
}

struct sum {
    double value, size; /* size: sum of the terms' magnitudes */
};

static void add_term(const struct mxv_state *s, double a, int column, struct sum *sum)
{
    double p = a, size = fabs(a);
    int32_t k;
    for (k = 0; k < s->flops; k += 2) {
        p = p * a + (double)MXV_TERM;
        size = size * fabs(a) + (double)MXV_TERM;
    }
    sum->value += p * (double)s->vector[column];
    sum->size += size * fabs((double)s->vector[column]);
}

/* Compares all rows with `base_sums`, the sums of columns MARKS and up. */
static yoke_status compare(const struct mxv_state *s, const struct sum *base_sums, char *note)
{
    /* COLUMNS roundings in the sum, and 16 for those in the polynomial, which converges. */
    const double unit = s->flops ? (COLUMNS + 16) * (double)FLT_EPSILON / 2 : 0;
    double worst = 0;
    int64_t i;
    for (i = 0; i < s->rows; i++) {
        struct sum right = base_sums[i % MXV_BASE];
        double error;
        int j;
        for (j = 0; j < MARKS; j++)
            add_term(s, (double)mark(s, i, j), j, &right);
        error = fabs((double)s->result[i] - right.value);
        if (!(error <= unit * right.size))
            return app_fail(YOKE_EINVAL,
                            "row %" PRId64 " is %.9g and should be %.9g (allowed error %.2g)", i,
                            (double)s->result[i], right.value, unit * right.size);
        worst = right.size > 0 && error / right.size > worst ? error / right.size : worst;
    }
    snprintf(note, 256, "all %s; max error %.1e of |A||v| (allowed %.1e)",
             count_words(s->rows, "rows").text, worst, unit);
    return YOKE_OK;
}

static yoke_status mxv_verify(void *state, char *note)
{
    struct mxv_state *s = state;
    struct sum *sums;
    int64_t i;
    int j;
    yoke_status status = app_alloc("mxv's check", MXV_BASE, sizeof *sums, (void **)&sums);
    if (status != YOKE_OK)
        return status;
    for (i = 0; i < MXV_BASE; i++) {
        sums[i] = (struct sum){ 0, 0 };
        for (j = MARKS; j < COLUMNS; j++)
            add_term(s, (double)s->base[i * COLUMNS + j], j, &sums[i]);
    }
    status = yoke_array_acquire(s->result_array, YOKE_READ);
    if (status == YOKE_OK) {
        yoke_status released;
        status = compare(s, sums, note);
        released = yoke_array_release(s->result_array);
        status = status != YOKE_OK ? status : released;
    }
    free(sums);
    return status;
}

static int64_t mxv_items(const void *state)
{
    return ((const struct mxv_state *)state)->rows;
}

const struct app app_mxv = {
    .name = "mxv",
    .summary = "a matrix of 2000 columns times a vector, with extra work for each element",
    .size_words = "rows",
    .size_count = 1,
    .options = mxv_options,
    .is_regular = 1,
    .open = mxv_open,
    .close = mxv_close,
    .attach = mxv_attach,
    .detach = mxv_detach,
    .reset = mxv_reset,
    .run = mxv_run,
    .verify = mxv_verify,
    .items = mxv_items,
};
