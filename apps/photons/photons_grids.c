/* photons_grids.c - MCML's scales. A ring of radius r has the area 2 pi r dr, a cone of angle a the
 * solid angle 4 pi sin(a) sin(da / 2). Light that leaves at an angle sees the surface under the
 * angle's cosine.
 */
#include "photons_grids.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static int is_inside(const struct grid_of *of)
{
    return of->grid == GRID_ABSORPTION || of->grid == GRID_FLUENCE;
}

int32_t grid_rows(const struct grid_of *of)
{
    return is_inside(of) ? of->state->input.nz : of->state->input.nr;
}

int32_t grid_columns(const struct grid_of *of)
{
    return is_inside(of) ? of->state->input.nr : of->state->input.na;
}

static double share_at(const struct grid_of *of, int32_t i, int32_t j)
{
    const struct photons_state *s = of->state;
    const int32_t first = is_inside(of)         ? 0
                          : of->grid == GRID_UP ? s->setup.up_slot
                                                : s->setup.down_slot;
    const int64_t slot =
        (int64_t)of->wavelength * s->slots + first + (int64_t)i * grid_columns(of) + j;
    return photons_share(s, s->tally[slot]);
}

static double ring_area(const struct photons_state *s, int32_t i)
{
    return 2 * pi * (i + 0.5) * s->input.dr * s->input.dr;
}

static double angle_step(const struct photons_state *s)
{
    return pi / 2 / s->input.na;
}

static double solid_angle(const struct photons_state *s, int32_t j)
{
    const double da = angle_step(s);
    return 4 * pi * sin((j + 0.5) * da) * sin(da / 2);
}

/* Absorption of the layer at the middle of row i. Light below all layers was absorbed in the last
 * one. */
static double mua_at(const struct grid_of *of, int32_t i)
{
    const struct mci_run *input = &of->state->input;
    double depth = (i + 0.5) * input->dz;
    int k = 0;
    while (k + 1 < input->layer_count && depth >= input->layers[k].depth)
        depth -= input->layers[k++].depth;
    return of->wavelength ? input->layers[k].fluorescence.mua : input->layers[k].light.mua;
}

static double by_mua(const struct grid_of *of, int32_t i, double value)
{
    const double mua = mua_at(of, i);
    if (of->grid != GRID_FLUENCE)
        return value;
    return mua > 0 ? value / mua : 0;
}

double grid_cell(const struct grid_of *of, int32_t i, int32_t j)
{
    const struct photons_state *s = of->state;
    const double share = share_at(of, i, j);
    if (is_inside(of))
        return by_mua(of, i, share / (ring_area(s, j) * s->input.dz));
    return share / (ring_area(s, i) * solid_angle(s, j) * cos((j + 0.5) * angle_step(s)));
}

double grid_row(const struct grid_of *of, int32_t i)
{
    const struct photons_state *s = of->state;
    double share = 0;
    for (int32_t j = 0; j < grid_columns(of); j++)
        share += share_at(of, i, j);
    return is_inside(of) ? by_mua(of, i, share / s->input.dz) : share / ring_area(s, i);
}

double grid_column(const struct grid_of *of, int32_t j)
{
    double share = 0;
    for (int32_t i = 0; i < grid_rows(of); i++)
        share += share_at(of, i, j);
    return share / solid_angle(of->state, j);
}
