/* pipeline_kernels.c - kernels whose results show if one began too early: in place, with
 * neighbours, on rows of any other item, a sum, and counts. */
#include "pipeline_kernels.h"

YOKE_KERNEL(q_add, i, YOKE_VALUE(uint32_t, a), YOKE_IN(uint32_t, x), YOKE_INOUT(uint32_t, y))
{
    y[i] = y[i] * a + x[i];
}

YOKE_KERNEL(q_near, i, YOKE_VALUE(int64_t, n), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y))
{
    y[i] = 3 * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? 5 * x[i + 1] : 0);
}

YOKE_KERNEL(q_far, i, YOKE_VALUE(int64_t, n), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y))
{
    y[i] = x[(7 * i + 1) % n] + 1;
}

YOKE_KERNEL(q_sum, i, YOKE_IN(uint32_t, x), YOKE_REDUCE(SUM, int64_t, total))
{
    yoke_reduce(total, (int64_t)x[i]);
}

YOKE_KERNEL(q_count, i, YOKE_IN(uint32_t, x), YOKE_ADD(int64_t, counts))
{
    yoke_add(&counts[x[i] % COUNTS], 1);
}
