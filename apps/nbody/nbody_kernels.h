/* nbody_kernels.h - gravity by all pairs, one step in time. */
#ifndef YOKE_APPS_NBODY_KERNELS_H
#define YOKE_APPS_NBODY_KERNELS_H

#include <yoke/kernel.h>

#define NBODY_TILE 128

typedef struct body {
    float x, y, z, mass;
} body_t;

typedef struct vector {
    float x, y, z, unused; /* 16 bytes: one load of a GPU */
} vector_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel nbody;
#endif
#endif
