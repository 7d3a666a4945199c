/* yoke/kernel_sums.h - the loops of range kernels on the CPU, with sums by lanes for kernels that
 * add.
 *
 * Additions to one element wait for each other, 3 or 4 cycles each. So each call of a variant keeps
 * YK_SUM_LANES sums of the first YK_SUMS elements of its YOKE_ADD arrays, and indexes use the lanes
 * in turn. yoke_add (prelude.h) uses these sums if the index of its element is a constant. They are
 * added to the array at the end. The compiler may then use vectors without permission to reorder
 * sums of the body.
 */
#ifndef YOKE_KERNEL_SUMS_H
#define YOKE_KERNEL_SUMS_H

#include <yoke/kernel_each.h>
#include <yoke/prelude.h>

#define YK_SUMS_FORMAL , const struct yk_sums YK_UNUSED yk_sums
#define YK_SUMS_ACTUAL(...)                                                                        \
    , (struct yk_sums)                                                                             \
    {                                                                                              \
        {                                                                                          \
            YK_EACH(YK_SUM_LANE, __VA_ARGS__)                                                      \
            {                                                                                      \
                0, 0                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define YK_SUM_LANE(k, p)  YK_IF_ADD(YK_SUM_LANE_, p)
#define YK_SUM_LANE_(T, n) { (uintptr_t)n, &yk_sum_##n[yk_lane] },
#define YK_SUM_OPEN(k, p)  YK_IF_ADD(YK_SUM_OPEN_, p)
#define YK_SUM_OPEN_(T, n) T yk_sum_##n[YK_SUMS * YK_SUM_LANES] = { 0 };
/* An element that no index adds to may lie outside the array. Its sum is 0, so it is not
 * touched. */
#define YK_SUM_CLOSE(k, p) YK_IF_ADD(YK_SUM_CLOSE_, p)
#define YK_SUM_CLOSE_(T, n)                                                                        \
    for (int yk_k = 0; yk_k < YK_SUMS; ++yk_k) {                                                   \
        T yk_sum = 0;                                                                              \
        for (int yk_l = 0; yk_l < YK_SUM_LANES; ++yk_l)                                            \
            yk_sum += yk_sum_##n[yk_k * YK_SUM_LANES + yk_l];                                      \
        if (yk_sum != 0)                                                                           \
            n[yk_k] += yk_sum;                                                                     \
    }

/* Executes a statement for each index. If the kernel has no YOKE_ADD parameter: a simd loop. */
#define YK_EVERY(i, from, to, params, ...)                                                         \
    YK_CAT(YK_EVERY_, YK_FIRST(YK_EACH(YK_ADDS, YK_BARE params) simd))(i, from, to, __VA_ARGS__)
#define YK_EVERY_simd(i, from, to, ...) YK_LOOP_simd YK_FOR(i, from, to) __VA_ARGS__;
/* If it has one: as many indexes at once as there are lanes of sums. */
#define YK_EVERY_plain(i, from, to, ...)                                                           \
    int64_t yk_at = (from);                                                                        \
    for (; (to)-yk_at >= YK_SUM_LANES; yk_at += YK_SUM_LANES)                                      \
        for (int yk_lane = 0; yk_lane < YK_SUM_LANES; ++yk_lane) {                                 \
            const int64_t i = yk_at + yk_lane;                                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    YK_FOR(i, yk_at, to)                                                                           \
    {                                                                                              \
        const int YK_UNUSED yk_lane = 0;                                                           \
        __VA_ARGS__;                                                                               \
    }

#endif
