/* fold_kernels.c - folds the copies of a sum on a device into one: element i of the first copy gets
 * the sum of that element over all copies, and the others become zero. So the fold may be repeated,
 * when more has been added or if it is unknown whether it was done. `apart`: elements from one copy
 * to the next. */
#include "fold_kernels.h"

#define FOLD(name, T)                                                                              \
    YOKE_KERNEL(name, i, YOKE_VALUE(int64_t, apart), YOKE_VALUE(int64_t, copies),                  \
                YOKE_INOUT(T, sums))                                                               \
    {                                                                                              \
        T sum = sums[i];                                                                           \
        for (int64_t k = 1; k < copies; ++k) {                                                     \
            sum += sums[i + k * apart];                                                            \
            sums[i + k * apart] = 0;                                                               \
        }                                                                                          \
        sums[i] = sum;                                                                             \
    }

FOLD(yk_fold_float, float)
FOLD(yk_fold_double, double)
FOLD(yk_fold_32, uint32_t) /* two's complement: the same bits for signed */
FOLD(yk_fold_64, uint64_t)
