/* path_pixel.h - which pixel an index of the range is.
 *
 * Neighbouring indexes are neighbours in a tile of 8 by 8 pixels, so that the rays of a GPU's group
 * and of a core's chunk begin alike. With --coherent (papers/002 section 5.1, after Sadeghi, Chen
 * and Jensen 2009) it is the other way round: indexes that share their random numbers are sent all
 * over the picture, by a stride that has no divisor in common with their count, so that what they
 * have in common is not seen.
 */
#ifndef YOKE_APPS_PATH_PIXEL_H
#define YOKE_APPS_PATH_PIXEL_H

#include "path_kernels.h"

typedef struct spot {
    int32_t x, y; /* from the top left; may be beyond the picture */
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
