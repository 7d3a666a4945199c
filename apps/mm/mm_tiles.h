/* mm_tiles.h - PURE. How a product is cut for those who make it: column panels of B and C, and rows
 * of C that one call of a library makes of a panel; blocks of rows that are jobs of their own.
 */
#ifndef YOKE_APPS_MM_TILES_H
#define YOKE_APPS_MM_TILES_H

#include <stdint.h>

struct mm_tiles_spec {
    int64_t rows, columns, element_size; /* of C */
    int cores;                           /* that call a library for their pieces */
    int others;                          /* devices with memory of their own */
    int panels, blocks;                  /* as many as there have to be; 0: as are good */
    int panels_most, jobs_most;          /* panels x blocks is at most that */
};
struct mm_tiles {
    int panels, blocks; /* panels x blocks jobs */
    int64_t piece_rows; /* of one call of a core; 0: any */
};
struct mm_tiles mm_tiles_cut(const struct mm_tiles_spec *spec);

/* Columns of each of so many panels but the last: all alike if that goes, for what is learned of a
 * job is of use to others that are like it; else in multiples of what libraries divide by, if they
 * are that wide, so that there may be fewer panels. */
int64_t mm_tiles_width(int64_t columns, int panels);

#endif
