/* barnes_hut_kernels.h - the octree as devices see it, and the results.
 *
 * Nodes are in depth-first order, and each names the first node behind its subtree, so a walk needs
 * no stack. A body is a node of size 0 without children.
 */
#ifndef YOKE_APPS_BARNES_HUT_KERNELS_H
#define YOKE_APPS_BARNES_HUT_KERNELS_H

#include "../bodies/body.h"

/* Two loads of 16 bytes on a GPU, half a cache line on a CPU. */
typedef struct YOKE_ALIGN(32) node {
    float x, y, z, mass;       /* centre of mass */
    float size2;               /* the cell's side, squared */
    int32_t skip;              /* the next node that is not inside this one */
    int32_t first_body, count; /* the bodies inside, in tree order */
} node_t;

typedef struct YOKE_ALIGN(16) pull {
    float x, y, z;   /* acceleration */
    float potential; /* the body's own, -mass / softening, included */
} pull_t;

/* theta2 and softening2 determine the forces. `load`: each visit computes the Fibonacci sequence up
 * to this index. `visits`: number of visits in a step. */
typedef struct forces {
    float theta2, softening2;
    int32_t load, visits;
} forces_t;

/* A step kernel's item: where a body is in its walk, and its sums so far. */
typedef struct YOKE_ALIGN(16) walk {
    pull_t sum;
    int32_t body, next, end; /* nodes `next` to `end` - 1 are still to be met, following their
                              * skips */
    uint32_t loads;          /* the load's check value: the sum of its results, modulo 2^32 */
} walk_t;

/* Sums that several lanes add to are whole numbers of these units. */
typedef struct units {
    float pull, potential; /* number of units in 1 */
    int64_t loads_at;      /* index where sums of loads begin */
} units_t;

/* TREE_LEVELS: levels of cells, one for each bit of a coordinate; 21 bits are used. */
enum { TREE_LEVELS = 21, TREE_CHILDREN = 8 };

/* Bodies of a group: two vectors of the widest CPU, so that two chains of sums run side by side. */
#define BARNES_HUT_LANES 32

#ifndef YOKE_FLATTEN
extern const yoke_kernel barnes_hut, barnes_hut_together;               /* without a load */
extern const yoke_kernel barnes_hut_loaded, barnes_hut_loaded_together; /* with one */
extern const yoke_kernel barnes_hut_steps, barnes_hut_apart;            /* with or without */
#endif
#endif
