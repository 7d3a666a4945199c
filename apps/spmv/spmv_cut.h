/* spmv_cut.h - a matrix cut into tiles (spmv_tile.h), and what a range of tiles touches. PURE. */
#ifndef YOKE_APPS_SPMV_CUT_H
#define YOKE_APPS_SPMV_CUT_H

#include <stdint.h>
#include <yoke/job.h>

#include "spmv_tile.h"

/* How tiles are cut: by steps (a longer row counts for more), or by rows (all rows count the
 * same). */
enum spmv_items { SPMV_BY_WORK, SPMV_BY_ROWS };

struct spmv_span {
    int32_t low, high; /* columns first and last; none: low > high */
};

/* The common span of this many tiles is also stored, for ranges of many tiles. */
enum { SPMV_SPAN = 256 };

struct spmv_cut {
    const int64_t *starts; /* of the matrix: rows + 1 */
    const int32_t *column;
    int64_t rows;
    int64_t count;            /* tiles */
    int64_t rows_each;        /* 0, or the number of rows of each tile */
    spmv_tile_t *tiles;       /* count + 1 */
    struct spmv_span *spans;  /* count: the columns of each tile */
    struct spmv_span *blocks; /* each for SPMV_SPAN tiles */
};

/* Sets the number of tiles, and with SPMV_BY_ROWS the number of rows per tile, from `rows` and
 * `starts`. */
void spmv_cut_count(struct spmv_cut *cut, enum spmv_items items);
int64_t spmv_cut_blocks(const struct spmv_cut *cut);
/* Two passes over all blocks of tiles: the first cuts the tiles, the second measures them. The
 * second returns 0 if a tile has more non-zeros than 32 bits can count. */
void spmv_cut_begin(struct spmv_cut *cut, int64_t block);
int spmv_cut_measure(struct spmv_cut *cut, int64_t block);

/* The rows of each array that tiles first .. last - 1 use; `context` is the cut. */
yoke_rows spmv_entries(const void *context, yoke_rows tiles); /* of columns and values */
yoke_rows spmv_starts(const void *context, yoke_rows tiles);
yoke_rows spmv_rows(const void *context, yoke_rows tiles);    /* of y: rows that end there */
yoke_rows spmv_columns(const void *context, yoke_rows tiles); /* of x */
yoke_rows spmv_carries(const void *context, yoke_rows tiles); /* of carry: of those rows */

#endif
