/* path_pixel.h - which pixel belongs to an index of the range.
 *
 * Neighbouring indexes are neighbours in a tile of 8 by 8 pixels. So rays of a GPU's group, or of a
 * core's chunk, begin alike. With --coherent (papers/002 section 5.1, after Sadeghi, Chen and
 * Jensen 2009) it is the opposite. Indexes that share random numbers are spread over the whole
 * picture, by a stride without a common divisor with their count. So the common random numbers
 * cannot be seen.
 */
#ifndef YOKE_APPS_PATH_PIXEL_H
#define YOKE_APPS_PATH_PIXEL_H

#include "path_kernels.h"

typedef struct spot {
    int32_t x, y; /* from the top left; may be outside the picture */
} spot_t;

YOKE_FN spot_t path_pixel(path_setup_t setup, int32_t index)
{
    const int32_t slot =
        setup.bundle == 1
            ? index
            : (int32_t)((uint64_t)index * (uint64_t)setup.stride % (uint64_t)setup.count);
    const int32_t tile = slot / PATH_TILE, in = slot % PATH_TILE;
    return YOKE_INIT(spot_t, tile % setup.tiles * PATH_TILE_WIDTH + in % PATH_TILE_WIDTH,
                     tile / setup.tiles * PATH_TILE_HEIGHT + in / PATH_TILE_WIDTH);
}

#endif
