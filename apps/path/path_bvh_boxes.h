/* path_bvh_boxes.h - tests a ray against the boxes of a node's children.
 *
 * A plane has 8 bits and a step along the ray 16. So their product is exact, and even a fused
 * multiply-add gives the same sum on every machine. Two roundings are compensated, each in the
 * direction that makes boxes larger. Steps are rounded to 16 bits, which moves a plane by at least
 * 2^-16 of its distance from the node's corner. The corner's place along the ray has an error of at
 * most 2^-21 of itself and is moved by 2^-20. So a ray never misses a box that it meets, nor the
 * box's content, even if it runs along a side.
 */
#ifndef YOKE_APPS_PATH_PATH_BVH_BOXES_H
#define YOKE_APPS_PATH_PATH_BVH_BOXES_H

#include "path_bvh_walk.h"

/* How far along the ray the planes of a node are, for one axis: at from + plane * step. Planes
 * where the ray enters are moved a little closer, planes where it leaves a little farther. */
typedef struct slab {
    float in, in_step, out, out_step;
} slab_t;

YOKE_FN slab_t path_slab(float corner, float origin, float inverse, float scale)
{
    const int32_t bits = yoke_float_as_int(inverse), cut = bits & (int32_t)0xffffff00u;
    const int32_t less = bits < 0 ? 0x200 : -0x100, more = bits < 0 ? -0x100 : 0x200;
    const float far = corner - origin, from = far * inverse;
    const float margin = fabsf(far) * fabsf(inverse * 9.53674316e-7f); /* 2^-20 */
    return YOKE_INIT(slab_t, from - margin, yoke_int_as_float(cut + less) * scale, from + margin,
                     yoke_int_as_float(cut + more) * scale);
}

/* path_children returns the children that the ray meets, as bits of the walk's mask. */
#ifndef YOKE_FLATTEN
#ifdef YOKE_OMP_SIMD
#define PATH_LANES      _Pragma("omp simd")
#define PATH_LANES_MASK _Pragma("omp simd reduction(| : mask)")
#else
#define PATH_LANES
#define PATH_LANES_MASK
#endif
/* Three loops, because compilers choose the vector width of a loop with bytes and floats by the
 * bytes, and would make two vectors of eight lanes. All 64 bytes are converted: otherwise, parts
 * would be stored in smaller pieces than they are loaded in, which is slow. */
YOKE_FN uint32_t path_children(YOKE_GLOBAL const node_t *node, const walk_t *walk)
{
    enum { AXIS = 8, HIGH = 3 * AXIS, HOLDS = 8, PLANES = 16 }; /* places in `words` */
    const float far = walk->found.distance;
    const slab_t sx =
        path_slab(node->x, walk->x, walk->inverse_x, yoke_int_as_float(node->scale[0] << 23));
    const slab_t sy =
        path_slab(node->y, walk->y, walk->inverse_y, yoke_int_as_float(node->scale[1] << 23));
    const slab_t sz =
        path_slab(node->z, walk->z, walk->inverse_z, yoke_int_as_float(node->scale[2] << 23));
    const uint32_t turn = walk->turn;
    const uint8_t *bytes = (const uint8_t *)node + 16;
    int32_t words[64], met[8];
    const int32_t *in_x = words + PLANES + (turn & 1u ? 0 : HIGH);
    const int32_t *in_y = words + PLANES + AXIS + (turn & 2u ? 0 : HIGH);
    const int32_t *in_z = words + PLANES + 2 * AXIS + (turn & 4u ? 0 : HIGH);
    const int32_t *out_x = words + PLANES + (turn & 1u ? HIGH : 0);
    const int32_t *out_y = words + PLANES + AXIS + (turn & 2u ? HIGH : 0);
    const int32_t *out_z = words + PLANES + 2 * AXIS + (turn & 4u ? HIGH : 0);
    uint32_t mask = 0;
    int s;
    for (s = 0; s < 64; s++)
        words[s] = bytes[s];
    PATH_LANES
    for (s = 0; s < 8; s++) {
        const float in = exact_most(
            exact_most((float)in_x[s] * sx.in_step + sx.in, (float)in_y[s] * sy.in_step + sy.in),
            exact_most((float)in_z[s] * sz.in_step + sz.in, 0.0f));
        const float out = exact_least(exact_least((float)out_x[s] * sx.out_step + sx.out,
                                                  (float)out_y[s] * sy.out_step + sy.out),
                                      exact_least((float)out_z[s] * sz.out_step + sz.out, far));
        met[s] = in <= out ? -1 : 0;
    }
    PATH_LANES_MASK
    for (s = 0; s < 8; s++) {
        const uint32_t holds = (uint32_t)words[HOLDS + s];
        const uint32_t at = (holds & 24u) == 24u ? holds ^ turn : holds;
        mask |= (uint32_t)met[s] & ((holds >> 5) << (at & 31u));
    }
    return mask;
}
#define PATH_INNER(node) ((uint32_t)(node)->inner)
#else
#define PATH_BYTE(word, k) ((float)(((word) >> (8 * (k))) & 255u))
#define PATH_CHILD(k, half)                                                                        \
    {                                                                                              \
        const float in =                                                                           \
            exact_most(exact_most(PATH_PLANE(PATH_BYTE(in_x##half, k), sx.in_step, sx.in),         \
                                  PATH_PLANE(PATH_BYTE(in_y##half, k), sy.in_step, sy.in)),        \
                       exact_most(PATH_PLANE(PATH_BYTE(in_z##half, k), sz.in_step, sz.in), 0.0f)); \
        const float out = exact_least(                                                             \
            exact_least(PATH_PLANE(PATH_BYTE(out_x##half, k), sx.out_step, sx.out),                \
                        PATH_PLANE(PATH_BYTE(out_y##half, k), sy.out_step, sy.out)),               \
            exact_least(PATH_PLANE(PATH_BYTE(out_z##half, k), sz.out_step, sz.out), far));         \
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

#endif
