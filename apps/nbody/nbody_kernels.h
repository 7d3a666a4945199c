/* nbody_kernels.h - gravity by all pairs, one step in time. */
#ifndef YOKE_APPS_NBODY_KERNELS_H
#define YOKE_APPS_NBODY_KERNELS_H

#include "../bodies/body.h"

#define NBODY_TILE 128

#ifndef YOKE_FLATTEN
extern const yoke_kernel nbody;
#endif
#endif
