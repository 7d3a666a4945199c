/* barnes_hut_visit.h - what happens where a body meets a node of the tree, in whichever kernel.
 *
 * It takes the node as one mass if the node's side is at most theta times its distance, and has to
 * look inside otherwise. With a load, each such visit also works out the Fibonacci sequence up to
 * an index (papers/002, section 6.1): work beside the physics, of which only a check value comes
 * out. Kernels of both kinds do it for the same visits, so that their times can be compared.
 */
#ifndef YOKE_APPS_BARNES_HUT_VISIT_H
#define YOKE_APPS_BARNES_HUT_VISIT_H

#include "barnes_hut_kernels.h"

YOKE_FN float barnes_hut_distance2(const node_t *node, body_t me)
{
    const float dx = node->x - me.x, dy = node->y - me.y, dz = node->z - me.z;
    return dx * dx + dy * dy + dz * dz;
}

/* 1: it was far enough, or a body, and its pull is in the sum. 0: it has to be opened. */
YOKE_FN int barnes_hut_visit(const node_t *node, body_t me, forces_t how, pull_t *sum)
{
    const float d2 = barnes_hut_distance2(node, me);
    const int far = node->size2 <= how.theta2 * d2;
    if (far) {
        const float r = yoke_rsqrtf(d2 + how.softening2);
        const float p = node->mass * r, w = p * r * r;
        sum->x += w * (node->x - me.x);
        sum->y += w * (node->y - me.y);
        sum->z += w * (node->z - me.z);
        sum->potential -= p;
    }
    return far;
}

/* The sequence begins with 0 and 1, which a compiler must not know: no two bodies are so far apart,
 * and with a constant it would do the sequence once for all visits. */
YOKE_FN uint32_t barnes_hut_first(float d2)
{
    return d2 > 1e30f;
}

/* Its number `index`, modulo 2^32: so many sums, each of which waits for the one before it. */
YOKE_FN uint32_t barnes_hut_load(float d2, int32_t index)
{
    uint32_t even = barnes_hut_first(d2), odd = even + 1;
    YOKE_UNROLL(8)
    for (int32_t k = 1; k < index; k += 2) {
        even += odd;
        odd += even;
    }
    return (index & 1) ? odd : even;
}

#endif
