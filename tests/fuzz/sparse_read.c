/* sparse_read.c - see sparse_read.h. */
#include "sparse_read.h"

#include <math.h>

#include "fuzz.h"
#include "said.h"

static yoke_status read_bytes(sparse_reader *read, const uint8_t *bytes, size_t size,
                              struct sparse *out)
{
    static uint8_t none[1];
    const struct sparse_file how = { .is_laplacian = size % 2 == 0,
                                     .spec.type = size % 3 ? SPARSE_DOUBLE : SPARSE_SINGLE };
    FILE *file = fmemopen(size ? (void *)(uintptr_t)bytes : none, size ? size : 1, "rb");
    yoke_status status;
    FUZZ_CHECK(file);
    if (size == 0) /* fmemopen does not support empty files */
        (void)fgetc(file);
    status = read(file, "it", &how, out);
    fclose(file);
    return status;
}

static double value_at(const struct sparse *matrix, int64_t row, int32_t column)
{
    for (int64_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
        if (matrix->column[k] == column)
            return sparse_get(matrix, k);
    return NAN;
}

static void check_matrix(const struct sparse *matrix)
{
    FUZZ_CHECK(matrix->rows >= 1 && matrix->columns >= 1 && matrix->starts[0] == 0);
    FUZZ_CHECK(matrix->entries == matrix->starts[matrix->rows]);
    for (int64_t i = 0; i < matrix->rows; i++) {
        FUZZ_CHECK(matrix->starts[i] <= matrix->starts[i + 1]);
        for (int64_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++) {
            const int32_t column = matrix->column[k];
            FUZZ_CHECK(column >= 0 && column < matrix->columns);
            FUZZ_CHECK(k == matrix->starts[i] || matrix->column[k - 1] < column);
            FUZZ_CHECK(isfinite(sparse_get(matrix, k)));
            if (matrix->is_symmetric && matrix->entries < 1000)
                FUZZ_CHECK(value_at(matrix, column, (int32_t)i) == sparse_get(matrix, k));
        }
    }
}

static void check_same(const struct sparse *a, const struct sparse *b)
{
    const size_t rows = (size_t)a->rows + 1, entries = (size_t)a->entries;
    FUZZ_CHECK(a->rows == b->rows && a->columns == b->columns && a->entries == b->entries);
    FUZZ_CHECK(memcmp(a->starts, b->starts, rows * sizeof *a->starts) == 0);
    FUZZ_CHECK(memcmp(a->column, b->column, entries * sizeof *a->column) == 0);
    FUZZ_CHECK(memcmp(a->value, b->value, entries * sparse_size(a->type)) == 0);
}

static void check_said(yoke_status status, const uint8_t *bytes, size_t size)
{
    long long line = 0, last = 1;
    int parts = 0;
    for (size_t k = 0; k < size; k++)
        last += bytes[k] == '\n';
    FUZZ_CHECK(status == YOKE_EINVAL);
    if (sscanf(said, "it:%lld: %n", &line, &parts) == 1 && parts > 0)
        FUZZ_CHECK(line >= 1 && line <= last);
    else
        FUZZ_CHECK(strncmp(said, "it: vertex ", 11) == 0);
}

void sparse_check(sparse_reader *read, const uint8_t *bytes, size_t size)
{
    struct sparse first = { .rows = -77 }, second = { .rows = -77 };
    const yoke_status status = read_bytes(read, bytes, size, &first);
    FUZZ_CHECK(read_bytes(read, bytes, size, &second) == status);
    if (status == YOKE_OK) {
        check_matrix(&first);
        check_same(&first, &second);
        sparse_close(&first);
        sparse_close(&second);
    } else {
        check_said(status, bytes, size);
        FUZZ_CHECK(first.rows == -77 && !first.starts);
    }
}
