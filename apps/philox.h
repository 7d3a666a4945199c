/* philox.h - random numbers without a state, on every device: Philox4x32-10 (Salmon, Moraes, Dror
 * and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). 128 bits are a function of a
 * counter and a key, equal everywhere, so the numbers do not depend on the device that draws them.
 * random.h is for inputs, on the host.
 */
#ifndef YOKE_APPS_PHILOX_H
#define YOKE_APPS_PHILOX_H

#include <yoke/kernel.h>

typedef struct YOKE_ALIGN(16) philox {
    uint32_t a, b, c, d;
} philox_t;

YOKE_FN philox_t philox_round(philox_t x, uint32_t key_low, uint32_t key_high)
{
    const uint64_t left = (uint64_t)0xd2511f53u * x.a, right = (uint64_t)0xcd9e8d57u * x.c;
    return YOKE_INIT(philox_t, (uint32_t)(right >> 32) ^ x.b ^ key_low, (uint32_t)right,
                     (uint32_t)(left >> 32) ^ x.d ^ key_high, (uint32_t)left);
}

YOKE_FN philox_t philox(philox_t counter, uint32_t key_low, uint32_t key_high)
{
    YOKE_UNROLL(10)
    for (int k = 0; k < 10; k++) {
        counter = philox_round(counter, key_low, key_high);
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return counter;
}

#endif
