/* mm_kernels.h - C = A B by rows of C, in yoke's own text: what devices do where no library for
 * matrices is found.
 */
#ifndef YOKE_APPS_MM_KERNELS_H
#define YOKE_APPS_MM_KERNELS_H

#include <yoke/kernel.h>

enum { MM_ROWS = 16, MM_LANES = 128, MM_DEPTH = 32 };

#ifndef YOKE_FLATTEN
/* Values inner, columns, from_column and to_column (int64_t; those columns of B and C, which have
 * `columns` in memory), arrays A by rows, B whole, C by rows. */
extern const yoke_kernel mm_double, mm_single;
#endif
#endif
