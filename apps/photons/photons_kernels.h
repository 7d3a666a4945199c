/* photons_kernels.h - the tissue and the tallies as devices see them.
 *
 * Weights are whole numbers of 2^-30 packets, and every tally is a 64-bit sum of such numbers. Such
 * sums are exact in any order. So a result does not depend on the device that computed a part, and
 * energy is conserved to the last unit.
 */
#ifndef YOKE_APPS_PHOTONS_KERNELS_H
#define YOKE_APPS_PHOTONS_KERNELS_H

#include <yoke/kernel.h>

#define PHOTONS_UNIT 1073741824 /* a whole packet, 2^30 */

/* A packet with a weight below a ten-thousandth goes on with a probability of a tenth, and then
 * with ten times its weight: as in MCML. */
#define PHOTONS_LIGHT    107374
#define PHOTONS_CHANCE   0.1f
#define PHOTONS_SURVIVOR 10

/* A layer at one wavelength. The table has all layers for the wavelength of the light that is sent
 * in, then all layers for that of fluorescence. Lengths are in cm. */
typedef struct YOKE_ALIGN(16) layer {
    float top, bottom;
    float attenuation, free_path;      /* 1/cm, and its inverse; attenuation 0: PHOTONS_FAR */
    float absorbed;                    /* fraction that an interaction absorbs */
    float g, less_g;                   /* g of Henyey and Greenstein, and 1 - g */
    float ratio_above, ratio_below;    /* refractive index / that of the neighbour */
    float yield;                       /* fraction of the absorbed light that is sent out again */
    int32_t row_above, row_below;      /* rows of the table; -1: outside */
    int32_t absorbed_slot, yield_slot; /* tallies of what the layer absorbs and sends out again */
    int32_t wavelength;                /* slot where the tallies of its wavelength begin */
    int32_t reserved;
} layer_t;
#define PHOTONS_FAR 1e30f

/* Values that are the same for all packets. Slots count from the beginning of their wavelength's
 * tallies. First comes the grid of absorption, nz rows of nr cells; the grids of light that leaves
 * have nr rows of na angles. */
typedef struct photons_setup {
    uint32_t seed_low, seed_high, events; /* `events`: limit for one walk */
    int32_t start_row, start_weight;      /* row and weight of a packet that begins */
    float start_z;
    float per_dz, per_dr, per_da;
    int32_t nz, nr, na, layer_count;
    int32_t up_slot, down_slot;                   /* grids of the light that leaves */
    int32_t straight_up_slot, straight_down_slot; /* of the light that was never scattered */
    int32_t gained_slot, cut_slot;                /* weight gained by chance, cut by the limit */
} photons_setup_t;

/* Devices: lanes of a group, and packets that a lane follows one after the other
 * (docs/results/irregular-h200.md). */
#define PHOTONS_LANES 64
#define PHOTONS_EACH  16

/* Packets that a core takes at once. */
#define PHOTONS_GROUP 2048

/* The most events of a walk: the generations of two walks fit in 32 bits. */
#define PHOTONS_EVENTS_MOST 2000000000
#define PHOTONS_GENERATIONS 4000000001u

/* For the step kernel: the events that a packet does in one call, and the packets that wait for
 * another one with the same origin. */
#ifndef PHOTONS_STEPS
#define PHOTONS_STEPS 4
#endif
#define PHOTONS_WAITING 1

#ifndef YOKE_FLATTEN
extern const yoke_kernel photons, photons_lanes, photons_steps;
#endif
#endif
