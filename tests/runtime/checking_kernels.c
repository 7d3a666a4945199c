/* checking_kernels.c - see checking_kernels.h. */
#include "checking_kernels.h"

YOKE_KERNEL(c_gather, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    YOKE_GLOBAL const float *from = x + index[i];
    y[i] = from[0];
}

YOKE_KERNEL(c_neighbours, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    YOKE_GLOBAL const float *here = x + i;
    const float left = i > 0 ? here[-1] : 0, right = i < n - 1 ? here[1] : 0;
    y[i] = left + here[0] + right;
}

/* Row i of a matrix; its non-zeros are begin[i] .. begin[i + 1] - 1. */
YOKE_KERNEL(c_segment, i, YOKE_IN(int32_t, begin), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float sum = 0;
    for (int32_t k = begin[i]; k < begin[i + 1]; ++k)
        sum += x[k];
    y[i] = sum;
}

YOKE_KERNEL(c_scatter, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    YOKE_GLOBAL float *to = y + index[i];
    to[0] += x[i];
}

YOKE_KERNEL2(c_half, i, j, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    if (j < YOKE_SIZE2 / 2)
        y[i * YOKE_SIZE2 + j] = x[i * YOKE_SIZE2 + j];
}

YOKE_KERNEL(c_early, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] += x[i];
}

YOKE_KERNEL(c_cast, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    YOKE_GLOBAL float *own = (YOKE_GLOBAL float *)x;
    own[i] += 1;
    y[i] = x[i];
}

YOKE_KERNEL(c_beyond, i, YOKE_VALUE(int64_t, far), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    YOKE_GLOBAL float *to = y + (i == 20 ? far : i);
    to[0] = x[i];
}

YOKE_KERNEL(c_divide, i, YOKE_IN(int32_t, x), YOKE_OUT(int32_t, y))
{
    y[i] = 1000 / x[i];
}

YOKE_KERNEL(c_right, i, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = 2 * x[i] + y[i];
}

YOKE_KERNEL(c_sum, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    yoke_add(&s[i & 3], x[i]);
}

YOKE_KERNEL(c_peek, i, YOKE_VALUE(int64_t, at), YOKE_VALUE(int64_t, far), YOKE_IN(float, x),
            YOKE_OUT(float, y))
{
    YOKE_GLOBAL const volatile float *from = x + (i == at ? far : i);
    const float unused = from[0];
    (void)unused;
    y[i] = 1;
}
