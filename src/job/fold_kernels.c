/* fold_kernels.c - moves the sums of all copies on a device into a total, and sets the copies to
 * zero. So the fold can run again after more was added: with `again` 1 it adds to the total instead
 * of replacing it. `apart` is the number of elements from one copy to the next. */
#include "fold_kernels.h"

#define FOLD(name, T)                                                                              \
    YOKE_KERNEL(name, i, YOKE_VALUE(int64_t, apart), YOKE_VALUE(int32_t, copies),                  \
                YOKE_VALUE(int32_t, again), YOKE_INOUT(T, sums), YOKE_INOUT(T, total))             \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (int64_t k = 0; k < copies; ++k) {                                                     \
            sum += sums[i + k * apart];                                                            \
            sums[i + k * apart] = 0;                                                               \
        }                                                                                          \
        total[i] = again ? total[i] + sum : sum;                                                   \
    }

FOLD(yk_fold_float, float)
FOLD(yk_fold_double, double)
FOLD(yk_fold_32, uint32_t) /* two's complement: signed numbers have the same bits */
FOLD(yk_fold_64, uint64_t)
