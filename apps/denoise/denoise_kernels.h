/* denoise_kernels.h - the kernels of a step (denoise_kernels.c). */
#ifndef YOKE_APPS_DENOISE_KERNELS_H
#define YOKE_APPS_DENOISE_KERNELS_H

#include <yoke/kernel_type.h>

extern const yoke_kernel denoise_tensor, denoise_step;

#endif
