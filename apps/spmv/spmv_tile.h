/* spmv_tile.h - an item of the job's range: a tile of rows and non-zeros. All tiles have about the
 * same number of rows and non-zeros together.
 *
 * The work of a product is a path through the matrix, row by row. The path has a step for each
 * non-zero, and one for the end of each row, where the row's sum is stored (merge-based CSR:
 * Merrill and Garland 2016). A tile is about SPMV_STEPS steps of the path. It begins where a row
 * begins, except in rows longer than SPMV_LONG, which are cut anywhere. So the most work that a
 * group holds at once is known, and only long rows lie in several tiles. The tile where a row ends
 * stores the row's sum. The part of a row that continues in the next tile is the tile's carry,
 * which is added later (spmv_vectors_body.h).
 */
#ifndef YOKE_APPS_SPMV_TILE_H
#define YOKE_APPS_SPMV_TILE_H

#include <yoke/kernel.h>

typedef struct YOKE_ALIGN(8) spmv_tile {
    int64_t entry;   /* its first non-zero; its last one is before the next tile's first */
    int32_t row;     /* the first row that ends in the tile, or continues after it */
    int32_t begin;   /* the tile where that row begins; the tile itself, if none is before it */
    int32_t longest; /* the most non-zeros of one row in the tile */
    int32_t unused;
} spmv_tile_t;

enum {
    SPMV_LANES = 256,
    SPMV_EACH = 9, /* products per lane: odd, so that lanes use different banks */
    SPMV_PRODUCTS = SPMV_LANES * SPMV_EACH,
    SPMV_STEPS = 2048,
    SPMV_LONG = SPMV_PRODUCTS - SPMV_STEPS,
    SPMV_SHORT = 32,   /* up to this many non-zeros of a row, one lane sums it up */
    SPMV_FEW = 3,      /* below this many rows, all lanes sum up each row together */
    SPMV_TOGETHER = 4, /* tiles per group in the kernels on vectors */
};

#endif
