/* sparse.c - matrices by rows: their memory and their norms. */
#include "sparse.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../app.h"

yoke_status sparse_open(struct sparse *matrix)
{
    return app_alloc("the matrix's rows", matrix->rows + 1, sizeof *matrix->starts,
                     (void **)&matrix->starts);
}

yoke_status sparse_fill_open(struct sparse *matrix)
{
    matrix->entries = matrix->starts[matrix->rows];
    const struct app_data columns = { "the matrix's columns", matrix->entries,
                                      sizeof *matrix->column };
    const struct app_data values = { "the matrix's values", matrix->entries,
                                     sparse_size(matrix->type) };
    yoke_status status = app_data_alloc(&matrix->memory, &columns, (void **)&matrix->column);
    if (status == YOKE_OK)
        status = app_data_alloc(&matrix->memory, &values, &matrix->value);
    return status;
}

void sparse_close(struct sparse *matrix)
{
    free(matrix->starts);
    app_data_free(&matrix->memory, matrix->column);
    app_data_free(&matrix->memory, matrix->value);
    matrix->starts = NULL;
    matrix->column = NULL;
    matrix->value = NULL;
}

void sparse_sum_starts(struct sparse *matrix)
{
    matrix->starts[0] = 0;
    for (int64_t i = 0; i < matrix->rows; i++)
        matrix->starts[i + 1] += matrix->starts[i];
}

yoke_status sparse_make(struct sparse *matrix, const struct sparse_making *how)
{
    struct cores_work work = {
        .name = "count", .block = how->count, .context = how->context, .blocks = how->blocks
    };
    yoke_status status = sparse_open(matrix);
    if (status == YOKE_OK)
        status = cores_run_once(&work);
    if (status == YOKE_OK) {
        sparse_sum_starts(matrix);
        status = sparse_fill_open(matrix);
    }
    work.name = "fill";
    work.block = how->fill;
    if (status == YOKE_OK)
        status = cores_run_once(&work);
    if (status != YOKE_OK)
        sparse_close(matrix);
    return status;
}

yoke_status sparse_shift(struct sparse *matrix, double shift)
{
    if (matrix->rows != matrix->columns)
        return app_fail(YOKE_EINVAL,
                        "%s has %" PRId64 " rows and %" PRId64
                        " columns; this is for square matrices",
                        matrix->source, matrix->rows, matrix->columns);
    for (int64_t i = 0; i < matrix->rows && shift != 0; i++) {
        int64_t k = matrix->starts[i];
        while (k < matrix->starts[i + 1] && matrix->column[k] < i)
            k++;
        if (k == matrix->starts[i + 1] || matrix->column[k] != i)
            return app_fail(YOKE_EINVAL,
                            "row %" PRId64 " of %s has nothing on the diagonal to shift; --shift 0",
                            i + 1, matrix->source);
        sparse_put(matrix, k, sparse_get(matrix, k) + shift);
    }
    return YOKE_OK;
}

yoke_status sparse_norms(const struct sparse *matrix, struct sparse_norms *out)
{
    double *columns, squares = 0;
    yoke_status status = app_alloc("norms", matrix->columns, sizeof *columns, (void **)&columns);
    if (status != YOKE_OK)
        return status;
    *out = (struct sparse_norms){ .least_row = INT64_MAX };
    for (int64_t j = 0; j < matrix->columns; j++)
        columns[j] = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t from = matrix->starts[i], to = matrix->starts[i + 1];
        double sum = 0;
        for (int64_t k = from; k < to; k++) {
            const double value = fabs(sparse_get(matrix, k));
            squares += value * value;
            sum += value;
            columns[matrix->column[k]] += value;
        }
        out->infinity = fmax(out->infinity, sum);
        out->least_row = to - from < out->least_row ? to - from : out->least_row;
        out->most_row = to - from > out->most_row ? to - from : out->most_row;
    }
    for (int64_t j = 0; j < matrix->columns; j++)
        out->one = fmax(out->one, columns[j]);
    out->frobenius = sqrt(squares);
    free(columns);
    return YOKE_OK;
}
