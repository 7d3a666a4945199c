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

/* What decides about forces; how far the Fibonacci sequence is worked out for each visit; and how
 * many visits make a step. */
typedef struct forces {
    float theta2, softening2;
    int32_t load, visits;
} forces_t;

/* What a step kernel's item is: where a body is in its walk, and what it has met so far. */
typedef struct YOKE_ALIGN(16) walk {
    pull_t sum;
    int32_t body, next, end; /* nodes `next` to `end` - 1 are to be met, by way of their skips */
    uint32_t loads;          /* the load's check value: the sum of its results, modulo 2^32 */
} walk_t;

/* In which sums are added up that many lanes add to, as whole numbers. */
typedef struct units {
    float pull, potential; /* as many units are 1 */
    int64_t loads_at;      /* where sums of loads begin */
} units_t;

/* Levels of cells: 21 bits of each coordinate are told apart. */
enum { TREE_LEVELS = 21, TREE_CHILDREN = 8 };

/* A vector's worth of bodies of the widest CPU, twice, so that two chains of sums are under way. */
#define BARNES_HUT_LANES 32

#ifndef YOKE_FLATTEN
extern const yoke_kernel barnes_hut, barnes_hut_together;               /* without a load */
extern const yoke_kernel barnes_hut_loaded, barnes_hut_loaded_together; /* with one */
extern const yoke_kernel barnes_hut_steps, barnes_hut_apart;            /* with or without */
#endif
#endif
