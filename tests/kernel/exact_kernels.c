/* exact_kernels.c - results that have the same bits on every device: arithmetic of a file that is
 * built EXACT, bits of numbers, 64-bit sums; exact_cases.c runs and checks them. */
#include <yoke/kernel.h>

#include "shapes.h"

/* If fused, the difference is the rounding error of the product; otherwise it is 0. */
YOKE_KERNEL(exact, i, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_OUT(int32_t, bits))
{
    const float v = x[i];
    YOKE_GLOBAL float *row = y + i * 3;
    const float product = v * v;
    row[0] = v * v - product;
    row[1] = v * (1.0f - v) + (v * v - 0.3f * v);
    row[2] = yoke_int_as_float(yoke_float_as_int(v) + 1);
    bits[i] = yoke_float_as_int(-v);
}

/* Through local memory and into memory; about every second term wraps the lower half of a sum,
 * upwards and downwards. */
YOKE_GROUP_KERNEL(wide_sums, i, 32, 256, YOKE_IN(int64_t, x), YOKE_ADD(int64_t, sums),
                  YOKE_ADD(uint64_t, more), YOKE_LOCAL(int64_t, near, BINS),
                  YOKE_LOCAL(uint64_t, near_more, BINS))
{
    YOKE_LANES(l)
    {
        for (int b = l; b < BINS; b += 32) {
            near[b] = 0;
            near_more[b] = 0;
        }
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        for (int k = l; k < YOKE_COUNT; k += 32) {
            yoke_add(&near[(i + k) % BINS], x[i + k]);
            yoke_add(&near_more[(i + k) % BINS], (uint64_t)x[i + k]);
            yoke_add(&sums[(i + 2 * k) % BINS], x[i + k]);
        }
    }
    YOKE_BARRIER;
    YOKE_LANES(l)
    {
        for (int b = l; b < BINS; b += 32) {
            yoke_add(&sums[b], near[b]);
            yoke_add(&more[b], near_more[b]);
        }
    }
}
