/* wood_kernels.c - step kernels that walk random woods (wood_kernels.h): items of three sizes, that
 * emit from one to the most there may be. */
#include "wood_kernels.h"

#define WOOD_KERNEL(name, layout, at_most, ages_there_are)                                         \
    YOKE_STEP_KERNEL(name, layout##_t, x, i, at_most, ages_there_are, YOKE_VALUE(wood_t, wood),    \
                     YOKE_ADD(uint64_t, bins), YOKE_ADD(uint64_t, ages))                           \
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

WOOD_KERNEL(k_wood_1, small, 1, 1500)
WOOD_KERNEL(k_wood_2, plain, 2, 64)
WOOD_KERNEL(k_wood_3, large, 3, 40)
WOOD_KERNEL(k_wood_8, small, 8, 24)
WOOD_KERNEL(k_wood_64, plain, 64, 12)
WOOD_KERNEL(k_wood_256, small, 256, 8)
WOOD_KERNEL(k_wood_256_large, large, 256, 4)
