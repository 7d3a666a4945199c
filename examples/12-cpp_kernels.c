/* 12-cpp_kernels.c - kernels are written in C, also for a C++ program. */
#include <yoke/kernel.h>

YOKE_KERNEL(longest, i, YOKE_IN(float, x), YOKE_REDUCE(MAX_AT, float, at))
{
    yoke_reduce_at(at, x[i], i);
}

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}
