/* spread_kernels.h - see spread_kernels.c. */
#ifndef SPREAD_KERNELS_H
#define SPREAD_KERNELS_H

#include <yoke/kernel.h>

typedef struct extent {
    float low, sum;
} extent_t;

#ifndef YOKE_FLATTEN
extern const yoke_kernel s_once, s_integers, s_several, s_registers;
#endif
#endif
