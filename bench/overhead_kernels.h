/* overhead_kernels.h - a kernel as short or as long as one wants. */
#ifndef YOKE_BENCH_OVERHEAD_KERNELS_H
#define YOKE_BENCH_OVERHEAD_KERNELS_H

#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel burn;
#endif
#endif
