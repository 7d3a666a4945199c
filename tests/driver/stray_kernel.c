/* stray_kernel.c - a kernel that is correct on every device except CUDA's, where indexes from
 * `from` on write 4 TB beyond their array. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_stray, i, YOKE_VALUE(int64_t, from), YOKE_IN(uint32_t, x), YOKE_OUT(uint32_t, y))
{
    const int strays = i >= from;
#if defined(YOKE_FLATTEN) && defined(YOKE_CUDA)
    if (strays)
        y[i + ((int64_t)1 << 40)] = 1;
#else
    (void)strays;
#endif
    y[i] = 2 * x[i] + 1;
}
