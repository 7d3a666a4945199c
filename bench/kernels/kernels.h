/* kernels.h - the types and constants that kernels.c shares with the programs that run it. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

typedef struct particle {
    double x, y, z, vx, vy, vz;
} particle_t;

/* A uniform electromagnetic field, multiplied by charge / mass. */
typedef struct field {
    double ex, ey, ez, bx, by, bz;
} field_t;

/* A value and its index, like yoke_at_float. */
typedef struct place {
    float value;
    int64_t place;
} place_t;

enum {
    BLUR_RADIUS = 3,
    BINOMIAL_STEPS = 128,
    DOT_LANES = 256, /* lanes of dot_group */
    DOT_UNIT = 4096, /* indexes that they add together */
    HISTOGRAM_BINS = 256
};

#endif
