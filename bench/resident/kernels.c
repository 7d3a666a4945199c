/* kernels.c - what solvers do repeatedly to rows that stay on devices. */
#include <yoke/kernel.h>

YOKE_KERNEL(axpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

YOKE_KERNEL(smooth, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, u), YOKE_OUT(float, w))
{
    w[i] = i == 0 || i == n - 1 ? u[i] : 0.25f * u[i - 1] + 0.5f * u[i] + 0.25f * u[i + 1];
}

YOKE_KERNEL(scale, i, YOKE_VALUE(float, a), YOKE_IN(float, w), YOKE_OUT(float, u))
{
    u[i] = a * w[i];
}

/* The next direction of conjugate gradients. */
YOKE_KERNEL(aim, i, YOKE_VALUE(float, b), YOKE_IN(float, r), YOKE_INOUT(float, u))
{
    u[i] = r[i] + b * u[i];
}

YOKE_KERNEL(dot, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_REDUCE(SUM, double, sum))
{
    yoke_reduce(sum, (double)x[i] * y[i]);
}

/* y = M x, for rows of a CSR matrix; x is whole. */
YOKE_KERNEL(multiply, i, YOKE_IN(int64_t, start), YOKE_IN(int32_t, column), YOKE_IN(float, value),
            YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float sum = 0;
    for (int64_t k = start[i]; k < start[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}
