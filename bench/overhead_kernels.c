/* overhead_kernels.c - `rounds` dependent steps per element; 0 rounds are a copy. */
#include "overhead_kernels.h"

YOKE_KERNEL(burn, i, YOKE_VALUE(int32_t, rounds), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float value = x[i];
    for (int32_t r = 0; r < rounds; ++r)
        value = value * 0.9999f + 0.25f;
    y[i] = value;
}
