/* photons_kernels.h - the tissue and the tallies as devices see them.
 *
 * Weights are whole numbers of 2^-30 packets, and all that is tallied is a 64-bit sum of such
 * numbers: sums are the same in any order, so a result does not depend on who did what, and what
 * goes in comes out to the last unit.
 */
#ifndef YOKE_APPS_PHOTONS_KERNELS_H
#define YOKE_APPS_PHOTONS_KERNELS_H

#include <yoke/kernel.h>

#define PHOTONS_UNIT 1073741824 /* a whole packet, 2^30 */

/* A packet of less than a ten-thousandth goes on with a chance of a tenth, ten times as heavy: what
 * MCML does. */
#define PHOTONS_LIGHT    107374
#define PHOTONS_CHANCE   0.1f
#define PHOTONS_SURVIVOR 10

/* A layer at one wavelength. The table has all layers at that of the light that is sent in, and
 * then all again at that of fluorescence. Lengths are in cm. */
typedef struct YOKE_ALIGN(16) layer {
    float top, bottom;
    float attenuation, free_path;      /* 1/cm, and 1 over it; without any it is PHOTONS_FAR */
    float absorbed;                    /* share of what interacts */
    float g, less_g;                   /* of Henyey and Greenstein, and 1 - g */
    float ratio_above, ratio_below;    /* refractive index over that of the neighbour */
    float yield;                       /* share of what is absorbed that is sent out again */
    int32_t row_above, row_below;      /* of the table; -1: outside */
    int32_t absorbed_slot, yield_slot; /* what the layer absorbs, what it sends out again */
    int32_t wavelength;                /* slot where its tallies begin */
    int32_t reserved;
} layer_t;
#define PHOTONS_FAR 1e30f

/* What is the same for all packets. Slots are counted from where those of a wavelength begin, with
 * the grid of absorption, nz rows of nr; the grids of what leaves have nr rows of na angles. */
typedef struct photons_setup {
    uint32_t seed_low, seed_high, events; /* a walk has no more */
    int32_t start_row, start_weight;      /* where packets begin, and what is left of them there */
    float start_z;
    float per_dz, per_dr, per_da;
    int32_t nz, nr, na, layer_count;
    int32_t up_slot, down_slot;                   /* of what leaves */
    int32_t straight_up_slot, straight_down_slot; /* without ever having been scattered */
    int32_t gained_slot, cut_slot;                /* by chance; by the limit of events */
} photons_setup_t;

/* Devices: lanes of a group, and packets of a lane, one after the other
 * (docs/results/irregular-h200.md). */
#define PHOTONS_LANES 64
#define PHOTONS_EACH  16

/* Packets that a core takes at once. */
#define PHOTONS_GROUP 2048

/* Events of a walk at most: generations of two walks are counted with 32 bits. */
#define PHOTONS_EVENTS_MOST 2000000000
#define PHOTONS_GENERATIONS 4000000001u

/* Of the step kernel: events that a packet has in one call, and packets that wait for others that
 * came of the same one. */
#ifndef PHOTONS_STEPS
#define PHOTONS_STEPS 4
#endif
#define PHOTONS_WAITING 1

#ifndef YOKE_FLATTEN
extern const yoke_kernel photons, photons_lanes, photons_steps;
#endif
#endif
