/* sparse_skewed.c - rows of very different lengths: few are very long.
 *
 * The lengths follow Pareto's distribution: least / u^(1 / 1.2) with u uniform, cut at a quarter of
 * the columns. So the longest of n rows is about n^0.8 times the shortest. To place a row's
 * entries, the columns are divided into as many equal parts as the row has entries, and each part
 * gets one entry. So the columns are in order and none comes twice. The entry's place favours the
 * beginning of its part (u^3 of the way), so some columns get more entries than others. All numbers
 * depend only on the seed and on the row or the entry: cores can make rows in any order.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../app.h"
#include "../cores.h"
#include "../count.h"
#include "../random.h"
#include "sparse.h"

enum { BLOCKS = 256 };
#define EXPONENT 1.2

struct making {
    const struct sparse_skew *skew;
    struct sparse *matrix;
    double least;
};

static int64_t length_of(const struct making *making, int64_t row)
{
    const double u = 1 - random_uniform(making->skew->seed, (uint64_t)row); /* not 0 */
    const double length = making->least * pow(u, -1 / EXPONENT), most = (double)making->skew->rows;
    return (int64_t)fmin(length, fmax(1, floor(most / 4)));
}

/* A column in [low, high): lower ones are more likely. */
static int32_t column_in(int64_t low, int64_t high, double u)
{
    return (int32_t)(low + (int64_t)((double)(high - low) * u * u * u));
}

static void count_block(void *context, int64_t block)
{
    const struct making *making = context;
    const struct cores_span rows = cores_span(making->matrix->rows, BLOCKS, block);
    for (int64_t i = rows.first; i < rows.last; i++)
        making->matrix->starts[i + 1] = length_of(making, i);
}

static void fill_block(void *context, int64_t block)
{
    const struct making *making = context;
    struct sparse *matrix = making->matrix;
    const struct cores_span rows = cores_span(matrix->rows, BLOCKS, block);
    for (int64_t i = rows.first; i < rows.last; i++) {
        const int64_t first = matrix->starts[i], length = matrix->starts[i + 1] - first;
        for (int64_t k = 0; k < length; k++) {
            const uint64_t at = (uint64_t)(first + k);
            const struct cores_span part = cores_span(matrix->columns, length, k);
            const uint64_t bits = random_bits(making->skew->seed + 2, at);
            matrix->column[first + k] =
                column_in(part.first, part.last, random_uniform(making->skew->seed + 1, at));
            sparse_put(matrix, first + k, (double)((int64_t)(bits % 17) - 8));
        }
    }
}

yoke_status sparse_make_skewed(const struct sparse_skew *skew, const struct sparse_spec *spec,
                               struct sparse *out)
{
    struct sparse matrix = {
        .type = spec->type, .memory = spec->memory, .rows = skew->rows, .columns = skew->rows
    };
    struct making making = { .skew = skew, .matrix = &matrix };
    const struct sparse_making how = {
        .count = count_block, .fill = fill_block, .context = &making, .blocks = BLOCKS
    };
    yoke_status status;
    if (skew->rows < 1 || skew->rows > SPARSE_ROWS_MOST)
        return app_fail(YOKE_EINVAL, "a matrix of %" PRId64 " rows; --size is from 1 to %d",
                        skew->rows, SPARSE_ROWS_MOST);
    /* Pareto's mean is least * 1.2 / 0.2; rounding lengths down loses half an entry. */
    making.least = (skew->mean + 0.5) * (EXPONENT - 1) / EXPONENT;
    snprintf(matrix.source, sizeof matrix.source, "a skewed matrix of %s",
             count_words(skew->rows, "rows").text);
    status = sparse_make(&matrix, &how);
    if (status == YOKE_OK)
        *out = matrix;
    return status;
}
