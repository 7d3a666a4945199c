/* 12-cpp_kernels.c - the kernels of 12-cpp.cpp: kernels are always written in C. */
#include <yoke/kernel.h>

YOKE_KERNEL(longest, i, YOKE_IN(float, x), YOKE_REDUCE(MAX_AT, float, at))
{
    yoke_reduce_at(at, x[i], i);
}

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}
