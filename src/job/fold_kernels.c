/* fold_kernels.c - folds the copies of a sum on a device into one. Element i of the first copy
 * becomes the sum of element i over all copies; in the other copies it becomes zero. So the fold
 * may be repeated when more was added, or if it is unknown whether it was done. `apart` is the
 * number of elements from one copy to the next. */
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
FOLD(yk_fold_32, uint32_t) /* two's complement: signed numbers have the same bits */
FOLD(yk_fold_64, uint64_t)
