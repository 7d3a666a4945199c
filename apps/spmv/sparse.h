/* sparse.h - a sparse matrix by rows (CSR), and where matrices come from.
 *
 * Entries of a row are in the order of their columns, each column once. Columns and values are data
 * that devices work on; what only the host needs is the starts of rows.
 */
#ifndef YOKE_APPS_SPMV_SPARSE_H
#define YOKE_APPS_SPMV_SPARSE_H

#include <stdint.h>
#include <stdio.h>

#include "../cores.h"
#include "../memory.h"

enum sparse_type { SPARSE_DOUBLE, SPARSE_SINGLE };

/* Rows and columns are counted in 32 bits, with room behind for a group of lanes. */
#define SPARSE_ROWS_MOST    2147475456
#define SPARSE_ENTRIES_MOST ((int64_t)1 << 40)
#define SPARSE_VALUE_MOST   1e30 /* products are still numbers of single precision */

struct sparse {
    int64_t rows, columns, entries;
    enum sparse_type type;
    int is_symmetric; /* known to be */
    int is_laplacian; /* known to be symmetric with rows that add up to 0 and nothing positive
                         beside the diagonal */
    int64_t *starts;  /* rows + 1: the first entry of each row */
    int32_t *column;  /* from 0 */
    void *value;      /* double or float */
    struct app_memory memory;
    char source[256]; /* what it is, for people */
};

/* What a matrix is to be; sizes where known. */
struct sparse_spec {
    enum sparse_type type;
    struct app_memory memory;
};

static inline size_t sparse_size(enum sparse_type type)
{
    return type == SPARSE_DOUBLE ? sizeof(double) : sizeof(float);
}
static inline double sparse_get(const struct sparse *matrix, int64_t entry)
{
    return matrix->type == SPARSE_DOUBLE ? ((const double *)matrix->value)[entry]
                                         : (double)((const float *)matrix->value)[entry];
}
static inline void sparse_put(struct sparse *matrix, int64_t entry, double value)
{
    if (matrix->type == SPARSE_DOUBLE)
        ((double *)matrix->value)[entry] = value;
    else
        ((float *)matrix->value)[entry] = (float)value;
}

/* Starts alone, to be filled; then room for starts[rows] entries. Rows, columns and type are set
 * before. Both leave what there is to sparse_close. */
yoke_status sparse_open(struct sparse *matrix);
yoke_status sparse_fill_open(struct sparse *matrix);
void sparse_close(struct sparse *matrix);

/* Both, filled by all cores, whose blocks call `count` (starts[i + 1]: the entries of row i), then
 * `fill`. Rows, columns, type and memory are set before; closed on failure. */
struct sparse_making {
    cores_fn *count, *fill;
    void *context;
    int64_t blocks;
};
yoke_status sparse_make(struct sparse *matrix, const struct sparse_making *how);
/* From counts, starts[i + 1] of row i, to starts. */
void sparse_sum_starts(struct sparse *matrix);
/* Adds `shift` to the diagonal. YOKE_EINVAL: the matrix is not square, or a row lacks it. */
yoke_status sparse_shift(struct sparse *matrix, double shift);

/* What tells matrices apart. 1-norm and inf-norm: the greatest sums of a column's, a row's
 * magnitudes. */
struct sparse_norms {
    double frobenius, one, infinity;
    int64_t least_row, most_row; /* entries */
};
yoke_status sparse_norms(const struct sparse *matrix, struct sparse_norms *out);

/* A file, by the name's end: .mtx (Matrix Market); .rua, .rsa, .rza, .pua, .psa, .pza, .rb, .hb
 * (Harwell-Boeing); .graph (METIS). YOKE_EIO or YOKE_EINVAL with file and line, and the cure.
 * `is_laplacian` says what becomes of graphs: degrees on the diagonal and minus the weights beside
 * it, or just the weights. */
struct sparse_file {
    struct sparse_spec spec;
    int is_laplacian;
};
yoke_status sparse_load(const char *path, const struct sparse_file *how, struct sparse *out);
yoke_status sparse_read_market(FILE *file, const char *path, const struct sparse_file *how,
                               struct sparse *out);
yoke_status sparse_read_boeing(FILE *file, const char *path, const struct sparse_file *how,
                               struct sparse *out);
yoke_status sparse_read_graph(FILE *file, const char *path, const struct sparse_file *how,
                              struct sparse *out);

/* A grid's 7-point Laplacian: -w beside the diagonal for each neighbour, their sum on it. `weight`
 * NULL: 1. */
struct sparse_grid {
    int64_t size[3];    /* x (the fastest), y, z */
    const float *image; /* NULL, or weights are exp(-beta (difference / range)^2) */
    double beta;
};
yoke_status sparse_make_grid(const struct sparse_grid *grid, const struct sparse_spec *spec,
                             struct sparse *out);
/* The same of `rows` points whatever their number, wound up in one line; weights are 1. */
yoke_status sparse_make_band(int64_t rows, const struct sparse_spec *spec, struct sparse *out);
/* `rows` rows whose lengths are spread as a power law has it, with columns of which some are met
 * more often; values are whole numbers from -8 to 8. */
struct sparse_skew {
    int64_t rows;
    double mean; /* entries a row, about */
    uint64_t seed;
};
yoke_status sparse_make_skewed(const struct sparse_skew *skew, const struct sparse_spec *spec,
                               struct sparse *out);

#endif
