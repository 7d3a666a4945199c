/* mm_tiles.h - PURE. How a product is cut for the devices: column panels of B and C; rows of C that
 * one call of a library computes of a panel; blocks of rows that are separate jobs.
 */
#ifndef YOKE_APPS_MM_TILES_H
#define YOKE_APPS_MM_TILES_H

#include <stdint.h>

struct mm_tiles_spec {
    int64_t rows, columns, element_size; /* of C */
    int cores;                           /* cores that call a library for their pieces */
    int others;                          /* devices with their own memory */
    int panels, blocks;                  /* as requested; 0: choose */
    int panels_most, jobs_most;          /* limits of panels, if chosen, and of panels x blocks */
};
struct mm_tiles {
    int panels, blocks; /* panels x blocks jobs */
    int64_t piece_rows; /* fewest rows of one call by a core; 0: any number */
};
struct mm_tiles mm_tiles_cut(const struct mm_tiles_spec *spec);

/* Returns the columns of each panel except the last. All panels are equal if possible, because what
 * is learned from a job is used for equal jobs. Otherwise wide panels get a width with which
 * libraries are fast; then there may be fewer panels. */
int64_t mm_tiles_width(int64_t columns, int panels);

#endif
