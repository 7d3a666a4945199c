/* spread_kernels.c - kernels of test_cuda_spread.c. */
#include "spread_kernels.h"

YOKE_FN extent_t both(extent_t a, extent_t b)
{
    return YOKE_INIT(extent_t, a.low < b.low ? a.low : b.low, a.sum + b.sum);
}

/* An index gives at most one value to each result, after a loop or in a branch. */
YOKE_KERNEL(s_once, i, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_REDUCE(SUM, float, sum),
            YOKE_REDUCE(MAX_AT, float, high),
            YOKE_FOLD(both, YOKE_INIT(extent_t, INFINITY, 0), extent_t, all))
{
    float mine = 0;
    for (int k = 0; k < 3; k++)
        mine += x[i];
    y[i] = mine;
    yoke_reduce(sum, mine);
    if (x[i] > 0)
        yoke_reduce_at(high, x[i], i);
    else
        yoke_fold(all, both, YOKE_INIT(extent_t, x[i], x[i]));
}

/* Several values, whose order does not matter. */
YOKE_KERNEL(s_integers, i, YOKE_VALUE(int32_t, turns), YOKE_REDUCE(SUM, int64_t, sum),
            YOKE_REDUCE(XOR, uint32_t, bits))
{
    for (int k = 0; k < turns; k++)
        yoke_reduce(sum, i * k);
    yoke_reduce(bits, (uint32_t)i * 2654435761u);
    yoke_reduce(bits, (uint32_t)i);
}

/* The driver says that larger groups have too few registers. */
YOKE_KERNEL(s_registers, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum))
{
    yoke_reduce(sum, x[i]);
}

/* Several values, whose order matters. */
YOKE_KERNEL(s_several, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum))
{
    for (int k = 0; k < 3; k++)
        yoke_reduce(sum, x[i]);
}
