/* sum.c - how the library adds elements of a type, on a device and on the host. */

#include "sum.h"

#include <string.h>

#include "fold_kernels.h"

#define MERGE(name, T)                                                                             \
    static void name(void *into, const void *from, int64_t count)                                  \
    {                                                                                              \
        T *restrict a = into;                                                                      \
        const T *restrict b = from;                                                                \
        int64_t i;                                                                                 \
        for (i = 0; i < count; i++)                                                                \
            a[i] += b[i];                                                                          \
    }
MERGE(merge_float, float)
MERGE(merge_double, double)
MERGE(merge_32, uint32_t) /* two's complement: signed numbers have the same bits */
MERGE(merge_64, uint64_t)

const struct yk_sum *yk_sum_of(const char *type)
{
    static const struct yk_sum sums[] = {
        { "float", &yk_fold_float, merge_float }, { "double", &yk_fold_double, merge_double },
        { "int32_t", &yk_fold_32, merge_32 },     { "uint32_t", &yk_fold_32, merge_32 },
        { "int64_t", &yk_fold_64, merge_64 },     { "uint64_t", &yk_fold_64, merge_64 },
        { "int", &yk_fold_32, merge_32 },         { "unsigned", &yk_fold_32, merge_32 },
    };
    size_t i;
    for (i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(type, sums[i].type) == 0)
            return &sums[i];
    return NULL;
}
