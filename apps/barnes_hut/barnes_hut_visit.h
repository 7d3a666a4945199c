/* barnes_hut_visit.h - what happens when a body meets a node of the tree, in any kernel.
 *
 * The body takes the node as one mass if the node's side is at most theta times its distance;
 * otherwise it has to look inside. With a load, each visit also computes the Fibonacci sequence up
 * to an index (papers/002, section 6.1): work besides the physics, with only a check value as its
 * result. Both kinds of kernel do it for the same visits, so that their times can be compared.
 */
#ifndef YOKE_APPS_BARNES_HUT_VISIT_H
#define YOKE_APPS_BARNES_HUT_VISIT_H

#include "barnes_hut_kernels.h"

YOKE_FN float barnes_hut_distance2(const node_t *node, body_t me)
{
    const float dx = node->x - me.x, dy = node->y - me.y, dz = node->z - me.z;
    return dx * dx + dy * dy + dz * dz;
}

/* Returns 1 if the node is far enough, or a body: then its pull is added to the sum. Returns 0 if
 * the node has to be opened. */
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

/* Returns 0, with which the sequence begins: no distance exceeds this bound. The compiler cannot
 * know that; otherwise it would compute the sequence once for all visits. */
YOKE_FN uint32_t barnes_hut_first(float d2)
{
    return d2 > 1e30f;
}

/* Returns the sequence's number `index`, modulo 2^32: `index` sums, each of which waits for the one
 * before. */
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
