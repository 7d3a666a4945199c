/* path_pixel.h - which pixel an index of the range is.
 *
 * 64 neighbouring indexes are a tile of 8 by 8 pixels, so that the rays of a GPU's group and of a
 * core's chunk begin alike. Tiles that follow each other lie all over the picture, by a stride that
 * has no divisor in common with their count: then every part of the range has some of what is dark,
 * bright, near and far, takes as long as any other of its size, and devices end together. With
 * --coherent (papers/002 section 5.1, after Sadeghi, Chen and Jensen 2009) it is single pixels that
 * are sent all over the picture, so that what those share that have their random numbers in common
 * is not seen.
 */
#ifndef YOKE_APPS_PATH_PIXEL_H
#define YOKE_APPS_PATH_PIXEL_H

#include "path_kernels.h"

typedef struct spot {
    int32_t x, y; /* from the top left; may be beyond the picture */
} spot_t;

YOKE_FN spot_t path_pixel(path_setup_t setup, int32_t index)
{
    const int32_t unit = setup.bundle == 1 ? PATH_TILE : 1;
    const uint64_t units = (uint64_t)(setup.count / unit);
    const int32_t moved = (int32_t)((uint64_t)(index / unit) * (uint64_t)setup.stride % units);
    const int32_t slot = moved * unit + index % unit;
    const int32_t tile = slot / PATH_TILE, in = slot % PATH_TILE;
    return YOKE_INIT(spot_t, tile % setup.tiles * PATH_TILE_WIDTH + in % PATH_TILE_WIDTH,
                     tile / setup.tiles * PATH_TILE_HEIGHT + in / PATH_TILE_WIDTH);
}

#endif
