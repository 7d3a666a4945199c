/* alternative_kernels.h - two kernels that compute the same result. */
#ifndef ALTERNATIVE_KERNELS_H
#define ALTERNATIVE_KERNELS_H

#include <yoke/kernel_step.h>

#define ALTERNATIVE_MOST 15 /* largest number of rounds of an item */

YOKE_FN int alternative_rounds(uint32_t x, int32_t most)
{
    return (int)(x % (uint32_t)(most + 1));
}
YOKE_FN uint32_t alternative_round(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x;
}

#ifndef YOKE_FLATTEN
/* y[i] = x[i] after its rounds; sum[0] counts the rounds. A plain kernel, and a step kernel with
 * one round per step. */
extern const yoke_kernel k_at_once, k_by_steps;
#endif

#endif
