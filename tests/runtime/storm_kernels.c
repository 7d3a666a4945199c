/* storm_kernels.c - every way in which a kernel can access rows, in arithmetic that wraps: a row
 * that was computed twice, not at all or from the wrong version differs. storm_job.c computes the
 * same by hand. */
#include "storm_kernels.h"

YOKE_KERNEL(s_make, i, YOKE_VALUE(uint32_t, a), YOKE_OUT(uint32_t, y))
{
    y[i] = a * (uint32_t)i + 7;
}

YOKE_KERNEL(s_copy, i, YOKE_VALUE(uint32_t, a), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y))
{
    y[i] = x[i] * 5 + a;
}

YOKE_KERNEL(s_mix, i, YOKE_VALUE(uint32_t, a), YOKE_IN(uint32_t, x), YOKE_INOUT(uint32_t, y))
{
    y[i] = y[i] * 3 + x[i] * a + 1;
}

/* Row i - 1, if it exists, and row i + 2. */
YOKE_KERNEL(s_halo, i, YOKE_VALUE(int64_t, rows), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y))
{
    uint32_t s = x[i];
    if (i >= 1)
        s += 3 * x[i - 1];
    if (i + 2 < rows)
        s += 5 * x[i + 2];
    y[i] = s;
}

YOKE_KERNEL(s_whole, i, YOKE_VALUE(int64_t, rows), YOKE_IN(uint32_t, x), YOKE_INOUT(uint32_t, y))
{
    y[i] = y[i] * 3 + x[(i * 7 + 1) % rows];
}

YOKE_KERNEL(s_add, i, YOKE_VALUE(int64_t, rows), YOKE_IN(uint32_t, x), YOKE_ADD(uint32_t, y))
{
    yoke_add(&y[(i * 7 + 1) % rows], x[i] + 1);
}

/* Index i has two rows of each array. */
YOKE_KERNEL(s_pairs, i, YOKE_VALUE(uint32_t, a), YOKE_IN(uint32_t, x), YOKE_INOUT(uint32_t, y))
{
    const uint32_t was = y[2 * i];
    y[2 * i] = y[2 * i + 1] + x[2 * i] * a;
    y[2 * i + 1] = was * 3 + x[2 * i + 1];
}
