#ifndef FIRST_JOB_KERNELS_H
#define FIRST_JOB_KERNELS_H
#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel k_points, k_area, k_bins;
#endif
#endif
