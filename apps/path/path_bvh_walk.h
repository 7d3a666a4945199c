/* path_bvh_walk.h - the state of a ray on its way through the tree, and values that are computed
 * once per ray. */
#ifndef YOKE_APPS_PATH_PATH_BVH_WALK_H
#define YOKE_APPS_PATH_PATH_BVH_WALK_H

#include "../exact.h"
#include "path_bvh_node.h"
#include "path_kernels.h"

/* `first` and `mask` are the present group of nodes. The upper eight bits of `mask` are the nodes
 * to be opened, the nearest highest; the lower bits are all slots that hold nodes. */
typedef struct walk {
    float x, y, z;                         /* origin */
    float inverse_x, inverse_y, inverse_z; /* of the direction */
    float shear_x, shear_y, stretch;       /* along `axis` to the plane across the ray */
    int32_t axis;                          /* the direction's longest */
    uint32_t turn;                         /* slot ^ turn descends along the ray */
    uint32_t first, mask;                  /* the present group */
    int32_t waiting;                       /* groups on the stack */
    int32_t face;                          /* of `found` */
    hit_t found;
} walk_t;

/* 1 / x for |x| from 1e-37 to 1e37, with a relative error of 2e-7. */
YOKE_FN float path_inverse(float x)
{
    const float inverse = exact_reciprocal(fabsf(x));
    return x < 0.0f ? -inverse : inverse;
}

/* 1 / direction. A component below 2^-64 in magnitude (the ray runs along a plane) counts as 2^-64:
 * so all products stay finite if coordinates are at most 1e18. Such rays miss objects that are
 * smaller than 2^-60 of their distance. */
YOKE_FN float path_inverse_along(float direction)
{
    const float least = 5.42101086e-20f;
    return path_inverse(fabsf(direction) < least ? least : direction);
}

YOKE_FN float path_pick(int32_t axis, float x, float y, float z)
{
    return axis == 0 ? x : axis == 1 ? y : z;
}

/* The direction's components must be at most 1e6 in magnitude, and the longest at least 1e-6. */
YOKE_FN walk_t path_walk_begin(ray_t ray)
{
    walk_t walk;
    const float x = fabsf(ray.dx), y = fabsf(ray.dy), z = fabsf(ray.dz);
    const int32_t axis = x >= y ? (x >= z ? 0 : 2) : y >= z ? 1 : 2;
    walk.x = ray.x;
    walk.y = ray.y;
    walk.z = ray.z;
    walk.inverse_x = path_inverse_along(ray.dx);
    walk.inverse_y = path_inverse_along(ray.dy);
    walk.inverse_z = path_inverse_along(ray.dz);
    walk.axis = axis;
    walk.stretch = path_pick(axis, walk.inverse_x, walk.inverse_y, walk.inverse_z);
    walk.shear_x = path_pick(axis, ray.dy, ray.dz, ray.dx) * walk.stretch;
    walk.shear_y = path_pick(axis, ray.dz, ray.dx, ray.dy) * walk.stretch;
    walk.turn = (walk.inverse_x < 0.0f ? 0u : 1u) | (walk.inverse_y < 0.0f ? 0u : 2u) |
                (walk.inverse_z < 0.0f ? 0u : 4u);
    walk.first = 0u;
    walk.mask = 0x80000000u; /* the root, in the slot that comes first for `turn` */
    walk.waiting = 0;
    walk.face = INT32_MIN;
    walk.found = YOKE_INIT(hit_t, ray.far, 0.0f, 0.0f, -1);
    return walk;
}

#endif
