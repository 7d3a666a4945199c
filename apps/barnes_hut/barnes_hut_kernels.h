/* barnes_hut_kernels.h - the octree as devices see it, and what they make of it.
 *
 * Nodes lie in depth-first order and name the node to go on with when their own part is done, so
 * that a walk needs no stack. A body is a node of size 0 without children.
 */
#ifndef YOKE_APPS_BARNES_HUT_KERNELS_H
#define YOKE_APPS_BARNES_HUT_KERNELS_H

#include "../bodies/body.h"

/* Two loads of 16 bytes on a GPU, half a cache line on a CPU. */
typedef struct YOKE_ALIGN(32) node {
    float x, y, z, mass;       /* centre of mass */
    float size2;               /* of the cell's side, squared */
    int32_t skip;              /* the next node that is not inside this one */
    int32_t first_body, count; /* what lies inside, in tree order */
} node_t;

typedef struct YOKE_ALIGN(16) pull {
    float x, y, z;   /* acceleration */
    float potential; /* the body's own, -mass / softening, included */
} pull_t;

/* A vector's worth of bodies of the widest CPU, twice, so that two chains of sums are under way. */
#define BARNES_HUT_LANES 32

#ifndef YOKE_FLATTEN
extern const yoke_kernel barnes_hut, barnes_hut_together;
#endif
#endif
