/* nbody_kernels.h - gravity by all pairs, one step in time. */
#ifndef YOKE_APPS_NBODY_KERNELS_H
#define YOKE_APPS_NBODY_KERNELS_H

#include <yoke/kernel.h>

#define NBODY_TILE 128

/* Aligned, so that a GPU loads and stores each as one. */
typedef struct YOKE_ALIGN(16) body {
    float x, y, z, mass;
} body_t;

typedef struct YOKE_ALIGN(16) vector {
    float x, y, z, unused;
} vector_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel nbody;
#endif
#endif
