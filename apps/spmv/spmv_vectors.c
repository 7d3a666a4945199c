/* spmv_vectors.c - the vectors: their elements, their arrays, and their values at the start of a
 * run. */
#include <math.h>

#include "../random.h"
#include "spmv_state.h"

double spmv_get(const struct spmv_state *s, int vector, int64_t i)
{
    return s->options.type == SPARSE_DOUBLE ? ((const double *)s->vectors[vector])[i]
                                            : (double)((const float *)s->vectors[vector])[i];
}

void spmv_put(struct spmv_state *s, int vector, int64_t i, double value)
{
    if (s->options.type == SPARSE_DOUBLE)
        ((double *)s->vectors[vector])[i] = value;
    else
        ((float *)s->vectors[vector])[i] = (float)value;
}

int64_t spmv_length(const struct spmv_state *s, int vector)
{
    return vector == SPMV_X ? s->matrix.columns : s->matrix.rows;
}

int spmv_has(const struct spmv_state *s, int vector)
{
    return vector == SPMV_X || vector == SPMV_Y || s->options.solve == SPMV_CG;
}

/* Random elements are whole numbers from -4 to 4, so that whole matrices have exact products. Power
 * iteration and CG must start without a pattern: there elements are from 1 to 2. */
double spmv_given(const struct spmv_state *s, int64_t i)
{
    switch (s->options.vector) {
    case SPMV_ONES:
        return 1;
    case SPMV_RAMP:
        return 1 + (double)i / (double)s->matrix.columns;
    default:
        if (s->options.solve == SPMV_PRODUCT)
            return (double)(random_bits(s->seed, (uint64_t)i) % 9) - 4;
        return 1 + ldexp((double)(random_bits(s->seed, (uint64_t)i) % 1024), -10);
    }
}

yoke_status spmv_detach(void *state)
{
    struct spmv_state *s = state;
    yoke_array **const arrays[] = {
        &s->matrix_arrays[SPMV_TILES],
        &s->matrix_arrays[SPMV_STARTS],
        &s->matrix_arrays[SPMV_COLUMNS],
        &s->matrix_arrays[SPMV_VALUES],
        &s->vector_arrays[SPMV_X],
        &s->vector_arrays[SPMV_Y],
        &s->vector_arrays[SPMV_P],
        &s->vector_arrays[SPMV_R],
        &s->carry_array,
        &s->sum_array,
    };
    yoke_status first = YOKE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        yoke_status status = yoke_array_close(*arrays[k]);
        *arrays[k] = NULL;
        first = first != YOKE_OK ? first : status;
    }
    return first;
}

yoke_status spmv_attach(void *state, yoke_runtime *runtime)
{
    static const char *const names[SPMV_VECTORS] = { "x", "y", "p", "r" };
    struct spmv_state *s = state;
    const size_t size = sparse_size(s->options.type);
    const struct {
        yoke_array_spec spec;
        yoke_array **out;
    } arrays[] = {
        { { .host = s->cut.tiles,
            .rows = s->cut.count + 1,
            .element_size = sizeof *s->cut.tiles,
            .name = "tiles" },
          &s->matrix_arrays[SPMV_TILES] },
        { { .host = s->starts,
            .rows = s->matrix.rows + 1,
            .element_size = sizeof *s->starts,
            .name = "starts" },
          &s->matrix_arrays[SPMV_STARTS] },
        { { .host = s->matrix.column,
            .rows = s->matrix.entries,
            .element_size = sizeof *s->matrix.column,
            .name = "columns" },
          &s->matrix_arrays[SPMV_COLUMNS] },
        { { .host = s->matrix.value,
            .rows = s->matrix.entries,
            .element_size = size,
            .name = "values" },
          &s->matrix_arrays[SPMV_VALUES] },
        { { .host = s->carry, .rows = s->cut.count, .element_size = size, .name = "carry" },
          &s->carry_array },
        { { .host = s->sums, .rows = 2, .element_size = sizeof *s->sums, .name = "sums" },
          &s->sum_array },
    };
    yoke_status status = YOKE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == YOKE_OK; k++)
        status = yoke_array_open(runtime, &arrays[k].spec, arrays[k].out);
    for (int v = 0; v < SPMV_VECTORS && status == YOKE_OK; v++) {
        const yoke_array_spec spec = {
            .host = s->vectors[v], .rows = spmv_length(s, v), .element_size = size, .name = names[v]
        };
        if (spmv_has(s, v))
            status = yoke_array_open(runtime, &spec, &s->vector_arrays[v]);
    }
    if (status != YOKE_OK)
        spmv_detach(s);
    return status;
}

/* Makes the devices' copies of the matrix invalid. */
static yoke_status forget_matrix(const struct spmv_state *s)
{
    yoke_status status = YOKE_OK;
    for (int k = 0; k < SPMV_MATRIX && status == YOKE_OK; k++) {
        status = yoke_array_acquire(s->matrix_arrays[k], YOKE_READ_WRITE);
        if (status == YOKE_OK)
            status = yoke_array_release(s->matrix_arrays[k]);
    }
    return status;
}

/* The result starts as NaN, so the check notices a row that no device computed. */
static double first_value(const struct spmv_state *s, int vector, int64_t i)
{
    if (vector == SPMV_Y)
        return NAN;
    if (vector == SPMV_X && s->options.solve == SPMV_CG)
        return 0;
    return spmv_given(s, i);
}

yoke_status spmv_reset(void *state)
{
    struct spmv_state *s = state;
    yoke_status status = YOKE_OK;
    if (s->options.solve == SPMV_PRODUCT && !s->options.is_resident)
        status = forget_matrix(s);
    for (int v = 0; v < SPMV_VECTORS && status == YOKE_OK; v++) {
        if (!spmv_has(s, v) || (v == SPMV_X && s->stays))
            continue;
        status = yoke_array_acquire(s->vector_arrays[v], YOKE_WRITE);
        if (status != YOKE_OK)
            break;
        for (int64_t i = 0; i < spmv_length(s, v); i++)
            spmv_put(s, v, i, first_value(s, v, i));
        status = yoke_array_release(s->vector_arrays[v]);
    }
    s->stays = s->options.solve == SPMV_PRODUCT && s->options.is_resident;
    s->from = s->options.solve == SPMV_CG ? SPMV_P : SPMV_X;
    s->to = SPMV_Y;
    s->scale = 1;
    s->steps_done = 0;
    s->has_fallen = 0;
    if (s->options.solve == SPMV_PRODUCT)
        return status;
    s->first_squares = 0; /* of the vector as stored */
    for (int64_t i = 0; i < s->matrix.rows && status == YOKE_OK; i++) {
        const double given = spmv_get(s, s->from, i);
        s->first_squares += given * given;
    }
    return status;
}
