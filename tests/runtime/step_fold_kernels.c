/* step_fold_kernels.c - a function that bodies of both kinds call: it counts at 1 in a text whose
 * sums are folded over warps, at 0 in one whose sums are not, and at 2 on cores. */
#include "step_kernels.h"

#ifndef YOKE_FLATTEN
#define YK_FOLDS 2
#endif

YOKE_FN void count_fold(YOKE_GLOBAL int32_t *folds)
{
    yoke_add(&folds[YK_FOLDS], 1);
}

YOKE_KERNEL(k_folds, i, YOKE_ADD(int32_t, folds))
{
    count_fold(folds);
}

YOKE_STEP_KERNEL(k_step_folds, int32_t, x, i, 1, 1, YOKE_ADD(int32_t, folds))
{
    count_fold(folds);
}
