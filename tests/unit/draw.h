/* draw.h - random numbers of tests: the same on every machine, and set by `draw_seed`. */
#ifndef TESTS_UNIT_DRAW_H
#define TESTS_UNIT_DRAW_H

#include <math.h>

#include "machine/random.h"

static uint64_t draw_seed;

static inline double draw_real(double least, double most)
{
    return least + (most - least) * yk_random_next(&draw_seed);
}

static inline int draw_whole(int least, int most)
{
    return least + (int)(yk_random_next(&draw_seed) * (most - least + 1));
}

/* A factor from 1 / most to most. */
static inline double draw_factor(double most)
{
    return exp(draw_real(-log(most), log(most)));
}

static inline int draw_once_in(int times)
{
    return draw_whole(1, times) == 1;
}

#endif
