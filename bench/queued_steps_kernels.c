/* queued_steps_kernels.c - see queued_steps.c. */
#include <yoke/kernel.h>

YOKE_KERNEL(add_half, i, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] += x[i] / 2;
}

YOKE_KERNEL(take_half, i, YOKE_IN(float, y), YOKE_OUT(float, x))
{
    x[i] = 1 - y[i] / 2;
}
