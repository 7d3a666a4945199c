/* random.c - SplitMix64 (Steele, Lea and Flood 2014) at any index: start + (index + 1) * an odd
 * constant, mixed by a bijective function. The start is the mixed seed, so that sequences of
 * neighbouring seeds are far apart. Within a seed no value occurs twice.
 */
#include "random.h"

#include <math.h>

/* David Stafford's "Mix13": every input bit flips each output bit about half the time. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t random_bits(uint64_t seed, uint64_t index)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio, odd */
    return mix(mix(seed + golden) + (index + 1) * golden);
}

double random_uniform(uint64_t seed, uint64_t index)
{
    return (double)(random_bits(seed, index) >> 11) * 0x1p-53;
}

/* Box and Muller: radius from one half of the bits, angle from the other. The radius' uniform is
 * in (0, 1], a multiple of 2^-32, so values end at 6.7 sigma. */
double random_gaussian(uint64_t seed, uint64_t index)
{
    const uint64_t bits = random_bits(seed, index);
    const double u = (double)((bits >> 32) + 1) * 0x1p-32;
    const double turn = (double)(bits & 0xffffffffu) * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * turn);
}
