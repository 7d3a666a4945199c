/* fold_kernels.h - see fold_kernels.c: the fold of 4-byte and 8-byte numbers. */
#ifndef YK_JOB_FOLD_KERNELS_H
#define YK_JOB_FOLD_KERNELS_H

#include <yoke/kernel.h>

#ifndef YOKE_FLATTEN
extern const yoke_kernel yk_fold_float, yk_fold_double, yk_fold_32, yk_fold_64;
#endif
#endif
