/* kernel.h - kernel files as plain OpenMP. This file replaces yoke's own yoke/kernel.h.
 *
 * YOKE_KERNEL(saxpy, i, ...) { body } becomes
 *
 *     void openmp_saxpy(void *const *arguments, const int64_t *size)
 *     {
 *         const float a = *(const float *)arguments[0]; ...
 *         #pragma omp parallel for simd
 *         for (int64_t i = 0; i < size[0]; i++)
 *             body
 *     }
 *
 * with the directive that openmp.c defines for it as OPENMP_saxpy. 2-D and 3-D kernels have `omp
 * simd` on the innermost loop. 3-D loops leave out the margin of plain.h. yoke_add is +=, under a
 * reduction clause.
 */
#ifndef YOKE_KERNEL_H
#define YOKE_KERNEL_H

#include <yoke/kernel_each.h>
#include <yoke/prelude.h>

#define YOKE_VALUE(T, n) (value, T, n)
#define YOKE_IN(T, n)    (in, T, n)
#define YOKE_OUT(T, n)   (out, T, n)
#define YOKE_INOUT(T, n) (out, T, n)
#define YOKE_ADD(T, n)   (out, T, n)
#define YOKE_SIZE2       size2
#define YOKE_SIZE3       size3
#define YOKE_COUNT       count

#define OPENMP_FORMAL(k, p)          OPENMP_FORMAL_ p
#define OPENMP_FORMAL_(mode, T, n)   , OPENMP_TYPE_##mode(T) n
#define OPENMP_TYPE_value(T)         const T
#define OPENMP_TYPE_in(T)            const T *restrict
#define OPENMP_TYPE_out(T)           T *restrict
#define OPENMP_ACTUAL(k, p)          OPENMP_ACTUAL_ p
#define OPENMP_ACTUAL_(mode, T, n)   , n
#define OPENMP_TAKE(k, p)            OPENMP_TAKE_(k, OPENMP_BARE p)
#define OPENMP_BARE(...)             __VA_ARGS__
#define OPENMP_TAKE_(...)            OPENMP_TAKE__(__VA_ARGS__)
#define OPENMP_TAKE__(k, mode, T, n) OPENMP_TAKE_##mode(k, T, n)
#define OPENMP_TAKE_value(k, T, n)   const T n = *(const T *)arguments[k];
#define OPENMP_TAKE_in(k, T, n)      const T *restrict n = arguments[k];
#define OPENMP_TAKE_out(k, T, n)     T *restrict n = arguments[k];

#define OPENMP_PRAGMA(text)    OPENMP_PRAGMA_(text)
#define OPENMP_PRAGMA_(text)   _Pragma(#text)
#define OPENMP_FOR(index, end) for (int64_t index = 0; index < (end); index++)
#define OPENMP_INSIDE(index, margin, size)                                                         \
    for (int64_t index = (margin); index < (size) - (margin); index++)
#define OPENMP_SIZES int64_t YK_UNUSED size2, int64_t YK_UNUSED size3
#define OPENMP_LOOP(name, ...)                                                                     \
    static void openmp_##name(void *const *arguments, const int64_t *size)                         \
    {                                                                                              \
        const int64_t YK_UNUSED size2 = size[1], size3 = size[2];                                  \
        YK_EACH(OPENMP_TAKE, __VA_ARGS__)                                                          \
        OPENMP_PRAGMA(OPENMP_##name)

#define YOKE_KERNEL(name, i, ...)                                                                  \
    YOKE_FN void name(int64_t i, OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__));                \
    OPENMP_LOOP(name, __VA_ARGS__)                                                                 \
    OPENMP_FOR(i, size[0]) name(i, size2, size3 YK_EACH(OPENMP_ACTUAL, __VA_ARGS__));              \
    }                                                                                              \
    YOKE_FN void name(int64_t i, OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__))

#define YOKE_KERNEL2(name, i, j, ...)                                                              \
    YOKE_FN void name(int64_t i, int64_t j, OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__));     \
    OPENMP_LOOP(name, __VA_ARGS__)                                                                 \
    OPENMP_FOR(i, size[0])                                                                         \
    {                                                                                              \
        _Pragma("omp simd") OPENMP_FOR(j, size2)                                                   \
            name(i, j, size2, size3 YK_EACH(OPENMP_ACTUAL, __VA_ARGS__));                          \
    }                                                                                              \
    }                                                                                              \
    YOKE_FN void name(int64_t i, int64_t j, OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__))

#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YOKE_FN void name(int64_t i, int64_t j, int64_t k,                                             \
                      OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__));                           \
    OPENMP_LOOP(name, __VA_ARGS__)                                                                 \
    OPENMP_INSIDE(i, margin_##name, size[0])                                                       \
    OPENMP_INSIDE(j, margin_##name, size2)                                                         \
    {                                                                                              \
        _Pragma("omp simd") OPENMP_INSIDE(k, margin_##name, size3)                                 \
            name(i, j, k, size2, size3 YK_EACH(OPENMP_ACTUAL, __VA_ARGS__));                       \
    }                                                                                              \
    }                                                                                              \
    YOKE_FN void name(int64_t i, int64_t j, int64_t k,                                             \
                      OPENMP_SIZES YK_EACH(OPENMP_FORMAL, __VA_ARGS__))

/* A group is a block of `unit` indexes; one thread computes it. */
#define YOKE_GROUP_KERNEL(name, i, lanes, unit, ...)                                               \
    YOKE_FN void name(int64_t i, int64_t count YK_EACH(OPENMP_FORMAL, __VA_ARGS__));               \
    OPENMP_LOOP(name, __VA_ARGS__)                                                                 \
    for (int64_t i = 0; i < size[0]; i += (unit))                                                  \
        name(i, size[0] - i < (unit) ? size[0] - i : (unit)YK_EACH(OPENMP_ACTUAL, __VA_ARGS__));   \
    }                                                                                              \
    YOKE_FN void name(int64_t i, int64_t count YK_EACH(OPENMP_FORMAL, __VA_ARGS__))
#define YOKE_LANE_SUM(T, s, j, lo, hi, ...)                                                        \
    T s = 0;                                                                                       \
    OPENMP_PRAGMA(omp simd reduction(+ : s))                                                       \
    for (int64_t j = (lo); j < (hi); j++)                                                          \
        s += (__VA_ARGS__);
#define YOKE_ONCE

#endif
