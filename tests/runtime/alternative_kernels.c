/* alternative_kernels.c - see alternative_kernels.h. */
#include "alternative_kernels.h"

YOKE_KERNEL(k_at_once, i, YOKE_VALUE(int32_t, most), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y),
            YOKE_ADD(int64_t, sum))
{
    uint32_t z = x[i];
    const int rounds = alternative_rounds(z, most);
    for (int r = 0; r < rounds; ++r)
        z = alternative_round(z);
    y[i] = z;
    yoke_add(&sum[0], (int64_t)rounds);
}

typedef struct rest {
    int64_t row;
    uint32_t z;
    int32_t left;
} rest_t;

YOKE_STEP_KERNEL(k_by_steps, rest_t, item, i, 1, ALTERNATIVE_MOST + 1, YOKE_VALUE(int32_t, most),
                 YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y), YOKE_ADD(int64_t, sum))
{
    YOKE_SEED
    {
        item.row = i;
        item.z = x[i];
        item.left = alternative_rounds(x[i], most);
    }
    if (item.left == 0) {
        y[item.row] = item.z;
        return;
    }
    item.z = alternative_round(item.z);
    item.left -= 1;
    yoke_add(&sum[0], (int64_t)1);
    YOKE_EMIT(item);
}
