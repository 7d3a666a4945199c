#ifndef STORM_KERNELS_H
#define STORM_KERNELS_H
#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel s_make, s_copy, s_mix, s_halo, s_whole, s_add, s_pairs;
#endif
#endif
