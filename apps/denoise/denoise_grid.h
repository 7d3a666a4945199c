/* denoise_grid.h - how a volume lies in a yoke array: shared by the kernels and the host code.
 *
 * A row of the array is a plane (constant z): DENOISE_MARGIN elements, then ny lines of `pitch`
 * elements of which the first nx are voxels, then the margin again. The margins make x - 1 and
 * x + 1 of any voxel readable, so that kernels load both sides without asking and only then choose;
 * what lies outside the voxels has no defined contents and no influence.
 *
 * What denoise_tensor hands to denoise_step lies in two arrays, for only one of them is needed
 * from neighbouring planes: rows of 4 such planes (xx, yy, x, y) and of 2 (zz, z).
 */
#ifndef YOKE_APPS_DENOISE_GRID_H
#define YOKE_APPS_DENOISE_GRID_H

#include <stdint.h>

#define DENOISE_MARGIN 16 /* floats: one cache line */
#define DENOISE_FLAT   4  /* planes of what acts within a plane */
#define DENOISE_UP     2  /* planes of what acts between planes */

typedef struct denoise_grid {
    int32_t nx, ny, nz;
    int32_t pitch; /* >= nx, a multiple of 16 */
    int64_t plane; /* elements in an array row */
} denoise_grid;

#endif
