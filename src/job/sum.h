/* sum.h - see sum.c. */
#ifndef YK_JOB_SUM_H
#define YK_JOB_SUM_H

#include <yoke/yoke.h>

/* How elements of a type are added. */
struct yk_sum {
    const char *type;
    const yoke_kernel *fold;
    yoke_merge_fn *merge;
};
const struct yk_sum *yk_sum_of(const char *type); /* NULL: it cannot */

#endif
