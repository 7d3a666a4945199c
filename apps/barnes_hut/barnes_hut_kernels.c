/* barnes_hut_kernels.c - the forces on each body of a tree.
 *
 * The number of nodes that a body meets differs from body to body. There are two forms with the
 * same parameters and the same sums. In one every body walks alone, which is best on GPUs:
 * neighbours in tree order meet nearly the same nodes. In the other some neighbours walk together
 * and fill the vectors of a CPU (barnes_hut_together.h).
 */
#include "barnes_hut_together.h"
#include "barnes_hut_visit.h"

YOKE_KERNEL(barnes_hut, i, YOKE_VALUE(int32_t, node_count), YOKE_VALUE(forces_t, how),
            YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes), YOKE_OUT(pull_t, pulls))
{
    const body_t me = bodies[i];
    pull_t sum = YOKE_INIT(pull_t, 0.0f, 0.0f, 0.0f, 0.0f);
    int32_t k = 0;
    while (k < node_count) {
        const node_t node = nodes[k];
        k = barnes_hut_visit(&node, me, how, &sum) ? node.skip : k + 1;
    }
    pulls[i] = sum;
}

YOKE_GROUP_KERNEL(barnes_hut_together, i, BARNES_HUT_LANES, BARNES_HUT_LANES,
                  YOKE_VALUE(int32_t, node_count), YOKE_VALUE(forces_t, how),
                  YOKE_IN(body_t, bodies), YOKE_IN(node_t, nodes), YOKE_OUT(pull_t, pulls),
                  BARNES_HUT_TOGETHER_OWN)
{
    BARNES_HUT_TOGETHER(, , , )
}
