/* barnes_hut_step_kernels.c - the forces as work that makes more work: a body visits nodes, and
 * then the children of the nodes that it must open (papers/002, section 5.1). There are two forms.
 *
 * `barnes_hut_apart` does exactly this. An item is a body and a run of siblings, the children of
 * one cell. A step visits them all, and each node to open becomes an item of its own. So one body
 * can occupy many lanes, which fills a GPU with more lanes than there are bodies. The cost: 300
 * items per body with 100,000 bodies, most of which pass through memory, and sums from many lanes.
 * Of the items that a step makes, one takes over the sum so far. An item with nothing to open adds
 * its sum to the body's, as 64-bit whole numbers, so that the result does not depend on the order.
 *
 * `barnes_hut_steps` uses the tree's order. The children of a cell come directly after it, and
 * before its next sibling, so all nodes that a body still has to visit are one run. So an item
 * emits at most one item, its sum stays in registers, no stack is needed, and the result is written
 * once. It visits up to `how.visits` nodes in a step, because a step costs a lane as much as some
 * visits. The remaining advantage of the step form is that a lane whose body is done gets the next
 * one at once.
 */
#include "barnes_hut_visit.h"
#include <yoke/kernel_step.h>

YOKE_FN walk_t barnes_hut_walk(int32_t body, int32_t next, int32_t end)
{
    return YOKE_INIT(walk_t, YOKE_INIT(pull_t, 0.0f, 0.0f, 0.0f, 0.0f), body, next, end, 0);
}

/* Visits the node. Returns 1 if its children need not be visited. */
YOKE_FN int barnes_hut_meet(const node_t *node, body_t me, forces_t how, walk_t *walk)
{
    walk->loads += barnes_hut_load(barnes_hut_distance2(node, me), how.load);
    return barnes_hut_visit(node, me, how, &walk->sum);
}

YOKE_STEP_KERNEL(barnes_hut_steps, walk_t, walk, i, 1, INT32_MAX, YOKE_VALUE(int32_t, node_count),
                 YOKE_VALUE(forces_t, how), YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes),
                 YOKE_OUT(pull_t, pulls), YOKE_OUT(uint32_t, loads))
{
    YOKE_SEED
    {
        walk = barnes_hut_walk((int32_t)i, 0, node_count);
    }
    const body_t me = bodies[walk.body];
    for (int32_t met = 0; met < how.visits && walk.next < walk.end; ++met) {
        const node_t node = nodes[walk.next];
        walk.next = barnes_hut_meet(&node, me, how, &walk) ? node.skip : walk.next + 1;
    }
    if (walk.next < walk.end) {
        YOKE_EMIT(walk);
    } else {
        pulls[walk.body] = walk.sum;
        if (how.load > 0) /* otherwise the array has no rows here */
            loads[walk.body] = walk.loads;
    }
}

/* Adds to `sums`: four sums for each body; behind those of all bodies, only with a load, one load
 * sum for each. */
YOKE_FN void barnes_hut_add(walk_t walk, units_t units, YOKE_GLOBAL int64_t *sums)
{
    YOKE_GLOBAL int64_t *const mine = sums + 4 * (int64_t)walk.body;
    yoke_add(&mine[0], (int64_t)(walk.sum.x * units.pull));
    yoke_add(&mine[1], (int64_t)(walk.sum.y * units.pull));
    yoke_add(&mine[2], (int64_t)(walk.sum.z * units.pull));
    yoke_add(&mine[3], (int64_t)(walk.sum.potential * units.potential));
    if (walk.loads)
        yoke_add(&sums[units.loads_at + walk.body], (int64_t)walk.loads);
}

/* At most TREE_LEVELS + 2 generations: the root, then the children of a cell at each level,
 * beginning with the root's children. */
YOKE_STEP_KERNEL(barnes_hut_apart, walk_t, walk, i, TREE_CHILDREN, TREE_LEVELS + 2,
                 YOKE_VALUE(int32_t, node_count), YOKE_VALUE(forces_t, how),
                 YOKE_VALUE(units_t, units), YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes),
                 YOKE_ADD(int64_t, sums))
{
    YOKE_SEED
    {
        walk = barnes_hut_walk((int32_t)i, 0, node_count);
    }
    const body_t me = bodies[walk.body];
    const int32_t end = walk.end;
    int32_t opened = 0;
    for (int32_t k = walk.next; k < end;) {
        const node_t node = nodes[k];
        if (!barnes_hut_meet(&node, me, how, &walk)) {
            if (opened++)
                YOKE_EMIT(barnes_hut_walk(walk.body, walk.next, walk.end));
            walk.next = k + 1;
            walk.end = node.skip;
        }
        k = node.skip;
    }
    if (opened)
        YOKE_EMIT(walk);
    else
        barnes_hut_add(walk, units, sums);
}
