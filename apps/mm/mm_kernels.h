/* mm_kernels.h - C = A B by rows of C, in yoke's own text: for devices without a matrix library.
 */
#ifndef YOKE_APPS_MM_KERNELS_H
#define YOKE_APPS_MM_KERNELS_H

#include <yoke/kernel.h>

enum { MM_ROWS = 16, MM_LANES = 128, MM_DEPTH = 32 };

#ifndef YOKE_FLATTEN
/* Values: inner, the row distances of B and C, from_column and to_column (int64_t; the columns of B
 * and C). Arrays: A by rows, B whole, C by rows. */
enum {
    MM_INNER,
    MM_B_ROW,
    MM_C_ROW,
    MM_FROM_COLUMN,
    MM_TO_COLUMN,
    MM_A,
    MM_B,
    MM_C
}; /* arguments */
extern const yoke_kernel mm_double, mm_single;
#endif
#endif
