/* step_wrong_kernels.c - step kernels that violate their declaration. */
#include "step_kernels.h"

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
