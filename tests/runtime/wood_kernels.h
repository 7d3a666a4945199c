/* wood_kernels.h - random woods for step kernels: shared by the kernels and the program that counts
 * again.
 *
 * A wood has a tree for each index of a range. An item's key determines what it emits: nothing, or
 * 1 to `most` items. Handling an item adds 1 and its mark, a hash of all its bytes, to the tally of
 * its index and to that of its generation. So an item that is lost, done twice or changed on its
 * way through a queue is found. */
#ifndef WOOD_KERNELS_H
#define WOOD_KERNELS_H

#include "step_kernels.h"

typedef struct wood {
    uint64_t seed;
    uint64_t odd_key;    /* with odd_age: identifies the item that emits more than declared */
    int64_t first;       /* index of the range */
    uint32_t bins, ages; /* sizes of the tallies by index (modulo `bins`) and by generation */
    uint32_t often;      /* fraction of items that emit, in 1 / 65536 */
    uint32_t most, depth, odd_age; /* depth: number of generations that may emit */
} wood_t;

/* The fields that every layout stores. */
typedef struct leaf {
    uint64_t key;
    uint32_t bin, age;
} leaf_t;

/* Layouts: small, plain, and large with padding. NAME_of makes an item, NAME_read reads it,
 * NAME_spare is a sum over the bytes that NAME_read does not see. */
typedef struct small {
    uint16_t key, bin, age;
} small_t;
typedef struct plain {
    uint64_t key, twin;
    uint32_t bin, age;
} plain_t;
enum { WOOD_FILLING = 12 };
typedef struct YOKE_ALIGN(16) large {
    uint64_t key;
    uint32_t bin, age;
    uint64_t filling[WOOD_FILLING];
} large_t;

YOKE_FN small_t small_of(leaf_t leaf)
{
    small_t item;
    item.key = (uint16_t)leaf.key;
    item.bin = (uint16_t)leaf.bin;
    item.age = (uint16_t)leaf.age;
    return item;
}

YOKE_FN leaf_t small_read(small_t item)
{
    leaf_t leaf;
    leaf.key = item.key;
    leaf.bin = item.bin;
    leaf.age = item.age;
    return leaf;
}

YOKE_FN uint64_t small_spare(small_t item)
{
    (void)item;
    return 0;
}

YOKE_FN plain_t plain_of(leaf_t leaf)
{
    plain_t item;
    item.key = leaf.key;
    item.twin = ~leaf.key;
    item.bin = leaf.bin;
    item.age = leaf.age;
    return item;
}

YOKE_FN leaf_t plain_read(plain_t item)
{
    leaf_t leaf;
    leaf.key = item.key;
    leaf.bin = item.bin;
    leaf.age = item.age;
    return leaf;
}

YOKE_FN uint64_t plain_spare(plain_t item)
{
    return item.twin;
}

YOKE_FN large_t large_of(leaf_t leaf)
{
    large_t item;
    item.key = leaf.key;
    item.bin = leaf.bin;
    item.age = leaf.age;
    for (int k = 0; k < WOOD_FILLING; ++k)
        item.filling[k] = leaf.key * (uint64_t)(2 * k + 3);
    return item;
}

YOKE_FN leaf_t large_read(large_t item)
{
    leaf_t leaf;
    leaf.key = item.key;
    leaf.bin = item.bin;
    leaf.age = item.age;
    return leaf;
}

YOKE_FN uint64_t large_spare(large_t item)
{
    uint64_t spare = 0;
    for (int k = 0; k < WOOD_FILLING; ++k)
        spare = spare * 31 + item.filling[k];
    return spare;
}

/* The whole item in 64 bits. */
YOKE_FN uint64_t wood_hash(leaf_t leaf)
{
    return step_hash(leaf.key + ((uint64_t)leaf.bin << 40) + ((uint64_t)leaf.age << 20));
}

YOKE_FN leaf_t wood_root(wood_t wood, int64_t i)
{
    leaf_t root;
    root.key = step_hash(wood.seed + (uint64_t)i);
    root.bin = (uint32_t)((uint64_t)(i - wood.first) % wood.bins);
    root.age = 0;
    return root;
}

YOKE_FN uint32_t wood_children(wood_t wood, leaf_t leaf)
{
    const uint64_t drawn = step_hash(~wood_hash(leaf));
    if (leaf.key == wood.odd_key && leaf.age == wood.odd_age)
        return wood.most + 1;
    if (leaf.age >= wood.depth || (drawn & 65535) >= wood.often)
        return 0;
    return 1 + (uint32_t)((drawn >> 20) % wood.most);
}

YOKE_FN leaf_t wood_child(leaf_t leaf, uint32_t number)
{
    leaf_t child;
    child.key = step_hash(wood_hash(leaf) + number);
    child.bin = leaf.bin;
    child.age = leaf.age + 1;
    return child;
}

/* Its place in a tally; an invalid item must get a valid place too. */
YOKE_FN int64_t wood_place(uint32_t which, uint32_t places)
{
    return which < places ? which : 0;
}

/* The step kernel k_wood_MOST. Each has a file of its own (CMakeLists.txt), because some drivers
 * compile all kernels of a text when one is used. */
#define WOOD_KERNEL(at_most, layout, ages_there_are)                                               \
    YOKE_STEP_KERNEL(k_wood_##at_most, layout##_t, x, i, at_most, ages_there_are,                  \
                     YOKE_VALUE(wood_t, wood), YOKE_ADD(uint64_t, bins), YOKE_ADD(uint64_t, ages)) \
    {                                                                                              \
        YOKE_SEED                                                                                  \
        {                                                                                          \
            x = layout##_of(wood_root(wood, i));                                                   \
        }                                                                                          \
        const leaf_t leaf = layout##_read(x);                                                      \
        const uint64_t mark = wood_hash(leaf) + layout##_spare(x);                                 \
        const int64_t bin = wood_place(leaf.bin, wood.bins);                                       \
        const int64_t age = wood_place(leaf.age, wood.ages);                                       \
        yoke_add(&bins[2 * bin], (uint64_t)1);                                                     \
        yoke_add(&bins[2 * bin + 1], mark);                                                        \
        yoke_add(&ages[2 * age], (uint64_t)1);                                                     \
        yoke_add(&ages[2 * age + 1], mark);                                                        \
        const uint32_t children = wood_children(wood, leaf);                                       \
        for (uint32_t c = 0; c < children; ++c)                                                    \
            YOKE_EMIT(layout##_of(wood_child(leaf, c)));                                           \
    }

#endif
