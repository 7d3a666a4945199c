/* plain_loops_kernels.c - the loops of plain_loops.c. */
#include <yoke/kernel.h>

YOKE_KERNEL(p_add, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] += a * x[i];
}

YOKE_KERNEL(p_sum, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, double, sum))
{
    yoke_reduce(sum, (double)x[i]);
}

YOKE_KERNEL(p_greatest, i, YOKE_IN(float, x), YOKE_REDUCE(MAX, float, most))
{
    yoke_reduce(most, x[i]);
}

YOKE_KERNEL(p_smooth, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = i == 0 || i == n - 1 ? x[i] : 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

YOKE_KERNEL(p_look_up, i, YOKE_IN(int32_t, at), YOKE_IN(float, table), YOKE_OUT(float, y))
{
    y[i] = table[at[i]];
}

YOKE_KERNEL(p_count, i, YOKE_IN(int32_t, at), YOKE_ADD(int64_t, bins))
{
    yoke_add(&bins[at[i] & 255], (int64_t)1);
}

YOKE_KERNEL(p_multiply, i, YOKE_VALUE(int64_t, columns), YOKE_IN(float, a), YOKE_IN(float, x),
            YOKE_OUT(float, y))
{
    float sum = 0;
    for (int64_t j = 0; j < columns; j++)
        sum += a[i * columns + j] * x[j];
    y[i] = sum;
}

YOKE_KERNEL(p_root, i, YOKE_VALUE(int32_t, rounds), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float v = x[i] + 1;
    for (int32_t r = 0; r < rounds; r++)
        v = 0.5f * (v + (x[i] + 1) / v);
    y[i] = v;
}
