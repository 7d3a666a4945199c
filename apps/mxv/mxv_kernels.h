/* mxv_kernels.h - y = p(A) v, a matrix's rows times a vector, with extra work per element.
 *
 * p(a) starts as a and takes flops / 2 Horner steps p a + 1/4 of two operations each: 0 gives the
 * plain product. With |a| < 1/2 it stays below 1.
 */
#ifndef YOKE_APPS_MXV_KERNELS_H
#define YOKE_APPS_MXV_KERNELS_H

#include <yoke/kernel.h>

#define MXV_TERM 0.25f
#define MXV_BASE 1021 /* rows that are stored; the matrix repeats them */

#ifndef YOKE_FLATTEN
extern const yoke_kernel mxv, mxv_fill;
#endif
#endif
