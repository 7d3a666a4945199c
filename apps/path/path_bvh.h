/* path_bvh.h - rays through the tree, on every device.
 *
 * What is found is the same to the bit wherever it is looked for: only sums, products and
 * comparisons decide, no division. And in a box's planes even a fused multiply-add changes nothing,
 * for the product is exact: a plane has 8 bits, the reciprocal of the direction is cut to 16. The
 * two ways of cutting it, and a margin for what is rounded before, make boxes a little larger,
 * never smaller.
 *
 * Triangles are tested as by Woop, Benthin and Wald, "Watertight ray/triangle intersection" (2013):
 * corners go to a plane across the ray, and whether the ray is left or right of an edge there is
 * the same for both triangles that share it. Products round alike, so that the sign of a difference
 * of two is right or it is 0, which is inside for both: no ray slips through between triangles
 * whose corners are the same. A corner that is stored as the end of an edge is the same where the
 * edge is not longer than the corner's distance from the coordinate plane, as of nearly all small
 * triangles, and else off by 2^-25 of the edge.
 */
#ifndef YOKE_APPS_PATH_PATH_BVH_H
#define YOKE_APPS_PATH_PATH_BVH_H

#include "path_bvh_node.h"
#include "path_kernels.h"

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

YOKE_FN float path_least(float a, float b)
{
    return a < b ? a : b;
}
YOKE_FN float path_most(float a, float b)
{
    return a > b ? a : b;
}

/* 1 / x for |x| from 1e-37 to 1e37, off by 2e-7 of it: a guess by its bits, then Newton's method.
 */
YOKE_FN float path_inverse(float x)
{
    const int32_t bits = yoke_float_as_int(x), sign = bits & (int32_t)0x80000000u;
    float y = yoke_int_as_float((0x7ef311c7 - (bits ^ sign)) ^ sign);
    y = y * (2.0f - x * y);
    y = y * (2.0f - x * y);
    return y * (2.0f - x * y);
}

/* What runs along a plane goes to it very slowly: 2^-64 keeps all products finite where coordinates
 * are up to 1e18. */
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

/* The triangle's corner k in the plane across the ray, which goes through 0 there; and its place
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

/* Keeps the triangle if it is hit before what was found. Of those at the same distance the lowest
 * face counts, so that the order does not matter. */
YOKE_FN void path_meet(YOKE_GLOBAL const triangle_t *triangles, int32_t index, walk_t *walk)
{
    const triangle_t t = triangles[index];
    const place_t o = path_place(*walk, t.x, t.y, t.z);
    const place_t a = path_place(*walk, t.x + t.ax, t.y + t.ay, t.z + t.az);
    const place_t b = path_place(*walk, t.x + t.bx, t.y + t.by, t.z + t.bz);
    const float of_o = b.x * a.y - b.y * a.x; /* twice the areas across the ray: weights */
    const float of_a = o.x * b.y - o.y * b.x;
    const float of_b = a.x * o.y - a.y * o.x;
    const float least = path_least(path_least(of_o, of_a), of_b);
    const float most = path_most(path_most(of_o, of_a), of_b);
    const float area = of_o + of_a + of_b, size = fabsf(area);
    if (!(least < 0.0f && most > 0.0f) && size >= 1.2e-38f) {
        /* kept from the ends of what a float can be */
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

/* How far along an axis the planes of a node are: from + plane * step, or less than that by a
 * little for those where the ray goes in, and more where it comes out. */
typedef struct slab {
    float in, in_step, out, out_step;
} slab_t;

YOKE_FN slab_t path_slab(float corner, float origin, float inverse, float scale)
{
    const int32_t bits = yoke_float_as_int(inverse), cut = bits & (int32_t)0xffffff00u;
    const int32_t less = bits < 0 ? 0x200 : -0x100, more = bits < 0 ? -0x100 : 0x200;
    const float from = (corner - origin) * inverse, margin = fabsf(from) * 9.5367e-7f; /* 2^-20 */
    return YOKE_INIT(slab_t, from - margin, yoke_int_as_float(cut + less) * scale, from + margin,
                     yoke_int_as_float(cut + more) * scale);
}

/* What the ray meets of a node's children, as shares of a mask. */
#ifndef YOKE_FLATTEN
YOKE_FN uint32_t path_children(YOKE_GLOBAL const node_t *node, const walk_t *walk)
{
    const float far = walk->found.distance;
    const slab_t sx =
        path_slab(node->x, walk->x, walk->inverse_x, yoke_int_as_float(node->scale[0] << 23));
    const slab_t sy =
        path_slab(node->y, walk->y, walk->inverse_y, yoke_int_as_float(node->scale[1] << 23));
    const slab_t sz =
        path_slab(node->z, walk->z, walk->inverse_z, yoke_int_as_float(node->scale[2] << 23));
    const uint32_t turn = walk->turn;
    const uint8_t *in_x = node->planes[turn & 1u ? 0 : 3], *out_x = node->planes[turn & 1u ? 3 : 0];
    const uint8_t *in_y = node->planes[turn & 2u ? 1 : 4], *out_y = node->planes[turn & 2u ? 4 : 1];
    const uint8_t *in_z = node->planes[turn & 4u ? 2 : 5], *out_z = node->planes[turn & 4u ? 5 : 2];
    uint32_t mask = 0;
    int s;
    for (s = 0; s < 8; s++) {
        const float in = path_most(
            path_most((float)in_x[s] * sx.in_step + sx.in, (float)in_y[s] * sy.in_step + sy.in),
            path_most((float)in_z[s] * sz.in_step + sz.in, 0.0f));
        const float out = path_least(path_least((float)out_x[s] * sx.out_step + sx.out,
                                                (float)out_y[s] * sy.out_step + sy.out),
                                     path_least((float)out_z[s] * sz.out_step + sz.out, far));
        const uint32_t holds = node->holds[s];
        const uint32_t at = (holds & 24u) == 24u ? holds ^ turn : holds;
        mask |= in <= out ? (holds >> 5) << (at & 31u) : 0u;
    }
    return mask;
}
#define PATH_INNER(node) ((uint32_t)(node)->inner)
#else
#define PATH_BYTE(word, k) ((float)(((word) >> (8 * (k))) & 255u))
#define PATH_CHILD(k, half)                                                                        \
    {                                                                                              \
        const float in =                                                                           \
            path_most(path_most(PATH_PLANE(PATH_BYTE(in_x##half, k), sx.in_step, sx.in),           \
                                PATH_PLANE(PATH_BYTE(in_y##half, k), sy.in_step, sy.in)),          \
                      path_most(PATH_PLANE(PATH_BYTE(in_z##half, k), sz.in_step, sz.in), 0.0f));   \
        const float out = path_least(                                                              \
            path_least(PATH_PLANE(PATH_BYTE(out_x##half, k), sx.out_step, sx.out),                 \
                       PATH_PLANE(PATH_BYTE(out_y##half, k), sy.out_step, sy.out)),                \
            path_least(PATH_PLANE(PATH_BYTE(out_z##half, k), sz.out_step, sz.out), far));          \
        const uint32_t holds = (n.holds##half >> (8 * (k))) & 255u;                                \
        const uint32_t at = (holds & 24u) == 24u ? holds ^ turn : holds;                           \
        mask |= in <= out ? (holds >> 5) << (at & 31u) : 0u;                                       \
    }
#if defined(YOKE_OPENCL) && !defined(FP_FAST_FMAF)
#define PATH_PLANE(plane, step, from) ((plane) * (step) + (from))
#else
#define PATH_PLANE(plane, step, from) fmaf(plane, step, from)
#endif
YOKE_FN uint32_t path_children(YOKE_GLOBAL const node_t *node, const walk_t *walk)
{
    const node_t n = *node;
    const float far = walk->found.distance;
    const uint32_t turn = walk->turn;
    const slab_t sx = path_slab(n.x, walk->x, walk->inverse_x,
                                yoke_int_as_float((int32_t)((n.scales & 255u) << 23)));
    const slab_t sy = path_slab(n.y, walk->y, walk->inverse_y,
                                yoke_int_as_float((int32_t)(((n.scales >> 8) & 255u) << 23)));
    const slab_t sz = path_slab(n.z, walk->z, walk->inverse_z,
                                yoke_int_as_float((int32_t)(((n.scales >> 16) & 255u) << 23)));
    const uint32_t in_x0 = turn & 1u ? n.low_x0 : n.high_x0;
    const uint32_t in_x1 = turn & 1u ? n.low_x1 : n.high_x1;
    const uint32_t in_y0 = turn & 2u ? n.low_y0 : n.high_y0;
    const uint32_t in_y1 = turn & 2u ? n.low_y1 : n.high_y1;
    const uint32_t in_z0 = turn & 4u ? n.low_z0 : n.high_z0;
    const uint32_t in_z1 = turn & 4u ? n.low_z1 : n.high_z1;
    const uint32_t out_x0 = turn & 1u ? n.high_x0 : n.low_x0;
    const uint32_t out_x1 = turn & 1u ? n.high_x1 : n.low_x1;
    const uint32_t out_y0 = turn & 2u ? n.high_y0 : n.low_y0;
    const uint32_t out_y1 = turn & 2u ? n.high_y1 : n.low_y1;
    const uint32_t out_z0 = turn & 4u ? n.high_z0 : n.low_z0;
    const uint32_t out_z1 = turn & 4u ? n.high_z1 : n.low_z1;
    uint32_t mask = 0u;
    PATH_CHILD(0, 0)
    PATH_CHILD(1, 0)
    PATH_CHILD(2, 0)
    PATH_CHILD(3, 0)
    PATH_CHILD(0, 1)
    PATH_CHILD(1, 1)
    PATH_CHILD(2, 1)
    PATH_CHILD(3, 1)
    return mask;
}
#define PATH_INNER(node) ((node)->scales >> 24)
#endif

/* The nearest node of the group at hand: it and its triangles are looked into, and its nodes are
 * the group at hand then, while what is left of the old one waits. */
YOKE_FN void path_visit(YOKE_GLOBAL const node_t *nodes, YOKE_GLOBAL const triangle_t *triangles,
                        walk_t *walk, uint32_t *stack)
{
    const uint32_t highest = 31u - PATH_LEADING_ZEROS(walk->mask);
    const uint32_t slot = (highest - 24u) ^ walk->turn, slots = walk->mask & 255u;
    YOKE_GLOBAL const node_t *node = nodes + (walk->first + PATH_ONES(slots & ((1u << slot) - 1u)));
    uint32_t met, left;
    walk->mask ^= 1u << highest;
    if (walk->mask > 0x00ffffffu) {
        stack[2 * walk->waiting] = walk->first;
        stack[2 * walk->waiting + 1] = walk->mask;
        walk->waiting++;
    }
    met = path_children(node, walk);
    walk->first = node->first_node;
    walk->mask = (met & 0xff000000u) | PATH_INNER(node);
    for (left = met & 0x00ffffffu; left != 0u; left &= left - 1u) {
        const uint32_t lowest = 31u - PATH_LEADING_ZEROS(left & (0u - left));
        path_meet(triangles, (int32_t)(node->first_triangle + lowest), walk);
    }
    if (walk->mask <= 0x00ffffffu && walk->waiting > 0) {
        walk->waiting--;
        walk->first = stack[2 * walk->waiting];
        walk->mask = stack[2 * walk->waiting + 1];
    }
}

/* 1: the walk goes on. */
YOKE_FN int path_walk_goes_on(const walk_t *walk)
{
    return walk->mask > 0x00ffffffu;
}

/* Looks into up to `steps` nodes; `stack` has 2 PATH_BVH_LEVELS words, which stay between calls. It
 * is no part of the walk so that the rest of that can stay in registers. */
YOKE_FN void path_walk_some(YOKE_GLOBAL const node_t *nodes,
                            YOKE_GLOBAL const triangle_t *triangles, walk_t *walk, uint32_t *stack,
                            int32_t steps)
{
    for (; steps > 0 && path_walk_goes_on(walk); steps--)
        path_visit(nodes, triangles, walk, stack);
}

YOKE_FN hit_t path_nearest(YOKE_GLOBAL const node_t *nodes, YOKE_GLOBAL const triangle_t *triangles,
                           ray_t ray)
{
    uint32_t stack[2 * PATH_BVH_LEVELS];
    walk_t walk = path_walk_begin(ray);
    while (path_walk_goes_on(&walk))
        path_visit(nodes, triangles, &walk, stack);
    return walk.found;
}

/* 1: there is something before ray.far. */
YOKE_FN int path_blocked(YOKE_GLOBAL const node_t *nodes, YOKE_GLOBAL const triangle_t *triangles,
                         ray_t ray)
{
    uint32_t stack[2 * PATH_BVH_LEVELS];
    walk_t walk = path_walk_begin(ray);
    while (path_walk_goes_on(&walk) && walk.found.triangle < 0)
        path_visit(nodes, triangles, &walk, stack);
    return walk.found.triangle >= 0;
}

#endif
