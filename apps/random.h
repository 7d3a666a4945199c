/* random.h - random numbers without a state: value = hash(seed, index).
 *
 * Any part of an input can be made, or checked, by itself and in any order, by any thread; a seed
 * gives the same numbers everywhere. An application gives each draw an index of its own.
 */
#ifndef YOKE_APPS_RANDOM_H
#define YOKE_APPS_RANDOM_H

#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t index);
/* A uniform number in [0, 1), a multiple of 2^-53. */
double random_uniform(uint64_t seed, uint64_t index);
/* A Gaussian number of mean 0 and variance 1. */
double random_gaussian(uint64_t seed, uint64_t index);

#endif
