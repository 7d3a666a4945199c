/* step_kernels.h - shared by the step kernels and the program that checks them. */
#ifndef STEP_KERNELS_H
#define STEP_KERNELS_H

#include <yoke/kernel_step.h>

/* Trees: a hash of a node's key gives it 0 to `most` children, down to a maximum depth. */
typedef struct tree {
    uint64_t seed;
    int32_t most, depth;
} tree_t;
typedef struct node {
    uint64_t key;
    int32_t depth, number; /* within its generation; among its siblings */
} node_t;

/* Tallies: for each bin, the number of keys and their sum. */
#define STEP_BINS        4096
#define STEP_MOST        5
#define STEP_GENERATIONS 40

YOKE_FN uint64_t step_hash(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ul;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ul;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBul;
    return x ^ (x >> 31);
}

YOKE_FN node_t step_root(tree_t tree, int64_t i)
{
    node_t root;
    root.key = step_hash(tree.seed + (uint64_t)i);
    root.depth = root.number = 0;
    return root;
}

YOKE_FN int step_children(tree_t tree, node_t node)
{
    return node.depth < tree.depth ? (int)((step_hash(~node.key) >> 8) % (uint64_t)(tree.most + 1))
                                   : 0;
}

YOKE_FN node_t step_child(node_t node, int number)
{
    node_t child;
    child.key = step_hash(node.key * 8 + (uint64_t)number);
    child.depth = node.depth + 1;
    child.number = number;
    return child;
}

/* Combs: a spine of `length` items, each with a tooth, which is a chain of other items. */
typedef struct comb {
    int32_t length, tooth;
    int32_t spine_first; /* 1: each spine item emits the next spine item before its tooth */
} comb_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel k_comb, k_tree, k_chain, k_greedy, k_endless, k_flood, k_byte, k_wide,
    k_folds, k_step_folds;
#endif

#endif
