/* spmv_cut.h - a matrix cut into tiles (spmv_tile.h), and what a range of tiles touches. PURE. */
#ifndef YOKE_APPS_SPMV_CUT_H
#define YOKE_APPS_SPMV_CUT_H

#include <stdint.h>
#include <yoke/job.h>

#include "spmv_tile.h"

/* A row's length says how many steps it is, or all rows count the same. */
enum spmv_items { SPMV_BY_WORK, SPMV_BY_ROWS };

struct spmv_span {
    int32_t low, high; /* columns; high is the last one; none: low > high */
};

/* Spans of so many tiles are kept together, for ranges of many. */
enum { SPMV_SPAN = 256 };

struct spmv_cut {
    const int64_t *starts; /* of the matrix: rows + 1 */
    const int32_t *column;
    int64_t rows;
    int64_t count;            /* tiles */
    int64_t rows_each;        /* 0, or tiles are of so many rows */
    spmv_tile_t *tiles;       /* count + 1 */
    struct spmv_span *spans;  /* count: the columns of each tile */
    struct spmv_span *blocks; /* of SPMV_SPAN tiles each */
};

/* Of a matrix of `rows` rows: how many tiles, and of how many rows where these are what counts. */
void spmv_cut_count(struct spmv_cut *cut, enum spmv_items items);
int64_t spmv_cut_blocks(const struct spmv_cut *cut);
/* Tiles of block `block`, then what is known of all of them; 0 if a tile has more non-zeros than
 * are counted in 32 bits. */
void spmv_cut_begin(struct spmv_cut *cut, int64_t block);
int spmv_cut_measure(struct spmv_cut *cut, int64_t block);

/* What tiles first .. last - 1 touch; `context` is the cut. */
yoke_rows spmv_entries(const void *context, yoke_rows tiles); /* of columns and values */
yoke_rows spmv_starts(const void *context, yoke_rows tiles);
yoke_rows spmv_rows(const void *context, yoke_rows tiles);    /* that end in them */
yoke_rows spmv_columns(const void *context, yoke_rows tiles); /* of x */
yoke_rows spmv_carries(const void *context, yoke_rows tiles); /* that end in their rows */

#endif
