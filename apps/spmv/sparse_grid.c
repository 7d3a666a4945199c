/* sparse_grid.c - the Laplacian of a grid, with equal weights or with those of a random walker on
 * an image (Grady 2006), who prefers steps where the image changes little.
 *
 * Both ends of an edge have the same weight to the bit. A diagonal value is the sum of its row's
 * weights in the order of their columns.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../app.h"
#include "sparse.h"

struct making {
    const struct sparse_grid *grid;
    struct sparse *matrix;
    double factor; /* -beta / range^2 */
};

static yoke_status check_size(const struct sparse_grid *grid)
{
    int64_t rows = 1;
    for (int d = 0; d < 3; d++)
        if (grid->size[d] < 1 || grid->size[d] > SPARSE_ROWS_MOST / rows)
            return app_fail(YOKE_EINVAL,
                            "a grid of %" PRId64 "x%" PRId64 "x%" PRId64
                            " points; a matrix has from 1 to %d rows",
                            grid->size[0], grid->size[1], grid->size[2], SPARSE_ROWS_MOST);
        else
            rows *= grid->size[d];
    return YOKE_OK;
}

static double factor_of(const struct sparse_grid *grid, int64_t points)
{
    float low, high;
    if (!grid->image)
        return 0;
    low = high = grid->image[0];
    for (int64_t i = 1; i < points; i++) {
        low = fminf(low, grid->image[i]);
        high = fmaxf(high, grid->image[i]);
    }
    return high > low ? -grid->beta / (((double)high - (double)low) * ((double)high - (double)low))
                      : 0;
}

/* Counts the entries in the plane z: each point itself and its neighbours. */
static void count_plane(const struct making *making, int64_t z)
{
    const int64_t *size = making->grid->size;
    int64_t *counts = making->matrix->starts + z * size[0] * size[1] + 1;
    for (int64_t y = 0; y < size[1]; y++)
        for (int64_t x = 0; x < size[0]; x++)
            *counts++ = 1 + (z > 0) + (y > 0) + (x > 0) + (x < size[0] - 1) + (y < size[1] - 1) +
                        (z < size[2] - 1);
}

static double weight(const struct making *making, int64_t a, int64_t b)
{
    double difference;
    if (making->factor == 0)
        return 1;
    difference = (double)making->grid->image[a] - (double)making->grid->image[b];
    return exp(making->factor * difference * difference);
}

static void fill_row(const struct making *making, int64_t at, const int64_t *there)
{
    const int64_t line = making->grid->size[0], plane = line * making->grid->size[1];
    const int64_t steps[7] = { -plane, -line, -1, 0, 1, line, plane };
    struct sparse *matrix = making->matrix;
    int64_t entry = matrix->starts[at], diagonal = entry;
    double sum = 0;
    for (int k = 0; k < 7; k++) {
        if (!there[k])
            continue;
        matrix->column[entry] = (int32_t)(at + steps[k]);
        if (k == 3) {
            diagonal = entry;
        } else {
            const double w = weight(making, at, at + steps[k]);
            sparse_put(matrix, entry, -w);
            sum += -sparse_get(matrix, entry); /* the stored value, so that rows add up to 0 */
        }
        entry++;
    }
    sparse_put(matrix, diagonal, sum);
}

static void fill_plane(const struct making *making, int64_t z)
{
    const int64_t *size = making->grid->size;
    for (int64_t y = 0; y < size[1]; y++)
        for (int64_t x = 0; x < size[0]; x++) {
            const int64_t there[7] = { z > 0,           y > 0,           x > 0,          1,
                                       x < size[0] - 1, y < size[1] - 1, z < size[2] - 1 };
            fill_row(making, (z * size[1] + y) * size[0] + x, there);
        }
}

static void count_block(void *context, int64_t block)
{
    count_plane(context, block);
}
static void fill_block(void *context, int64_t block)
{
    fill_plane(context, block);
}

yoke_status sparse_make_grid(const struct sparse_grid *grid, const struct sparse_spec *spec,
                             struct sparse *out)
{
    struct sparse matrix = {
        .type = spec->type, .memory = spec->memory, .is_symmetric = 1, .is_laplacian = 1
    };
    struct making making = { .grid = grid, .matrix = &matrix };
    const struct sparse_making how = {
        .count = count_block, .fill = fill_block, .context = &making, .blocks = grid->size[2]
    };
    yoke_status status = check_size(grid);
    if (status != YOKE_OK)
        return status;
    matrix.rows = matrix.columns = grid->size[0] * grid->size[1] * grid->size[2];
    making.factor = factor_of(grid, matrix.rows);
    snprintf(matrix.source, sizeof matrix.source,
             "the Laplacian of a grid of %" PRId64 "x%" PRId64 "x%" PRId64 " points", grid->size[0],
             grid->size[1], grid->size[2]);
    status = sparse_make(&matrix, &how);
    if (status == YOKE_OK)
        *out = matrix;
    return status;
}
