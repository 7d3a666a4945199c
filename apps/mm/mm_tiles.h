/* mm_tiles.h - PURE. How a product is cut for those who make it: column panels of B and C, and rows
 * of C that one call of a library makes of a panel.
 */
#ifndef YOKE_APPS_MM_TILES_H
#define YOKE_APPS_MM_TILES_H

#include <stdint.h>

struct mm_tiles {
    int panels;
    int64_t rows; /* of a core's piece */
};

/* For cores alone. panels: as many as there have to be; 0: at most `most`. */
struct mm_tiles_spec {
    int64_t rows, columns; /* of C */
    int cores, panels, most;
};
struct mm_tiles mm_tiles_for_cores(const struct mm_tiles_spec *spec);

#endif
