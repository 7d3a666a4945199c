/* step_kernels.c - step kernels for tests: trees drawn by hashes, chains that write rows, and some
 * that do not keep what they declare. */
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

YOKE_STEP_KERNEL(k_greedy, int32_t, x, i, 2, 10, YOKE_VALUE(int64_t, which), YOKE_ADD(int32_t, sum))
{
    yoke_add(&sum[0], 1);
    YOKE_SEED
    {
        for (int k = 0; i == which && k < 3; ++k)
            YOKE_EMIT(x + k);
    }
}

YOKE_STEP_KERNEL(k_endless, int32_t, x, i, 1, 300, YOKE_ADD(int32_t, sum))
{
    yoke_add(&sum[0], 1);
    YOKE_EMIT(x + 1);
}

YOKE_STEP_KERNEL(k_flood, node_t, x, i, 4, 200, YOKE_ADD(int32_t, sum))
{
    yoke_add(&sum[0], 1);
    for (int k = 0; k < 4; ++k)
        YOKE_EMIT(step_child(x, k));
}

/* The smallest item. */
YOKE_STEP_KERNEL(k_byte, uint8_t, x, i, 1, 256, YOKE_ADD(int32_t, sum))
{
    YOKE_SEED
    {
        x = (uint8_t)(i % 7);
    }
    yoke_add(&sum[x], 1);
    if (x > 0)
        YOKE_EMIT((uint8_t)(x - 1));
}

/* Aligned, wide, and with many children at once. */
typedef struct YOKE_ALIGN(16) wide {
    double place[3];
    uint64_t key;
    float weight[4];
} wide_t;

YOKE_STEP_KERNEL(k_wide, wide_t, w, i, 32, 3, YOKE_ADD(uint64_t, sum))
{
    YOKE_SEED
    {
        w.key = (uint64_t)i;
        w.place[0] = (double)i;
        w.weight[3] = 3;
    }
    if (w.place[0] == (double)w.key && w.weight[3] > 0)
        yoke_add(&sum[0], w.key);
    if (w.weight[3] == 1)
        return;
    w.weight[3] -= 1;
    for (int k = 0; k < 32; ++k) {
        w.key += 1;
        w.place[0] += 1;
        YOKE_EMIT(w);
    }
}

/* Without an end that a device has memory for, unless it is told how few wait. */
typedef struct tine {
    int32_t left, of_tooth;
} tine_t;

YOKE_STEP_KERNEL(k_comb, tine_t, t, i, 2, 4294967295u, YOKE_VALUE(comb_t, comb),
                 YOKE_ADD(int64_t, counts))
{
    YOKE_SEED
    {
        t.left = comb.length;
    }
    yoke_add(&counts[t.of_tooth], (int64_t)1);
    --t.left;
    if (!t.of_tooth && !comb.spine_first)
        YOKE_EMIT(YOKE_INIT(tine_t, comb.tooth, 1));
    if (t.left > 0)
        YOKE_EMIT(t);
    if (!t.of_tooth && comb.spine_first)
        YOKE_EMIT(YOKE_INIT(tine_t, comb.tooth, 1));
}
