/* path_bvh_walk.h - a ray on its way through the tree, and what is worked out for it once. */
#ifndef YOKE_APPS_PATH_PATH_BVH_WALK_H
#define YOKE_APPS_PATH_PATH_BVH_WALK_H

#include "../exact.h"
#include "path_bvh_node.h"
#include "path_kernels.h"

/* A group of nodes: the eight upper bits of `mask` are those still to be looked into, nearest
 * highest; the lower ones are all slots of nodes. */
typedef struct walk {
    float x, y, z;                         /* origin */
    float inverse_x, inverse_y, inverse_z; /* of the direction */
    float shear_x, shear_y, stretch;       /* along `axis` to the plane across the ray */
    int32_t axis;                          /* the direction's longest */
    uint32_t turn;                         /* slot ^ turn: descending along the ray */
    uint32_t first, mask;                  /* the group at hand */
    int32_t waiting;                       /* groups on the stack */
    int32_t face;                          /* of `found` */
    hit_t found;
} walk_t;

/* 1 / x for |x| from 1e-37 to 1e37, off by 2e-7 of it. */
YOKE_FN float path_inverse(float x)
{
    const float inverse = exact_reciprocal(fabsf(x));
    return x < 0.0f ? -inverse : inverse;
}

/* What runs along a plane goes to it very slowly: 2^-64 keeps all products finite where coordinates
 * are up to 1e18. Such rays miss what is smaller than 2^-60 of its distance. */
YOKE_FN float path_inverse_along(float direction)
{
    const float least = 5.42101086e-20f;
    return path_inverse(fabsf(direction) < least ? least : direction);
}

YOKE_FN float path_pick(int32_t axis, float x, float y, float z)
{
    return axis == 0 ? x : axis == 1 ? y : z;
}

/* A direction's components are up to 1e6, the longest at least 1e-6. */
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
    walk.mask = 0x80000000u; /* the root, in a slot that `turn` makes the first */
    walk.waiting = 0;
    walk.face = INT32_MIN;
    walk.found = YOKE_INIT(hit_t, ray.far, 0.0f, 0.0f, -1);
    return walk;
}

#endif
