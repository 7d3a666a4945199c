/* gather_kernels.c - kernels of test_cuda_gather.c: sums in one, two and three dimensions. */
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
