/* strip_kernels.c - a kernel whose rows a test makes slow on cores. */
#include <yoke/kernel.h>

YOKE_KERNEL2(twice, i, j, YOKE_IN(float, a), YOKE_OUT(float, b))
{
    const int64_t m = YOKE_SIZE2;
    b[i * m + j] = 2 * a[i * m + j];
}

YOKE_KERNEL2(twice_in_place, i, j, YOKE_INOUT(float, a))
{
    const int64_t m = YOKE_SIZE2;
    a[i * m + j] = 2 * a[i * m + j];
}
