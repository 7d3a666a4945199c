/* photons_grids.h - the tallies in MCML's units: the fraction of the light sent in that was
 * absorbed in a volume, per volume; or that left through an area into a solid angle, per area and
 * solid angle.
 */
#ifndef YOKE_APPS_PHOTONS_GRIDS_H
#define YOKE_APPS_PHOTONS_GRIDS_H

#include "photons_state.h"

enum grid { GRID_ABSORPTION, GRID_FLUENCE, GRID_UP, GRID_DOWN };

/* A cell of a grid at one wavelength. Absorption (1/cm3) and fluence (1/cm2): `i` counts steps of
 * z, `j` rings of r. Light that leaves (1/cm2/sr): `i` counts rings of r, `j` angles. Fluence is
 * absorption / mua; 0 if nothing absorbs. */
struct grid_of {
    const struct photons_state *state;
    int wavelength;
    enum grid grid;
};
int32_t grid_rows(const struct grid_of *of);
int32_t grid_columns(const struct grid_of *of);
double grid_cell(const struct grid_of *of, int32_t i, int32_t j);
/* Sums of cells. grid_row sums over all j: per depth (1/cm; fluence has no unit) or per area
 * (1/cm2). grid_column sums over all i, per solid angle (1/sr), and is only for light that
 * leaves. */
double grid_row(const struct grid_of *of, int32_t i);
double grid_column(const struct grid_of *of, int32_t j);

#endif
