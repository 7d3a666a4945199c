/* denoise_grid.h - the layout of a volume in a yoke array, shared by the kernels and the host code.
 *
 * A row of the array is a plane (constant z): DENOISE_MARGIN elements, then ny lines of `pitch`
 * elements, the first nx of which are voxels, then the margin again. With the margins x - 1 and x +
 * 1 of any voxel can be read, so kernels load both sides without a test and then choose. Elements
 * outside the voxels have undefined contents and no influence.
 *
 * denoise_tensor passes its results to denoise_step in two arrays, because denoise_step needs only
 * one of them from neighbouring planes: `up`, with 2 planes in a row (zz, z). The other is `flat`,
 * with 4 planes in a row (xx, yy, x, y).
 */
#ifndef YOKE_APPS_DENOISE_GRID_H
#define YOKE_APPS_DENOISE_GRID_H

#include <stdint.h>

#define DENOISE_MARGIN 16 /* floats: one cache line */
#define DENOISE_FLAT   4  /* planes of values that act within a plane */
#define DENOISE_UP     2  /* planes of values that act between planes */

typedef struct denoise_grid {
    int32_t nx, ny, nz;
    int32_t pitch; /* >= nx, a multiple of 16 */
    int64_t plane; /* elements in an array row */
} denoise_grid;

#endif
