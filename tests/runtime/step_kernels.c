/* step_kernels.c - step kernels for tests: trees drawn by hashes, and chains that write rows.
 * Others have texts of their own: some drivers compile all kernels of a text when one is used. */
#include "step_kernels.h"

YOKE_STEP_KERNEL(k_tree, node_t, node, i, STEP_MOST, STEP_GENERATIONS, YOKE_VALUE(tree_t, tree),
                 YOKE_ADD(uint64_t, counts), YOKE_ADD(uint64_t, sums))
{
    YOKE_SEED
    {
        node = step_root(tree, i);
    }
    const int64_t bin = (int64_t)(node.key % STEP_BINS);
    yoke_add(&counts[bin], (uint64_t)1);
    yoke_add(&sums[bin], node.key);
    const int children = step_children(tree, node);
    for (int c = 0; c < children; ++c)
        YOKE_EMIT(step_child(node, c));
}

/* Item i goes on i % 50 times; its row has them all in the end. */
typedef struct chain {
    int64_t row;
    int32_t left, pad;
} chain_t;

YOKE_STEP_KERNEL(k_chain, chain_t, c, i, 1, 50, YOKE_IN(int32_t, add), YOKE_INOUT(int32_t, y))
{
    YOKE_SEED
    {
        c.row = i;
        c.left = (int32_t)(i % 50);
    }
    y[c.row] += add[c.row];
    if (--c.left < 0)
        return;
    YOKE_EMIT(c);
}
