#include <yoke/kernel.h>

YOKE_KERNEL(job_cost_saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}
