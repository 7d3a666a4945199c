/* nbody_kernels.h - gravity by all pairs, one step in time. */
#ifndef YOKE_APPS_NBODY_KERNELS_H
#define YOKE_APPS_NBODY_KERNELS_H

#include "../bodies/body.h"

#define NBODY_UNIT  64               /* bodies of a group */
#define NBODY_HALF  (NBODY_UNIT / 2) /* a lane has one body of each half */
#define NBODY_PARTS 4                /* parts of a tile, each for its own lanes */
#define NBODY_LANES (NBODY_HALF * NBODY_PARTS)
#define NBODY_TILE  (NBODY_UNIT * NBODY_PARTS)
#define NBODY_BLOCK 32768 /* bodies summed separately; whole tiles */

#ifndef YOKE_FLATTEN
extern const yoke_kernel nbody;
#endif
#endif
