/* sparse_boeing.c - Harwell-Boeing and Rutherford-Boeing files (Duff, Grimes and Lewis 1992, 1997).
 *
 *     TITLE KEY
 *     LINES of pointers, of rows, of values [, of right sides]
 *     TYPE ROWS COLUMNS ENTRIES ...
 *     FORMATS of pointers, rows, values [, right sides]
 *     [of right sides, if there are lines of them]
 *     COLUMNS + 1 pointers, ENTRIES rows, ENTRIES values, by columns, counted from 1
 *
 * TYPE has three letters. First: R real or P pattern (in Rutherford-Boeing also I integer). Second:
 * U unsymmetric, R not square, S symmetric, Z skew-symmetric; for S and Z only the part below the
 * diagonal is stored. Third: A assembled. Numbers are in fields of fixed width; there is no blank
 * between fields that numbers fill.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "../text_words.h"
#include "sparse_build.h"
#include "sparse_fields.h"

struct boeing {
    struct text_file from;
    struct sparse_build build;
    int64_t right_sides, entries;
    char type[3];
    struct sparse_format pointer, row, value;
    int64_t *pointers; /* columns + 1, counted from 0; those that were read so far */
    int64_t room;
};

static yoke_status next_line(struct boeing *boeing, const char *what, const char **out)
{
    yoke_status status = text_file_line(&boeing->from, out);
    if (status == YOKE_OK && !*out)
        status = text_file_fail(&boeing->from, YOKE_EINVAL,
                                "the file ends, but %s belongs here; is it complete?", what);
    return status;
}

static yoke_status read_counts(struct boeing *boeing)
{
    static const struct sparse_whole lines = { "a number of lines", 0, SPARSE_ENTRIES_MOST };
    int64_t counts[5] = { 0 };
    const char *at;
    yoke_status status = next_line(boeing, "a title", &at);
    if (status == YOKE_OK)
        status = next_line(boeing, "numbers of lines", &at);
    for (int k = 0; k < 5 && status == YOKE_OK && (k < 4 || !text_at_end(&at)); k++)
        status = sparse_take_whole(&boeing->from, &at, &lines, &counts[k]);
    boeing->right_sides = counts[4];
    return status;
}

static yoke_status check_type(const struct boeing *boeing)
{
    const char *type = boeing->type;
    if (!strchr("RPI", type[0]) || !strchr("URSZ", type[1]) || type[2] != 'A')
        return text_file_fail(&boeing->from, YOKE_EINVAL,
                              "type %.3s is not read here; R, P or I, then U, R, S or Z, then A is",
                              type);
    if (strchr("SZ", type[1]) && boeing->build.rows != boeing->build.columns)
        return text_file_fail(&boeing->from, YOKE_EINVAL,
                              "a symmetric matrix has as many columns as rows");
    if (type[0] == 'P' && type[1] == 'Z')
        return text_file_fail(&boeing->from, YOKE_EINVAL, "a pattern cannot be skew-symmetric");
    return YOKE_OK;
}

static yoke_status read_sizes(struct boeing *boeing)
{
    static const struct sparse_whole kinds[] = {
        { "a number of rows", 1, SPARSE_ROWS_MOST },
        { "a number of columns", 1, SPARSE_ROWS_MOST },
        { "a number of entries", 0, SPARSE_ENTRIES_MOST },
    };
    int64_t *const out[] = { &boeing->build.rows, &boeing->build.columns, &boeing->entries };
    const char *at, *word;
    yoke_status status = next_line(boeing, "a type", &at);
    if (status != YOKE_OK)
        return status;
    if (text_take_word(&at, &word) != sizeof boeing->type)
        return text_not_this(&boeing->from, word, "a type of three letters");
    for (size_t k = 0; k < sizeof boeing->type; k++)
        boeing->type[k] = (char)toupper((unsigned char)word[k]);
    for (int k = 0; k < 3 && status == YOKE_OK; k++)
        status = sparse_take_whole(&boeing->from, &at, &kinds[k], out[k]);
    return status == YOKE_OK ? check_type(boeing) : status;
}

static yoke_status read_formats(struct boeing *boeing)
{
    const char *at;
    yoke_status status = next_line(boeing, "formats", &at);
    if (status == YOKE_OK)
        status = sparse_take_format(&boeing->from, &at, &boeing->pointer);
    if (status == YOKE_OK)
        status = sparse_take_format(&boeing->from, &at, &boeing->row);
    if (status == YOKE_OK && boeing->type[0] != 'P')
        status = sparse_take_format(&boeing->from, &at, &boeing->value);
    if (status == YOKE_OK && boeing->right_sides > 0)
        status = next_line(boeing, "what the right sides are", &at);
    return status;
}

/* Grows with the pointers that were read, not with the number that the file announces. */
static yoke_status add_pointer(struct boeing *boeing, int64_t index, int64_t value)
{
    if (index == boeing->room) {
        const int64_t room = boeing->room ? 2 * boeing->room : 1024;
        int64_t *more = realloc(boeing->pointers, (size_t)room * sizeof *more);
        if (!more)
            return app_fail(YOKE_ENOMEM, "no memory for %lld columns of a matrix", (long long)room);
        boeing->pointers = more;
        boeing->room = room;
    }
    if (value < (index ? boeing->pointers[index - 1] + 1 : 1) || value > boeing->entries + 1)
        return text_file_fail(&boeing->from, YOKE_EINVAL,
                              "%lld is no pointer of column %lld: they begin with 1, do not fall "
                              "and end with the number of entries, %lld, and 1",
                              (long long)value, (long long)index + 1, (long long)boeing->entries);
    boeing->pointers[index] = value - 1;
    return YOKE_OK;
}

static yoke_status read_pointers(struct boeing *boeing)
{
    struct sparse_fields fields = { .from = &boeing->from, .format = &boeing->pointer };
    int64_t value = 0, columns = boeing->build.columns;
    yoke_status status = YOKE_OK;
    for (int64_t j = 0; j <= columns && status == YOKE_OK; j++) {
        status = sparse_next_whole(&fields, "a column's pointer", &value);
        if (status == YOKE_OK)
            status = add_pointer(boeing, j, value);
    }
    if (status == YOKE_OK &&
        (boeing->pointers[0] != 0 || boeing->pointers[columns] != boeing->entries))
        status =
            text_file_fail(&boeing->from, YOKE_EINVAL,
                           "the pointers are from %lld to %lld and have to be from 1 to the "
                           "number of entries, %lld, and 1",
                           (long long)boeing->pointers[0] + 1,
                           (long long)boeing->pointers[columns] + 1, (long long)boeing->entries);
    return status;
}

static yoke_status read_rows(struct boeing *boeing)
{
    struct sparse_fields fields = { .from = &boeing->from, .format = &boeing->row };
    const int is_half = boeing->type[1] == 'S' || boeing->type[1] == 'Z';
    int64_t row = 0, column = 0;
    yoke_status status = YOKE_OK;
    for (int64_t k = 0; k < boeing->entries && status == YOKE_OK; k++) {
        while (boeing->pointers[column + 1] <= k)
            column++;
        status = sparse_next_whole(&fields, "a row", &row);
        if (status == YOKE_OK && (row < 1 || row > boeing->build.rows))
            status = text_file_fail(&boeing->from, YOKE_EINVAL,
                                    "%lld is no row; they are from 1 to %lld", (long long)row,
                                    (long long)boeing->build.rows);
        if (status == YOKE_OK && is_half && row - 1 < column + (boeing->type[1] == 'Z'))
            status = text_file_fail(&boeing->from, YOKE_EINVAL,
                                    "row %lld of column %lld: of a symmetric matrix files have the "
                                    "part below the diagonal",
                                    (long long)row, (long long)column + 1);
        if (status == YOKE_OK)
            status = sparse_build_add(
                &boeing->build, (struct sparse_entry){ (int32_t)(row - 1), (int32_t)column, 1 });
    }
    return status;
}

static yoke_status read_values(struct boeing *boeing)
{
    struct sparse_fields fields = { .from = &boeing->from, .format = &boeing->value };
    yoke_status status = YOKE_OK;
    for (int64_t k = 0; k < boeing->entries && status == YOKE_OK; k++)
        status = sparse_next_value(&fields, &boeing->build.entries[k].value);
    return status;
}

/* Adds the half that is not stored. */
static yoke_status mirror(struct boeing *boeing)
{
    const double sign = boeing->type[1] == 'Z' ? -1 : 1;
    yoke_status status = YOKE_OK;
    if (boeing->type[1] != 'S' && boeing->type[1] != 'Z')
        return YOKE_OK;
    for (int64_t k = 0; k < boeing->entries && status == YOKE_OK; k++) {
        const struct sparse_entry e = boeing->build.entries[k];
        if (e.row != e.column)
            status = sparse_build_add(&boeing->build,
                                      (struct sparse_entry){ e.column, e.row, sign * e.value });
    }
    return status;
}

yoke_status sparse_read_boeing(FILE *file, const char *path, const struct sparse_file *how,
                               struct sparse *out)
{
    struct boeing boeing = { .pointers = NULL };
    yoke_status status = text_file_open(file, path, &boeing.from);
    if (status != YOKE_OK)
        return status;
    boeing.build.path = path;
    status = read_counts(&boeing);
    if (status == YOKE_OK)
        status = read_sizes(&boeing);
    if (status == YOKE_OK)
        status = read_formats(&boeing);
    if (status == YOKE_OK)
        status = read_pointers(&boeing);
    if (status == YOKE_OK)
        status = read_rows(&boeing);
    if (status == YOKE_OK && boeing.type[0] != 'P')
        status = read_values(&boeing);
    if (status == YOKE_OK)
        status = mirror(&boeing);
    if (status == YOKE_OK)
        status = sparse_build_check(&boeing.build, &boeing.from);
    if (status == YOKE_OK)
        status = sparse_build_finish(&boeing.build, &how->spec, out);
    if (status == YOKE_OK)
        out->is_symmetric = boeing.type[1] == 'S';
    free(boeing.pointers);
    sparse_build_close(&boeing.build);
    text_file_close(&boeing.from);
    return status;
}
