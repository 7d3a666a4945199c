#include <yoke/kernel.h>

YOKE_KERNEL(job_cost_saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

/* Work for cores, with hardly any memory traffic. */
YOKE_KERNEL(job_cost_work, i, YOKE_VALUE(int32_t, rounds), YOKE_INOUT(float, y))
{
    float x = y[i];
    for (int32_t k = 0; k < rounds; k++)
        x = x * 0.999f + 0.001f;
    y[i] = x;
}
