/* path_bvh.h - rays through the tree, on every device.
 *
 * Every device finds the same hit, to the bit, and visits the same nodes. Only sums, products and
 * comparisons decide, never a division. Kernels that include this file are built EXACT.
 *
 * The triangle test is that of Woop, Benthin and Wald, "Watertight ray/triangle intersection"
 * (2013). Corners are projected onto a plane across the ray. Whether the ray passes left or right
 * of an edge is then computed alike for both triangles that share the edge. Products round alike.
 * So the sign of a difference of two products is right, or the difference is 0, which counts as
 * inside for both triangles. No ray slips through between triangles with equal corners. A corner is
 * stored as the end of an edge. It is exact if the edge is not longer than the corner's distance
 * from the coordinate plane, as in nearly all small triangles; otherwise it is off by 2^-25 of the
 * edge.
 */
#ifndef YOKE_APPS_PATH_PATH_BVH_H
#define YOKE_APPS_PATH_PATH_BVH_H

#include "path_bvh_boxes.h"

#if !defined(YOKE_FLATTEN)
#define PATH_LEADING_ZEROS(bits) ((uint32_t)__builtin_clz(bits))
#define PATH_ONES(bits)          ((uint32_t)__builtin_popcount(bits))
#elif defined(YOKE_OPENCL)
#define PATH_LEADING_ZEROS(bits) ((uint32_t)clz(bits))
#define PATH_ONES(bits)          ((uint32_t)popcount(bits))
#else
#define PATH_LEADING_ZEROS(bits) ((uint32_t)__clz((int)(bits)))
#define PATH_ONES(bits)          ((uint32_t)__popc(bits))
#endif

/* A core waits longest for a node's triangles. So the first few are prefetched while the node's
 * boxes are tested. */
#ifndef YOKE_FLATTEN
#define PATH_FETCH(p)                                                                              \
    __builtin_prefetch(p), __builtin_prefetch((const char *)(p) + 64),                             \
        __builtin_prefetch((const char *)(p) + 128);
#else
#define PATH_FETCH(p)
#endif

/* A corner of the triangle in the plane across the ray, which passes through 0 there; and its place
 * along the ray. */
typedef struct place {
    float x, y, along;
} place_t;

YOKE_FN place_t path_place(walk_t walk, float x, float y, float z)
{
    const float rx = x - walk.x, ry = y - walk.y, rz = z - walk.z;
    const float along = path_pick(walk.axis, rx, ry, rz);
    return YOKE_INIT(place_t, path_pick(walk.axis, ry, rz, rx) - walk.shear_x * along,
                     path_pick(walk.axis, rz, rx, ry) - walk.shear_y * along, along);
}

/* Returns 1 if the ray, at 0, lies within the range of the three corners' coordinates. */
YOKE_FN int32_t path_around(float o, float a, float b)
{
    const float least = exact_least(exact_least(o, a), b);
    const float most = exact_most(exact_most(o, a), b);
    return (least <= 0.0f) & (most >= 0.0f);
}

/* Keeps the triangle if the ray hits it before the nearest hit so far. At equal distance the lowest
 * face wins, so the order of tests does not matter. */
YOKE_FN void path_meet(YOKE_GLOBAL const triangle_t *triangles, int32_t index, walk_t *walk)
{
    const triangle_t t = triangles[index];
    const place_t o = path_place(*walk, t.x, t.y, t.z);
    const place_t a = path_place(*walk, t.x + t.ax, t.y + t.ay, t.z + t.az);
    const place_t b = path_place(*walk, t.x + t.bx, t.y + t.by, t.z + t.bz);
    /* The corners' weights: twice areas across the ray. */
    const float of_o = b.x * a.y - b.y * a.x;
    const float of_a = o.x * b.y - o.y * b.x;
    const float of_b = a.x * o.y - a.y * o.x;
    const float least = exact_least(exact_least(of_o, of_a), of_b);
    const float most = exact_most(exact_most(of_o, of_a), of_b);
    const float area = of_o + of_a + of_b, size = fabsf(area);
    int32_t inside = ((least >= 0.0f) | (most <= 0.0f)) & (size >= 1.2e-38f);
    /* On an edge; or the triangle is far from the ray and too small for the sign to be known. */
    if (inside && (least == 0.0f || most == 0.0f))
        inside = path_around(o.x, a.x, b.x) & path_around(o.y, a.y, b.y);
    if (inside) {
        /* keeps the products within the range of a float */
        const float scale = size > 1.0f ? 9.09494702e-13f : 1.09951163e12f; /* 2^-40, 2^40 */
        const float inverse = path_inverse(area * scale);
        const float u = of_a * scale * inverse, v = of_b * scale * inverse;
        const float w = of_o * scale * inverse;
        const float distance = (w * o.along + u * a.along + v * b.along) * walk->stretch;
        if (distance > 0.0f && (distance < walk->found.distance ||
                                (distance == walk->found.distance && t.face < walk->face))) {
            walk->found = YOKE_INIT(hit_t, distance, u, v, index);
            walk->face = t.face;
        }
    }
}

/* Tests the triangles whose bits are set in `left`; bit 0 is triangle `first`. */
YOKE_FN void path_meet_all(YOKE_GLOBAL const triangle_t *triangles, uint32_t first, uint32_t left,
                           walk_t *walk)
{
    for (; left != 0u; left &= left - 1u) {
        const uint32_t lowest = 31u - PATH_LEADING_ZEROS(left & (0u - left));
        path_meet(triangles, (int32_t)(first + lowest), walk);
    }
}

/* The tree. */
typedef struct bvh {
    YOKE_GLOBAL const node_t *nodes;
    YOKE_GLOBAL const triangle_t *triangles;
} bvh_t;

/* Opens the nearest node of the present group. The node's children become the present group, and
 * the rest of the old group waits on the stack. Returns the node's triangles to test, as bits;
 * `*first` is the triangle of bit 0. */
YOKE_FN uint32_t path_open(bvh_t bvh, walk_t *walk, uint32_t *stack, uint32_t *first)
{
    const uint32_t highest = 31u - PATH_LEADING_ZEROS(walk->mask);
    const uint32_t slot = (highest - 24u) ^ walk->turn, slots = walk->mask & 255u;
    YOKE_GLOBAL const node_t *node =
        bvh.nodes + (walk->first + PATH_ONES(slots & ((1u << slot) - 1u)));
    uint32_t met;
    walk->mask ^= 1u << highest;
    if (walk->mask > 0x00ffffffu) {
        stack[2 * walk->waiting] = walk->first;
        stack[2 * walk->waiting + 1] = walk->mask;
        walk->waiting++;
    }
    *first = node->first_triangle;
    PATH_FETCH(&bvh.triangles[*first])
    met = path_children(node, walk);
    walk->first = node->first_node;
    walk->mask = (met & 0xff000000u) | PATH_INNER(node);
    if (walk->mask <= 0x00ffffffu && walk->waiting > 0) {
        walk->waiting--;
        walk->first = stack[2 * walk->waiting];
        walk->mask = stack[2 * walk->waiting + 1];
    }
    return met & 0x00ffffffu;
}

/* Opens the nearest node and tests its triangles. */
YOKE_FN void path_visit(bvh_t bvh, walk_t *walk, uint32_t *stack)
{
    uint32_t first;
    const uint32_t met = path_open(bvh, walk, stack, &first);
    path_meet_all(bvh.triangles, first, met, walk);
}

/* Returns 1 if nodes are left. */
YOKE_FN int path_walk_goes_on(const walk_t *walk)
{
    return walk->mask > 0x00ffffffu;
}

/* Opens up to `steps` nodes. `stack` has 2 PATH_BVH_LEVELS words and must keep them between calls.
 * It is no part of the walk, so that the rest of the walk can stay in registers. */
YOKE_FN void path_walk_some(bvh_t bvh, walk_t *walk, uint32_t *stack, int32_t steps)
{
    for (; steps > 0 && path_walk_goes_on(walk); steps--)
        path_visit(bvh, walk, stack);
}

YOKE_FN hit_t path_nearest(bvh_t bvh, ray_t ray)
{
    uint32_t stack[2 * PATH_BVH_LEVELS];
    walk_t walk = path_walk_begin(ray);
    while (path_walk_goes_on(&walk))
        path_visit(bvh, &walk, stack);
    return walk.found;
}

/* Returns 1 if a triangle is hit before ray.far. */
YOKE_FN int path_blocked(bvh_t bvh, ray_t ray)
{
    uint32_t stack[2 * PATH_BVH_LEVELS];
    walk_t walk = path_walk_begin(ray);
    while (path_walk_goes_on(&walk) && walk.found.triangle < 0)
        path_visit(bvh, &walk, stack);
    return walk.found.triangle >= 0;
}

#endif
