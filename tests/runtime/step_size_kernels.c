/* step_size_kernels.c - step kernels with small and with wide items. */
#include "step_kernels.h"

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

/* More generations than a device has memory for, unless a bound on waiting items is declared. */
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
