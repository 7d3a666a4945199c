/* bvh_kernels.c - see bvh_kernels.h. */
#include "bvh_kernels.h"

#include "path/path_bvh.h"

YOKE_KERNEL(bvh_nearest, i, YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(hit_t, hits))
{
    hits[i] = path_nearest(YOKE_INIT(bvh_t, nodes, triangles), rays[i]);
}

YOKE_KERNEL(bvh_blocked, i, YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(int32_t, blocked))
{
    blocked[i] = path_blocked(YOKE_INIT(bvh_t, nodes, triangles), rays[i]);
}

/* Stops after a few steps and continues. */
YOKE_KERNEL(bvh_pieces, i, YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(hit_t, hits))
{
    uint32_t stack[2 * PATH_BVH_LEVELS];
    walk_t walk = path_walk_begin(rays[i]);
    int32_t steps = 1;
    while (path_walk_goes_on(&walk)) {
        path_walk_some(YOKE_INIT(bvh_t, nodes, triangles), &walk, stack, steps);
        steps = steps % 5 + 1;
    }
    hits[i] = walk.found;
}

/* Without a tree. */
YOKE_KERNEL(bvh_each, i, YOKE_VALUE(int32_t, count), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(hit_t, hits))
{
    walk_t walk = path_walk_begin(rays[i]);
    int32_t k;
    for (k = 0; k < count; k++)
        path_meet(triangles, k, &walk);
    hits[i] = walk.found;
}
