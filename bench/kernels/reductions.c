/* reductions.c - loops with one result, by yoke. Each is compared with what users write instead:
 * OpenMP's reduction clause, CUB's DeviceReduce (openmp.c, cuda.cu).
 */
#include <yoke/kernel.h>

YOKE_KERNEL(dot_reduce, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_REDUCE(SUM, double, sum))
{
    yoke_reduce(sum, (double)x[i] * y[i]);
}

YOKE_KERNEL(reduce_sum, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum))
{
    yoke_reduce(sum, x[i]);
}

YOKE_KERNEL(reduce_max, i, YOKE_IN(float, x), YOKE_REDUCE(MAX, float, largest))
{
    yoke_reduce(largest, x[i]);
}

YOKE_KERNEL(reduce_argmin, i, YOKE_IN(float, x), YOKE_REDUCE(MIN_AT, float, least))
{
    yoke_reduce_at(least, x[i], i);
}
