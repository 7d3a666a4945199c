/* sparse_build.c - sorts entries in two passes of counting sort: by columns, then by rows. The
 * second pass keeps the order of columns.
 */
#include "sparse_build.h"

#include <math.h>
#include <stdlib.h>

#include "../app.h"
#include "../text_words.h"

enum {
    EMPTY_MOST = 256,
    ASKED_BYTES = 64 << 20 /* below this growth, checking the free memory is not worth its cost */
};

yoke_status sparse_build_add(struct sparse_build *build, struct sparse_entry entry)
{
    if (build->count == build->room) {
        const int64_t room = build->room ? 2 * build->room : 1024;
        const int64_t bytes = build->room * (int64_t)sizeof(struct sparse_entry);
        yoke_status status =
            bytes < ASKED_BYTES ? YOKE_OK : app_memory_for_file(build->path, bytes);
        if (status != YOKE_OK)
            return status;
        struct sparse_entry *more = realloc(build->entries, (size_t)room * sizeof *more);
        if (!more)
            return app_fail(YOKE_ENOMEM, "no memory for %lld entries of a matrix", (long long)room);
        build->entries = more;
        build->room = room;
    }
    build->entries[build->count++] = entry;
    return YOKE_OK;
}

yoke_status sparse_build_check(const struct sparse_build *build, const struct text_file *from)
{
    if (build->rows + build->columns <= EMPTY_MOST * (build->count + EMPTY_MOST))
        return YOKE_OK;
    return text_file_fail(
        from, YOKE_EINVAL, "%lld rows and %lld columns for %lld entries: nearly all are empty",
        (long long)build->rows, (long long)build->columns, (long long)build->count);
}

void sparse_build_close(struct sparse_build *build)
{
    free(build->entries);
    build->entries = NULL;
}

/* The indexes of the entries in the order of their columns. */
static yoke_status by_columns(const struct sparse_build *build, int64_t **out)
{
    int64_t *starts, *order;
    yoke_status status =
        app_alloc("the matrix's columns", build->columns + 1, sizeof *starts, (void **)&starts);
    if (status != YOKE_OK)
        return status;
    status = app_alloc("the matrix's entries", build->count, sizeof *order, (void **)&order);
    if (status == YOKE_OK) {
        for (int64_t j = 0; j <= build->columns; j++)
            starts[j] = 0;
        for (int64_t k = 0; k < build->count; k++)
            starts[build->entries[k].column + 1]++;
        for (int64_t j = 0; j < build->columns; j++)
            starts[j + 1] += starts[j];
        for (int64_t k = 0; k < build->count; k++)
            order[starts[build->entries[k].column]++] = k;
        *out = order;
    }
    free(starts);
    return status;
}

/* Writes each place once, in order; values of the same place are added. ends[i] is where row i's
 * next entry goes. */
static void place(const struct sparse_build *build, const int64_t *order, struct sparse *matrix,
                  int64_t *ends)
{
    for (int64_t n = 0; n < build->count; n++) {
        const struct sparse_entry *entry = &build->entries[order[n]];
        const int64_t first = matrix->starts[entry->row], k = ends[entry->row];
        if (k > first && matrix->column[k - 1] == entry->column) {
            sparse_put(matrix, k - 1, sparse_get(matrix, k - 1) + entry->value);
            continue;
        }
        matrix->column[k] = entry->column;
        sparse_put(matrix, k, entry->value);
        ends[entry->row] = k + 1;
    }
}

/* Removes the gaps that merged entries left. */
static void close_gaps(struct sparse *matrix, const int64_t *ends)
{
    int64_t to = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t from = matrix->starts[i];
        matrix->starts[i] = to;
        for (int64_t k = from; k < ends[i]; k++, to++) {
            matrix->column[to] = matrix->column[k];
            sparse_put(matrix, to, sparse_get(matrix, k));
        }
    }
    matrix->starts[matrix->rows] = matrix->entries = to;
}

/* All memory that building needs at the same time: starts and ends of rows, starts of columns; and
 * the column, the value and the index of each entry. */
static yoke_status check_memory(const struct sparse_build *build, const struct sparse_spec *spec)
{
    const int64_t word = sizeof(int64_t);
    const int64_t entry = (int64_t)sizeof(int32_t) + (int64_t)sparse_size(spec->type) + word;
    const int64_t bytes = word * (2 * build->rows + build->columns + 2) + entry * build->count;
    return bytes < ASKED_BYTES ? YOKE_OK : app_memory_for_file(build->path, bytes);
}

yoke_status sparse_build_finish(const struct sparse_build *build, const struct sparse_spec *spec,
                                struct sparse *out)
{
    struct sparse matrix = {
        .rows = build->rows, .columns = build->columns, .type = spec->type, .memory = spec->memory
    };
    int64_t *order = NULL, *ends = NULL;
    yoke_status status = check_memory(build, spec);
    if (status == YOKE_OK)
        status = sparse_open(&matrix);
    if (status == YOKE_OK) {
        for (int64_t i = 0; i <= matrix.rows; i++)
            matrix.starts[i] = 0;
        for (int64_t k = 0; k < build->count; k++)
            matrix.starts[build->entries[k].row + 1]++;
        sparse_sum_starts(&matrix);
        status = sparse_fill_open(&matrix);
    }
    if (status == YOKE_OK)
        status = by_columns(build, &order);
    if (status == YOKE_OK)
        status = app_alloc("the matrix's rows", matrix.rows, sizeof *ends, (void **)&ends);
    if (status == YOKE_OK) {
        for (int64_t i = 0; i < matrix.rows; i++)
            ends[i] = matrix.starts[i];
        place(build, order, &matrix, ends);
        close_gaps(&matrix, ends);
        *out = matrix;
    } else {
        sparse_close(&matrix);
    }
    free(order);
    free(ends);
    return status;
}

yoke_status sparse_take_value(const struct text_file *from, const char **at, double *out)
{
    yoke_status status = text_number(from, at, "a value", out);
    if (status == YOKE_OK && !(fabs(*out) <= SPARSE_VALUE_MOST))
        status = text_file_fail(from, YOKE_EINVAL, "a value is %g; values are numbers up to %g",
                                *out, SPARSE_VALUE_MOST);
    return status;
}

yoke_status sparse_take_whole(const struct text_file *from, const char **at,
                              const struct sparse_whole *kind, int64_t *out)
{
    const char *here = *at;
    if (!text_take_whole(at, out) || !text_word_ends(*at))
        return text_not_this(from, here, kind->what);
    if (*out < kind->least || *out > kind->most)
        return text_file_fail(from, YOKE_EINVAL, "%s is not %s; that is from %lld to %lld",
                              text_whole_at(here).text, kind->what, (long long)kind->least,
                              (long long)kind->most);
    return YOKE_OK;
}

yoke_status sparse_take_end(const struct text_file *from, const char **at)
{
    const char *word;
    int length;
    if (text_at_end(at))
        return YOKE_OK;
    length = (int)text_take_word(at, &word);
    return text_file_fail(from, YOKE_EINVAL, "'%.*s' is more than belongs on this line",
                          length < 40 ? length : 40, word);
}
