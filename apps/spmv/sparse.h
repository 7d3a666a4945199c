/* sparse.h - a sparse matrix by rows (CSR), and the sources of matrices.
 *
 * Entries of a row are in the order of their columns, each column once. Devices work on the arrays
 * of columns and values. The 64-bit starts of rows are for the host only.
 */
#ifndef YOKE_APPS_SPMV_SPARSE_H
#define YOKE_APPS_SPMV_SPARSE_H

#include <stdint.h>
#include <stdio.h>

#include "../cores.h"
#include "../memory.h"

enum sparse_type { SPARSE_DOUBLE, SPARSE_SINGLE };

/* The number of rows and columns fits in 32 bits, with room for one more group of lanes behind. */
#define SPARSE_ROWS_MOST    2147475456
#define SPARSE_ENTRIES_MOST ((int64_t)1 << 40)
#define SPARSE_VALUE_MOST   1e30 /* so that products fit in single precision */

struct sparse {
    int64_t rows, columns, entries;
    enum sparse_type type;
    int is_symmetric; /* 1: known to be symmetric */
    /* 1: known to be symmetric, with rows that add up to 0 and no positive value off the
     * diagonal. */
    int is_laplacian;
    int64_t *starts; /* rows + 1: the first entry of each row */
    int32_t *column; /* from 0 */
    void *value;     /* double or float */
    struct app_memory memory;
    char source[256]; /* a description for people */
};

/* The wanted type and memory of a matrix. */
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

/* sparse_open allocates the starts, sparse_fill_open then the columns and values of starts[rows]
 * entries. The caller must set rows, columns, type and memory before. If either fails, call
 * sparse_close. */
yoke_status sparse_open(struct sparse *matrix);
yoke_status sparse_fill_open(struct sparse *matrix);
void sparse_close(struct sparse *matrix);

/* Does both, with all cores: for each block a core calls `count`, which sets starts[i + 1] to the
 * number of entries of row i; later `fill`. The caller must set rows, columns, type and memory
 * before. On failure the matrix is closed. */
struct sparse_making {
    cores_fn *count, *fill;
    void *context;
    int64_t blocks;
};
yoke_status sparse_make(struct sparse *matrix, const struct sparse_making *how);
/* Turns counts (starts[i + 1]: entries of row i) into starts. */
void sparse_sum_starts(struct sparse *matrix);
/* Adds `shift` to the diagonal. YOKE_EINVAL: the matrix is not square, or a row has no diagonal
 * entry. */
yoke_status sparse_shift(struct sparse *matrix, double shift);

/* Numbers that distinguish matrices. 1-norm: the greatest sum of magnitudes in a column; inf-norm:
 * in a row. */
struct sparse_norms {
    double frobenius, one, infinity;
    int64_t least_row, most_row; /* entries in a row */
};
yoke_status sparse_norms(const struct sparse *matrix, struct sparse_norms *out);

/* Reads a file by its ending: .mtx (Matrix Market); .rua, .rsa, .rza, .rra, .pua, .psa, .pra, .rb,
 * .hb (Harwell-Boeing); .graph (METIS). YOKE_EIO or YOKE_EINVAL: the message names file, line and
 * remedy. `is_laplacian` decides how a graph becomes a matrix. 1: degrees on the diagonal, minus
 * the weights elsewhere; 0: just the weights. */
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

/* A grid's 7-point Laplacian: -w off the diagonal for each neighbour, and the sum of the weights on
 * the diagonal. */
struct sparse_grid {
    int64_t size[3];    /* x (varies fastest), y, z */
    const float *image; /* NULL: weights are 1; otherwise exp(-beta (difference / range)^2) */
    double beta;
};
yoke_status sparse_make_grid(const struct sparse_grid *grid, const struct sparse_spec *spec,
                             struct sparse *out);
/* The same for any number of points, in one line (sparse_band.c); weights are 1. */
yoke_status sparse_make_band(int64_t rows, const struct sparse_spec *spec, struct sparse *out);
/* A matrix of `rows` rows whose lengths follow a power law. Some columns have more entries than
 * others. Values are whole numbers from -8 to 8. */
struct sparse_skew {
    int64_t rows;
    double mean; /* mean number of entries in a row, roughly */
    uint64_t seed;
};
yoke_status sparse_make_skewed(const struct sparse_skew *skew, const struct sparse_spec *spec,
                               struct sparse *out);

#endif
