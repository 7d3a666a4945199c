/* overhead_kernels.h - a kernel of any length. */
#ifndef YOKE_BENCH_OVERHEAD_KERNELS_H
#define YOKE_BENCH_OVERHEAD_KERNELS_H

#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel burn;
#endif
#endif
