/* sparse_market.c - Matrix Market's files of coordinates (Boisvert, Pozo and Remington 1996).
 *
 *     %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric
 *     % comments
 *     ROWS COLUMNS ENTRIES
 *     ROW COLUMN [VALUE]      counted from 1; of symmetric ones on and below the diagonal only
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "../app.h"
#include "../count.h"
#include "../text_words.h"
#include "sparse_build.h"

struct market {
    struct text_file from;
    struct sparse_build build;
    int64_t announced;
    enum { REAL, INTEGER, PATTERN } field;
    enum { GENERAL, SYMMETRIC, SKEW } symmetry;
};

/* Reads the next word, which must be one of `names` in any case; `*out` is its index. */
static yoke_status take_one_of(const struct text_file *from, const char **at,
                               const char *const *names, int *out)
{
    const char *word;
    const size_t length = text_take_word(at, &word);
    for (int k = 0; names[k]; k++)
        if (strlen(names[k]) == length && strncasecmp(names[k], word, length) == 0) {
            *out = k;
            return YOKE_OK;
        }
    return text_file_fail(from, YOKE_EINVAL, "'%.*s' is not read here; %s is",
                          length < 40 ? (int)length : 40, word, names[0]);
}

static yoke_status read_banner(struct market *market)
{
    static const char *const fields[] = { "real", "integer", "pattern", "double", NULL };
    static const char *const symmetries[] = { "general", "symmetric", "skew-symmetric", NULL };
    static const char *const objects[] = { "matrix", NULL }, *const formats[] = { "coordinate",
                                                                                  NULL };
    const char *at;
    int field = 0, symmetry = 0, only;
    yoke_status status = text_file_line(&market->from, &at);
    if (status == YOKE_OK && (!at || !text_take_this(&at, "%%MatrixMarket")))
        status = text_file_fail(&market->from, YOKE_EINVAL,
                                "a Matrix Market file begins with %%%%MatrixMarket");
    if (status == YOKE_OK)
        status = take_one_of(&market->from, &at, objects, &only);
    if (status == YOKE_OK)
        status = take_one_of(&market->from, &at, formats, &only);
    if (status == YOKE_OK)
        status = take_one_of(&market->from, &at, fields, &field);
    if (status == YOKE_OK)
        status = take_one_of(&market->from, &at, symmetries, &symmetry);
    market->field = field == 1 ? INTEGER : field == 2 ? PATTERN : REAL;
    market->symmetry = symmetry == 1 ? SYMMETRIC : symmetry == 2 ? SKEW : GENERAL;
    if (status == YOKE_OK && market->field == PATTERN && market->symmetry == SKEW)
        status = text_file_fail(&market->from, YOKE_EINVAL, "a pattern cannot be skew-symmetric");
    return status;
}

/* The next line that is not empty, or NULL. */
static yoke_status next_line(struct market *market, const char **out)
{
    yoke_status status;
    do {
        status = text_file_line(&market->from, out);
    } while (status == YOKE_OK && *out && (**out == '%' || text_at_end(out)));
    return status;
}

static yoke_status read_sizes(struct market *market)
{
    static const struct sparse_whole kinds[] = {
        { "a number of rows", 1, SPARSE_ROWS_MOST },
        { "a number of columns", 1, SPARSE_ROWS_MOST },
        { "a number of entries", 0, SPARSE_ENTRIES_MOST },
    };
    int64_t *const out[] = { &market->build.rows, &market->build.columns, &market->announced };
    const char *at;
    yoke_status status = next_line(market, &at);
    if (status == YOKE_OK && !at)
        return text_file_fail(
            &market->from, YOKE_EINVAL,
            "the file ends, but numbers of rows, columns and entries belong here");
    for (int k = 0; k < 3 && status == YOKE_OK; k++)
        status = sparse_take_whole(&market->from, &at, &kinds[k], out[k]);
    if (status == YOKE_OK)
        status = sparse_take_end(&market->from, &at);
    if (status == YOKE_OK && market->symmetry != GENERAL &&
        market->build.rows != market->build.columns)
        status = text_file_fail(&market->from, YOKE_EINVAL,
                                "a symmetric matrix has as many columns as rows");
    return status;
}

static yoke_status add(struct market *market, struct sparse_entry entry)
{
    yoke_status status = sparse_build_add(&market->build, entry);
    if (status != YOKE_OK || market->symmetry == GENERAL || entry.row == entry.column)
        return status;
    return sparse_build_add(
        &market->build,
        (struct sparse_entry){ entry.column, entry.row,
                               market->symmetry == SKEW ? -entry.value : entry.value });
}

static yoke_status read_entry(struct market *market, const char *at)
{
    const struct sparse_whole rows = { "a row", 1, market->build.rows };
    const struct sparse_whole columns = { "a column", 1, market->build.columns };
    int64_t row, column;
    double value = 1;
    yoke_status status = sparse_take_whole(&market->from, &at, &rows, &row);
    if (status == YOKE_OK)
        status = sparse_take_whole(&market->from, &at, &columns, &column);
    if (status == YOKE_OK && market->field != PATTERN)
        status = sparse_take_value(&market->from, &at, &value);
    if (status == YOKE_OK && market->field == INTEGER && value != floor(value))
        status = text_file_fail(&market->from, YOKE_EINVAL, "%g is no whole number", value);
    if (status == YOKE_OK)
        status = sparse_take_end(&market->from, &at);
    if (status == YOKE_OK && market->symmetry != GENERAL && column > row)
        status = text_file_fail(&market->from, YOKE_EINVAL,
                                "an entry above the diagonal of a symmetric matrix, of which files "
                                "have the part below");
    if (status == YOKE_OK && market->symmetry == SKEW && column == row)
        status = text_file_fail(&market->from, YOKE_EINVAL,
                                "an entry on the diagonal of a skew-symmetric matrix, which is 0");
    if (status != YOKE_OK)
        return status;
    return add(market, (struct sparse_entry){ (int32_t)(row - 1), (int32_t)(column - 1), value });
}

static yoke_status read_entries(struct market *market)
{
    int64_t count = 0;
    const char *at = NULL;
    yoke_status status;
    while ((status = next_line(market, &at)) == YOKE_OK && at) {
        if (count++ == market->announced)
            return text_file_fail(&market->from, YOKE_EINVAL,
                                  "more than the %s that the file announces",
                                  count_words(market->announced, "entries").text);
        status = read_entry(market, at);
        if (status != YOKE_OK)
            return status;
    }
    if (status == YOKE_OK && count < market->announced)
        status = text_file_fail(&market->from, YOKE_EINVAL,
                                "the file ends after %lld of the %s that it announces",
                                (long long)count, count_words(market->announced, "entries").text);
    return status;
}

yoke_status sparse_read_market(FILE *file, const char *path, const struct sparse_file *how,
                               struct sparse *out)
{
    struct market market = { .announced = 0 };
    yoke_status status = text_file_open(file, path, &market.from);
    if (status != YOKE_OK)
        return status;
    market.build.path = path;
    status = read_banner(&market);
    if (status == YOKE_OK)
        status = read_sizes(&market);
    if (status == YOKE_OK)
        status = read_entries(&market);
    if (status == YOKE_OK)
        status = sparse_build_check(&market.build, &market.from);
    if (status == YOKE_OK)
        status = sparse_build_finish(&market.build, &how->spec, out);
    if (status == YOKE_OK)
        out->is_symmetric = market.symmetry == SYMMETRIC;
    sparse_build_close(&market.build);
    text_file_close(&market.from);
    return status;
}
