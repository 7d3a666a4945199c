/* random.h - PURE. Random numbers that for a seed are the same on every machine (splitmix64). */
#ifndef YK_MACHINE_RANDOM_H
#define YK_MACHINE_RANDOM_H

#include <stdint.h>

/* Evenly distributed in [0, 1). */
static inline double yk_random_next(uint64_t *state)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((word ^ word >> 31) >> 11) * 0x1p-53;
}

#endif
