/* sparse_band.c - seven diagonals: the Laplacian of a grid with any number of points.
 *
 * The points are those of a cube of about n x n x n, numbered in one line that continues from the
 * end of each row and plane at the beginning of the next. A point's neighbours are 1, n and n^2
 * before and behind it. All weights are 1, so all values are whole numbers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../app.h"
#include "../count.h"
#include "sparse.h"

enum { BLOCKS = 256 };

struct making {
    struct sparse *matrix;
    int64_t steps[7];
};

static int is_there(const struct making *making, int64_t row, int k)
{
    const int64_t column = row + making->steps[k];
    return column >= 0 && column < making->matrix->rows;
}

static void count_block(void *context, int64_t block)
{
    const struct making *making = context;
    const struct cores_span rows = cores_span(making->matrix->rows, BLOCKS, block);
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t count = 0;
        for (int k = 0; k < 7; k++)
            count += is_there(making, i, k);
        making->matrix->starts[i + 1] = count;
    }
}

static void fill_block(void *context, int64_t block)
{
    const struct making *making = context;
    struct sparse *matrix = making->matrix;
    const struct cores_span rows = cores_span(matrix->rows, BLOCKS, block);
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t entry = matrix->starts[i];
        const int64_t neighbours = matrix->starts[i + 1] - entry - 1;
        for (int k = 0; k < 7; k++)
            if (is_there(making, i, k)) {
                matrix->column[entry] = (int32_t)(i + making->steps[k]);
                sparse_put(matrix, entry++, k == 3 ? (double)neighbours : -1);
            }
    }
}

yoke_status sparse_make_band(int64_t rows, const struct sparse_spec *spec, struct sparse *out)
{
    struct sparse matrix = { .type = spec->type,
                             .memory = spec->memory,
                             .is_symmetric = 1,
                             .is_laplacian = 1,
                             .rows = rows,
                             .columns = rows };
    const int64_t n = (int64_t)fmax(2, round(cbrt((double)rows)));
    struct making making = { .matrix = &matrix, .steps = { -n * n, -n, -1, 0, 1, n, n * n } };
    const struct sparse_making how = {
        .count = count_block, .fill = fill_block, .context = &making, .blocks = BLOCKS
    };
    yoke_status status;
    if (rows < 1 || rows > SPARSE_ROWS_MOST)
        return app_fail(YOKE_EINVAL, "a matrix of %" PRId64 " rows; --size is from 1 to %d", rows,
                        SPARSE_ROWS_MOST);
    snprintf(matrix.source, sizeof matrix.source,
             "a 7-point stencil of %s, %" PRId64 " apart in a plane",
             count_words(rows, "points").text, n);
    status = sparse_make(&matrix, &how);
    if (status == YOKE_OK)
        *out = matrix;
    return status;
}
