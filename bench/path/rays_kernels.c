/* rays_kernels.c - rays through the path tracer's tree, and nothing else. */
#include "path/path_bvh.h"

YOKE_KERNEL(rays_nearest, i, YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(hit_t, hits))
{
    hits[i] = path_nearest(nodes, triangles, rays[i]);
}

YOKE_KERNEL(rays_blocked, i, YOKE_IN(node_t, nodes), YOKE_IN(triangle_t, triangles),
            YOKE_IN(ray_t, rays), YOKE_OUT(int32_t, blocked))
{
    blocked[i] = path_blocked(nodes, triangles, rays[i]);
}
