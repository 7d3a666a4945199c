/* test_sparse.c - matrices from files: what is read, messages about errors, lack of memory; norms
 * of graphs from packages, compared with SciPy's; and properties of generated matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "allocations.h"
#include "app.h"
#include "spmv/sparse.h"

typedef yoke_status reader(FILE *file, const char *path, const struct sparse_file *how,
                           struct sparse *out);

static const struct sparse_file laplacian = { .is_laplacian = 1 }, as_it_is = { .is_laplacian = 0 };

static yoke_status read_text(reader *read, const char *text, const struct sparse_file *how,
                             struct sparse *out)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");
    yoke_status status;
    assert_non_null(file);
    status = read(file, "it", how, out);
    fclose(file);
    return status;
}

/* "2x3: 1 2 5; 2 1 -1": rows, columns and values, counted from 1; valid until the next call. */
static const char *described(const struct sparse *matrix)
{
    static char text[1024];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    fprintf(out, "%lldx%lld", (long long)matrix->rows, (long long)matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++)
            fprintf(out, "%s%lld %d %.9g", k ? "; " : ": ", (long long)i + 1, matrix->column[k] + 1,
                    sparse_get(matrix, k));
    fclose(out);
    return text;
}

#define MTX(kind)   "%%MatrixMarket matrix coordinate " kind "\n"
#define RUA         "t\n 4 1 1 1 0\nRUA 2 2 4 0\n(3I2) (4I2) "
#define RUA_INDEXES "\n 1 3 5\n 1 2 1 2\n"
#define RSA         "title\n 4 1 1 1 0\nRSA 3 3 4 0\n"

static const struct {
    reader *read;
    const char *file, *said;
    int is_adjacency;
} right[] = {
    { sparse_read_market, MTX("real general") "2 3 2\n2 1 -1.5\n1 2 5e-1\n",
      "2x3: 1 2 0.5; 2 1 -1.5", 0 },
    { sparse_read_market, MTX("Integer General") "% c\n\n2 3 2\n\n2 1 4\n2 1 5", "2x3: 2 1 9", 0 },
    { sparse_read_market, MTX("pattern symmetric") "2 2 2\n2 1\n2 2\n", "2x2: 1 2 1; 2 1 1; 2 2 1",
      0 },
    { sparse_read_market, MTX("real skew-symmetric") "2 2 1\n2 1 3\n", "2x2: 1 2 -3; 2 1 3", 0 },
    { sparse_read_market, MTX("real general") "2 2 0\n", "2x2", 0 },
    { sparse_read_graph, "3 2\n2\n1 3\n2\n", "3x3: 1 2 1; 2 1 1; 2 3 1; 3 2 1", 1 },
    { sparse_read_graph, "% c\n3 2\n2\n%\n1 3\n2\n",
      "3x3: 1 1 1; 1 2 -1; 2 1 -1; 2 2 2; 2 3 -1; 3 2 -1; 3 3 1", 0 },
    { sparse_read_graph, "2 1 001\n2 7\n1 7\n", "2x2: 1 2 7; 2 1 7", 1 },
    { sparse_read_graph, "2 1 111 2\n9 9 9 2 7\n9 9 9 1 7\n", "2x2: 1 2 7; 2 1 7", 1 },
    { sparse_read_graph, "2 0\n\n\n", "2x2: 1 1 0; 2 2 0", 0 },
    { sparse_read_boeing,
      RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  5\n  1  2  2  3\n 4.0E+00-1.5D+00 4.0E+00 2.5E+00\n",
      "3x3: 1 1 4; 1 2 -1.5; 2 1 -1.5; 2 2 4; 3 3 2.5", 0 },
    { sparse_read_boeing,
      "title\n 4 1 1 1 1\nrua 2 2 2 0\n(2I3) (2I3) (1P,2E9.2)\nF 1 0\n  1  2\n  3\n  2  1\n"
      " 1.00+002       25\n",
      "2x2: 1 2 0.025; 2 1 100", 0 },
    /* values as gfortran 12 reads the same lines with the same formats */
    { sparse_read_boeing, RUA "(4F6.3)" RUA_INDEXES " 12345-12345  1.51235E1\n",
      "2x2: 1 1 12.345; 1 2 1.51; 2 1 -12.345; 2 2 2.35", 0 },
    { sparse_read_boeing, RUA "(1P,4E9.2)" RUA_INDEXES "       25 1.00+002 1.25D-3   2 5 1\n",
      "2x2: 1 1 0.025; 1 2 0.00125; 2 1 100; 2 2 0.251", 0 },
    { sparse_read_boeing, RUA "(2(2X,F7.2))" RUA_INDEXES "xx  12345yy  6.789\nxx      1yy    -20\n",
      "2x2: 1 1 123.45; 1 2 0.01; 2 1 6.789; 2 2 -0.2", 0 },
    { sparse_read_boeing,
      RUA "(F9.1,2PF6.1,0PF7.2,F4.0)" RUA_INDEXES "   1234E2  1234   12.5  -7\n",
      "2x2: 1 1 12340; 1 2 12.5; 2 1 1.234; 2 2 -7", 0 },
    { sparse_read_boeing, RUA "(G7.1,-1PF5.1,D6.1,E5.1)" RUA_INDEXES "  12 34  3 4  3.D2 1-02\n",
      "2x2: 1 1 123.4; 1 2 300; 2 1 34; 2 2 0.001", 0 },
    { sparse_read_boeing, "t\n 4 1 1 0\nPUA 2 3 2 0\n(4I2) (2I3) (2E9.2)\n 1 2 2 3\n  2  1\n",
      "2x3: 1 3 1; 2 1 1", 0 },
};

static void files_are_read(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        struct sparse matrix;
        if (read_text(right[k].read, right[k].file, right[k].is_adjacency ? &as_it_is : &laplacian,
                      &matrix) != YOKE_OK)
            fail_msg("%s: %s", right[k].file, app_error_text());
        assert_string_equal(described(&matrix), right[k].said);
        sparse_close(&matrix);
    }
}

static const struct {
    reader *read;
    const char *file, *said;
} wrong[] = {
    { sparse_read_market, "\n", "it:1: a Matrix Market file begins with %%MatrixMarket" },
    { sparse_read_market, "%%MatrixMarket matrix array real general\n",
      "it:1: 'array' is not read here; coordinate is" },
    { sparse_read_market, MTX("complex general"), "it:1: 'complex' is not read here; real is" },
    { sparse_read_market, MTX("real hermitian"), "it:1: 'hermitian' is not read here; general is" },
    { sparse_read_market, MTX("pattern skew-symmetric"),
      "it:1: a pattern cannot be skew-symmetric" },
    { sparse_read_market, MTX("real general"),
      "it:1: the file ends, but numbers of rows, columns and entries belong here" },
    { sparse_read_market, MTX("real general") "99999999999 1 1\n",
      "it:2: 99999999999 is not a number of rows; that is from 1 to 2147475456" },
    { sparse_read_market, MTX("real general") "99999999999999999999 1 1\n",
      "it:2: 99999999999999999999 is not a number of rows; that is from 1 to 2147475456" },
    { sparse_read_market,
      MTX("real general") "2 2 1\n1 12345678901234567890123456789012345678901 1\n",
      "it:3: 1234567890123456789012345678901234567890... is not a column; that is from 1 to 2" },
    { sparse_read_market, MTX("real general") "2 2\n",
      "it:2: the line ends, but a number of entries belongs here" },
    { sparse_read_market, MTX("real general") "2 2 1 1\n",
      "it:2: '1' is more than belongs on this line" },
    { sparse_read_market, MTX("real symmetric") "2 3 1\n",
      "it:2: a symmetric matrix has as many columns as rows" },
    { sparse_read_market, MTX("real general") "2 2 1\n0 1 1\n",
      "it:3: 0 is not a row; that is from 1 to 2" },
    { sparse_read_market, MTX("real general") "2 2 1\n1 3 1\n",
      "it:3: 3 is not a column; that is from 1 to 2" },
    { sparse_read_market, MTX("real general") "2 2 1\n1 1 nan\n",
      "it:3: a value is nan; values are numbers up to 1e+30" },
    { sparse_read_market, MTX("real general") "2 2 1\n1 1\n",
      "it:3: the line ends, but a value belongs here" },
    { sparse_read_market, MTX("integer general") "2 2 1\n1 1 .5\n",
      "it:3: 0.5 is no whole number" },
    { sparse_read_market, MTX("real symmetric") "2 2 1\n1 2 5\n",
      "it:3: an entry above the diagonal of a symmetric matrix, of which files have the part "
      "below" },
    { sparse_read_market, MTX("real skew-symmetric") "2 2 1\n2 2 5\n",
      "it:3: an entry on the diagonal of a skew-symmetric matrix, which is 0" },
    { sparse_read_market, MTX("real general") "2 2 1\n1 1 5\n1 2 5\n",
      "it:4: more than the 1 entry that the file announces" },
    { sparse_read_market, MTX("real general") "2 2 3\n1 1 5\n",
      "it:3: the file ends after 1 of the 3 entries that it announces" },
    { sparse_read_market, MTX("real general") "2000000000 2 0\n",
      "it:2: 2000000000 rows and 2 columns for 0 entries: nearly all are empty" },
    { sparse_read_graph, "%\n",
      "it:1: the file ends, but numbers of vertices and edges belong here" },
    { sparse_read_graph, "2 1 2\n", "it:1: '2' is not a format of three digits 0 or 1" },
    { sparse_read_graph, "2 1\n2\n",
      "it:2: the file ends after 1 of the 2 vertices that it announces" },
    { sparse_read_graph, "2 1\n3\n1\n", "it:2: 3 is not a neighbour; that is from 1 to 2" },
    { sparse_read_graph, "2 1\n1\n1\n", "it:2: vertex 1 is its own neighbour" },
    { sparse_read_graph, "2 1 1\n2\n1 1\n", "it:2: the line ends, but a value belongs here" },
    { sparse_read_graph, "2 2\n2\n1\n",
      "it:3: the file lists 2 neighbours and announces 2 edges of two ends each" },
    { sparse_read_graph, "2 1\n2\n1\n1\n", "it:4: the file goes on behind its 2 vertices" },
    { sparse_read_graph, "3 1\n2\n\n1\n",
      "it: vertex 1 and vertex 2 are not neighbours of each other, once and with one weight; list "
      "each edge at both ends" },
    { sparse_read_graph, "2 1 1\n2 5\n1 6\n",
      "it: vertex 1 and vertex 2 are not neighbours of each other, once and with one weight; list "
      "each edge at both ends" },
    { sparse_read_boeing, "t\n",
      "it:1: the file ends, but numbers of lines belongs here; is it "
      "complete?" },
    { sparse_read_boeing, "t\n1 1 1 1\nCUA 2 2 2 0\n",
      "it:3: type CUA is not read here; R, P or I, then U, R, S or Z, then A is" },
    { sparse_read_boeing, "t\n1 1 1 1\nRUE 2 2 2 0\n",
      "it:3: type RUE is not read here; R, P or I, then U, R, S or Z, then A is" },
    { sparse_read_boeing, RSA "(4I3) 4I3 (4E8.1)\n",
      "it:4: '4I3' is not a FORTRAN format such as (16I5) or (1P,4E20.12)" },
    { sparse_read_boeing, RSA "(4I3) (0I3) (4E8.1)\n",
      "it:4: '(0I3)' is not a FORTRAN format such as (16I5) or (1P,4E20.12)" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  2  5\n",
      "it:5: 2 is no pointer of column 3: they begin with 1, do not fall and end with the number "
      "of "
      "entries, 4, and 1" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  4\n",
      "it:5: the pointers are from 1 to 4 and have to be from 1 to the number of entries, 4, and "
      "1" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  5\n  1  2  4  3\n",
      "it:6: 4 is no row; they are from 1 to 3" },
    { sparse_read_boeing, RSA "(4I3) (1I30) (4E8.1)\n  1  3  4  5\n99999999999999999999\n",
      "it:6: '99999999999999999999' is not a row" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  5\n  1  2  1  3\n",
      "it:6: row 1 of column 2: of a symmetric matrix files have the part below the diagonal" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  5\n  1  2  2  3\n 4.0E+00 1,5\n",
      "it:7: '1,5' is not a value" },
    { sparse_read_boeing, RSA "(4I3) (4I3) (4E8.1)\n  1  3  4  5\n  1  2  2  3\n",
      "it:6: the file ends, but a value belongs here; is it complete?" },
};

static void what_is_wrong_is_named(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct sparse matrix = { .rows = -77 };
        if (read_text(wrong[k].read, wrong[k].file, &laplacian, &matrix) != YOKE_EINVAL)
            fail_msg("not refused, which should be: %s\n%s", wrong[k].said, wrong[k].file);
        assert_string_equal(app_error_text(), wrong[k].said);
        assert_int_equal(matrix.rows, -77);
        assert_int_equal(allocations_live, 0);
    }
}

static void memory_runs_out(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        yoke_status status = YOKE_ENOMEM;
        for (int64_t nth = 1; status != YOKE_OK; nth++) {
            struct sparse matrix = { .rows = -77 };
            FILE *file = fmemopen((void *)(uintptr_t)right[k].file, strlen(right[k].file), "rb");
            assert_non_null(file);
            allocations_fail_in = nth;
            status = right[k].read(file, "it", &laplacian, &matrix);
            allocations_fail_in = 0;
            if (status == YOKE_OK) {
                sparse_close(&matrix);
            } else {
                assert_int_equal(status, YOKE_ENOMEM);
                assert_int_equal(matrix.rows, -77);
            }
            fclose(file);
        }
        assert_int_equal(allocations_live, 0);
    }
}

/* --- matrices from packages --- */

#define GRAPHS "/usr/share/doc/libmetis-dev/examples/graphs/"
static const struct {
    const char *path;
    int is_laplacian;
    int64_t rows, entries, least, most;
    double frobenius, one, infinity, sum, by_ones, by_ramp; /* of A 1, and norms of A 1 and A x */
} known[] = {
    { GRAPHS "copter2.graph", 0, 55476, 704476, 3, 44, 839.3306857252, 44, 44, 704476,
      3149.465986481, 4741.145222760 },
    { GRAPHS "copter2.graph", 1, 55476, 759952, 4, 45, 3259.388286167, 88, 88, 0, 0,
      636.7796908759 },
    { GRAPHS "mdual.graph", 0, 258569, 1026264, 3, 4, 1013.046889339, 4, 4, 1026264, 2020.153459517,
      3072.844685823 },
    { GRAPHS "mdual.graph", 1, 258569, 1284833, 4, 5, 2259.930087414, 8, 8, 0, 0, 445.9350755167 },
};

static void close_to(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-12 * fabs(wanted) + 1e-9 * (wanted == 0)))
        fail_msg("%.13g should be %.13g", found, wanted);
}

static void check_known(size_t k)
{
    const struct sparse_file how = { .is_laplacian = known[k].is_laplacian };
    struct sparse_norms norms;
    struct sparse matrix;
    double sum = 0, by_ones = 0, by_ramp = 0;
    if (sparse_load(known[k].path, &how, &matrix) != YOKE_OK)
        fail_msg("%s", app_error_text());
    assert_int_equal(matrix.rows, known[k].rows);
    assert_int_equal(matrix.entries, known[k].entries);
    assert_int_equal(sparse_norms(&matrix, &norms), YOKE_OK);
    assert_int_equal(norms.least_row, known[k].least);
    assert_int_equal(norms.most_row, known[k].most);
    for (int64_t i = 0; i < matrix.rows; i++) {
        double ones = 0, ramp = 0;
        for (int64_t e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) {
            ones += sparse_get(&matrix, e);
            ramp += sparse_get(&matrix, e) * (1 + matrix.column[e] / (double)matrix.columns);
        }
        sum += ones;
        by_ones += ones * ones;
        by_ramp += ramp * ramp;
    }
    close_to(norms.frobenius, known[k].frobenius);
    close_to(norms.one, known[k].one);
    close_to(norms.infinity, known[k].infinity);
    close_to(sum, known[k].sum);
    close_to(sqrt(by_ones), known[k].by_ones);
    close_to(sqrt(by_ramp), known[k].by_ramp);
    sparse_close(&matrix);
}

static void norms_are_scipys(void **unused)
{
    int tried = 0;
    (void)unused;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (access(known[k].path, R_OK) == 0) {
            check_known(k);
            tried++;
        }
    if (!tried) {
        print_message("libmetis-doc is not installed\n");
        skip();
    }
}

/* --- generators --- */

static void check_laplacian(const struct sparse *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        double sum = 0;
        for (int64_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++) {
            const int64_t j = matrix->column[k];
            int64_t other = matrix->starts[j];
            assert_true(k == matrix->starts[i] || matrix->column[k - 1] < j);
            while (other < matrix->starts[j + 1] && matrix->column[other] != i)
                other++;
            assert_true(other < matrix->starts[j + 1]);
            assert_true(sparse_get(matrix, other) == sparse_get(matrix, k));
            assert_true(j == i || sparse_get(matrix, k) <= 0);
            sum += sparse_get(matrix, k);
        }
        assert_true(fabs(sum) <= 1e-6);
    }
}

static void grids_are_laplacians(void **unused)
{
    static float image[7 * 5 * 4];
    const int64_t sizes[][3] = { { 7, 5, 4 }, { 1, 1, 1 }, { 1, 6, 1 }, { 9, 1, 3 } };
    (void)unused;
    for (int k = 0; k < 7 * 5 * 4; k++)
        image[k] = (float)(k * k % 11);
    for (int k = 0; k < 8; k++) {
        struct sparse_grid grid = { .beta = 3, .image = k < 4 ? image : NULL };
        const struct sparse_spec spec = { k % 2 ? SPARSE_SINGLE : SPARSE_DOUBLE, { 0 } };
        const int64_t *n = sizes[k % 4];
        struct sparse matrix;
        memcpy(grid.size, n, sizeof grid.size);
        assert_int_equal(sparse_make_grid(&grid, &spec, &matrix), YOKE_OK);
        assert_int_equal(matrix.entries, 7 * n[0] * n[1] * n[2] - 2 * n[1] * n[2] -
                                             2 * n[0] * n[2] - 2 * n[0] * n[1]);
        check_laplacian(&matrix);
        sparse_close(&matrix);
    }
    for (int64_t rows = 1; rows < 200; rows += 13) {
        struct sparse matrix;
        assert_int_equal(sparse_make_band(rows, &(struct sparse_spec){ 0 }, &matrix), YOKE_OK);
        assert_int_equal(matrix.rows, rows);
        check_laplacian(&matrix);
        sparse_close(&matrix);
    }
    assert_int_equal(allocations_live, 0);
}

/* The mean length as requested, the longest row far longer; columns in order; reproducible. */
static void skewed_rows(void **unused)
{
    const struct sparse_skew skew = { 40000, 16, 9 };
    struct sparse one, two;
    struct sparse_norms norms;
    (void)unused;
    assert_int_equal(sparse_make_skewed(&skew, &(struct sparse_spec){ 0 }, &one), YOKE_OK);
    assert_int_equal(sparse_make_skewed(&skew, &(struct sparse_spec){ 0 }, &two), YOKE_OK);
    assert_int_equal(sparse_norms(&one, &norms), YOKE_OK);
    assert_true(one.entries > 8 * one.rows && one.entries < 32 * one.rows);
    assert_true(norms.most_row > 100 * 16 && norms.least_row >= 1);
    assert_int_equal(one.entries, two.entries);
    assert_memory_equal(one.column, two.column, (size_t)one.entries * sizeof *one.column);
    assert_memory_equal(one.value, two.value, (size_t)one.entries * sizeof(double));
    for (int64_t i = 0; i < one.rows; i++)
        for (int64_t k = one.starts[i]; k < one.starts[i + 1]; k++) {
            assert_in_range(one.column[k], 0, one.columns - 1);
            assert_true(k == one.starts[i] || one.column[k - 1] < one.column[k]);
        }
    sparse_close(&one);
    sparse_close(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),       cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(memory_runs_out),      cmocka_unit_test(norms_are_scipys),
        cmocka_unit_test(grids_are_laplacians), cmocka_unit_test(skewed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
