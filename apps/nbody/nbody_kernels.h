/* nbody_kernels.h - gravity by all pairs, one step in time. */
#ifndef YOKE_APPS_NBODY_KERNELS_H
#define YOKE_APPS_NBODY_KERNELS_H

#include "../bodies/body.h"

#define NBODY_TILE  128
#define NBODY_BLOCK 32768 /* bodies summed alone; whole tiles */

#ifndef YOKE_FLATTEN
extern const yoke_kernel nbody;
#endif
#endif
