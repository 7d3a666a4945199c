/* bvh.h - a bounding volume hierarchy over triangles, built on all cores.
 *
 * path_bvh_node.h describes the nodes; the root comes first. The triangles are sorted into the
 * order of the leaves. The tree does not depend on the number of cores.
 */
#ifndef YOKE_APPS_PATH_BVH_H
#define YOKE_APPS_PATH_BVH_H

#include <stdint.h>
#include <yoke/status.h>

#include "path_bvh_node.h"
#include "path_kernels.h"

struct bvh {
    node_t *nodes; /* allocated with app_alloc: free() */
    int64_t node_count;
    /* Surface-area heuristic: the expected cost of a ray that meets the root's box, in node visits
     * and triangle tests, with the weights of bvh_collapse.c. */
    double cost;
};

enum { BVH_TRIANGLES_MOST = 1 << 28 };

/* Sorts `triangles` into the tree's order. `count` is 1 to BVH_TRIANGLES_MOST, and all numbers are
 * finite. YOKE_ENOMEM; YOKE_ECANCELED after Ctrl-C. */
yoke_status bvh_build(triangle_t *triangles, int64_t count, struct bvh *out);
void bvh_free(struct bvh *bvh);

#endif
