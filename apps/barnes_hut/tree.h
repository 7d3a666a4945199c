/* tree.h - an octree of stars, built by all cores of the host.
 *
 * Stars come in any order (`loose`); bodies, velocities and nodes are written in tree order: depth
 * first, the octants of a cell in the order of their Morton keys. A cell with all its stars in one
 * octant is left out, because that octant describes them better. So each cell has at least two
 * children, and there are fewer cells than stars.
 */
#ifndef YOKE_APPS_TREE_H
#define YOKE_APPS_TREE_H

#include "barnes_hut_kernels.h"
#include "sort.h"

struct star {
    body_t body;
    float velocity[3];
    int32_t id; /* moves with the star */
};

enum { TREE_STARS_MAX = 1 << 29 };

struct tree {
    int64_t count; /* stars, at least 1 and at most TREE_STARS_MAX */
    /* Set by the caller. */
    yoke_runtime *cores;
    const struct star *loose; /* [count] */
    body_t *bodies;           /* [count] */
    vector_t *velocities;     /* [count] */
    int32_t *ids;             /* [count] */
    node_t *nodes;            /* [2 * count] */
    /* More results of tree_build. */
    int32_t node_count;
    double low[3], side; /* of the cube that is the root */
    /* Private. */
    int64_t blocks;
    struct sort sort;
    int32_t *cells_before;       /* [count + 1]: cells that begin at stars before this one */
    struct tree_block *in_block; /* [blocks] */
};

/* `from` has the count and the fields that the caller sets. */
yoke_status tree_open(const struct tree *from, struct tree *out);
void tree_close(struct tree *tree);
/* Returns YOKE_EINVAL, with the star's index, if a position is outside the range of floats used
 * here. */
yoke_status tree_build(struct tree *tree);

#endif
