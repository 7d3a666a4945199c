#ifndef PIPELINE_KERNELS_H
#define PIPELINE_KERNELS_H
#include <yoke/kernel.h>

enum { COUNTS = 7 };

#ifndef YOKE_FLATTEN
extern const yoke_kernel q_add, q_near, q_far, q_sum, q_count;
#endif
#endif
