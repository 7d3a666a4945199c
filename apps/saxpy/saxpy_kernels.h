/* saxpy_kernels.h - y = a x + y. */
#ifndef YOKE_APPS_SAXPY_KERNELS_H
#define YOKE_APPS_SAXPY_KERNELS_H

#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel saxpy;
#endif
#endif
