/* photons_grids.h - what the tallies mean in MCML's units: of each packet that was sent in, the
 * share that was absorbed in a volume or that left through an area into an angle, by that.
 */
#ifndef YOKE_APPS_PHOTONS_GRIDS_H
#define YOKE_APPS_PHOTONS_GRIDS_H

#include "photons_state.h"

enum grid { GRID_ABSORPTION, GRID_FLUENCE, GRID_UP, GRID_DOWN };

/* Cell of a grid at a wavelength: `i` counts z (of absorption, 1/cm3, and fluence, 1/cm2) or rings
 * of r (of what leaves, 1/cm2/sr), `j` rings of r or angles. Fluence is absorption by mua, 0 where
 * nothing absorbs. */
struct grid_of {
    const struct photons_state *state;
    int wavelength;
    enum grid grid;
};
int32_t grid_rows(const struct grid_of *of);
int32_t grid_columns(const struct grid_of *of);
double grid_cell(const struct grid_of *of, int32_t i, int32_t j);
/* The same summed over all j, by depth (1/cm; fluence: no unit) or area (1/cm2); and over all i, by
 * solid angle (1/sr), of what leaves only. */
double grid_row(const struct grid_of *of, int32_t i);
double grid_column(const struct grid_of *of, int32_t j);

#endif
