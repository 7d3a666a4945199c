/* sum.h - see sum.c. */
#ifndef YK_JOB_SUM_H
#define YK_JOB_SUM_H

#include <yoke/yoke.h>

/* How elements of a type are added: the kernel that folds a device's copies, and the host's
 * function. */
struct yk_sum {
    const char *type;
    const yoke_kernel *fold;
    yoke_merge_fn *merge;
};
/* Returns NULL if the library cannot add elements of this type. */
const struct yk_sum *yk_sum_of(const char *type);

#endif
