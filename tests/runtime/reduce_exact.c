/* reduce_exact.c - a sum of products; the compiler must not fuse multiply and add. */
#include <yoke/kernel.h>

YOKE_KERNEL(k_reduce_products, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum))
{
    yoke_reduce(sum, x[i] * x[i]);
}
