/* bvh.h - a bounding volume hierarchy over triangles, built on all cores.
 *
 * Nodes are what path_bvh_node.h has, the root first. Triangles are brought into the order of the
 * leaves. The tree is the same whatever the number of cores.
 */
#ifndef YOKE_APPS_PATH_BVH_H
#define YOKE_APPS_PATH_BVH_H

#include <stdint.h>
#include <yoke/status.h>

#include "path_bvh_node.h"
#include "path_kernels.h"

struct bvh {
    node_t *nodes; /* app_alloc's: free() */
    int64_t node_count;
    double cost; /* surface-area heuristic: expected node visits and triangle tests of a ray that
                    meets the root's box, weighted as in bvh.c */
};

enum { BVH_TRIANGLES_MOST = 1 << 28 };

/* `triangles` are put in the tree's order. 1 to BVH_TRIANGLES_MOST of them, all numbers finite.
 * YOKE_ENOMEM, YOKE_ECANCELED after Ctrl-C. */
yoke_status bvh_build(triangle_t *triangles, int64_t count, struct bvh *out);
void bvh_free(struct bvh *bvh);

#endif
