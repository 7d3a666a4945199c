/* spmv_tile.h - what an item of the job's range is: a tile, of rows and non-zeros together about as
 * many as any other tile has.
 *
 * The work of a product is a path through the matrix, row by row: a step for each non-zero, and one
 * for the end of each row, where its sum is stored (merge-based CSR: Merrill and Garland 2016). A
 * tile is so many steps of it. It begins where a row does, but in rows that are longer than
 * SPMV_LONG, which are cut wherever the path is: the most that a group holds at once is thus known,
 * and only such rows are in more than one tile. A row's sum is stored by the tile that it ends in.
 * What a tile has of a row that goes on is its carry, which is added later (spmv_vectors.h).
 */
#ifndef YOKE_APPS_SPMV_TILE_H
#define YOKE_APPS_SPMV_TILE_H

#include <yoke/kernel.h>

typedef struct YOKE_ALIGN(8) spmv_tile {
    int64_t entry;   /* its first non-zero; the next tile's is behind its last */
    int32_t row;     /* the first row that ends in it, or goes on behind it */
    int32_t begin;   /* the tile where that row begins; its own number where nothing is before */
    int32_t longest; /* of its parts of rows */
    int32_t unused;
} spmv_tile_t;

enum {
    SPMV_LANES = 256,
    SPMV_EACH = 9, /* products a lane sums up: odd, so that neighbours meet other banks */
    SPMV_PRODUCTS = SPMV_LANES * SPMV_EACH,
    SPMV_STEPS = 2048,
    SPMV_LONG = SPMV_PRODUCTS - SPMV_STEPS,
    SPMV_SHORT = 32,   /* up to so many non-zeros are one lane's */
    SPMV_FEW = 3,      /* up to so many rows have all lanes, one after the other */
    SPMV_TOGETHER = 4, /* tiles that a group does of the work on vectors */
};

#endif
