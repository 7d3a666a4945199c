/* gather_kernels.c - kernels of test_cuda_gather.c: sums in one, two and three dimensions, and sums
 * that each thread keeps. */
#include <yoke/kernel.h>

YOKE_KERNEL(g_bins, i, YOKE_VALUE(int64_t, step), YOKE_VALUE(int64_t, bins), YOKE_IN(int32_t, x),
            YOKE_ADD(int32_t, counts), YOKE_ADD(double, weights))
{
    const int64_t bin = i * step % bins;
    yoke_add(&counts[bin], x[i]);
    yoke_add(&weights[bin], 0.5);
}

YOKE_KERNEL2(g_plane, i, j, YOKE_ADD(uint64_t, rows), YOKE_ADD(float, columns))
{
    yoke_add(&rows[i], (uint64_t)j);
    yoke_add(&columns[j], 1.0f);
}

YOKE_KERNEL3(g_space, i, j, k, YOKE_ADD(int64_t, layers), YOKE_ADD(uint32_t, lines))
{
    yoke_add(&layers[k], i - j);
    yoke_add(&lines[j], 1u);
}

YOKE_KERNEL(g_moments, i, YOKE_IN(int32_t, x), YOKE_ADD(int64_t, sums))
{
    yoke_add(&sums[0], (int64_t)x[i]);
    yoke_add(&sums[1], (int64_t)x[i] * x[i]);
    if (x[i] < 0) /* never */
        yoke_add(&sums[9], (int64_t)1);
}

YOKE_KERNEL2(g_products, i, j, YOKE_IN(int32_t, x), YOKE_ADD(int32_t, products),
             YOKE_ADD(uint32_t, bins))
{
    const int32_t row[3] = { x[i], (int32_t)j, 1 };
    for (int p = 0; p < 3; p++)
        for (int q = 0; q <= p; q++)
            yoke_add(&products[p * 3 + q], row[p] * row[q]);
    yoke_add(&bins[(i + j) % 5], 1u);
}
