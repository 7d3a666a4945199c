/* yoke/kernel.h - one kernel text, three languages: C11 for CPU cores, OpenCL C 1.2, CUDA.
 *
 *     #include <yoke/kernel.h>
 *     YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
 *     {
 *         y[i] = a * x[i] + y[i];
 *     }
 *
 * defines `const yoke_kernel saxpy`. The body is written for one index; arrays are indexed with
 * global indexes on every device. For the CPU the macros expand in place, into loops that vectorise
 * (kernel_cpu.h). For devices the build flattens the file with the C preprocessor (`yoke-embed`,
 * which yoke_add_kernels of the CMake package calls) and embeds the text. The differences between
 * the languages are in the preludes, which are put before that text. docs/kernels.md explains how
 * to write kernels. The forms are
 *
 *     YOKE_KERNEL (name, i, params...)          one index of a 1-D range
 *     YOKE_KERNEL2(name, i, j, params...)       2-D; i is split over devices, j is the fastest
 *     YOKE_KERNEL3(name, i, j, k, params...)    3-D; k is the fastest
 *     YOKE_GROUP_KERNEL(name, i, lanes, unit, params...)
 *                                               `lanes` lanes together do `unit` indexes from i on
 *     YOKE_STEP_KERNEL(...)                     one item, which may emit more: yoke/kernel_step.h
 *
 * In C++ this header only gives the descriptor's type: kernels are written in C.
 */
#ifndef YOKE_KERNEL_H
#define YOKE_KERNEL_H

#if defined(__cplusplus) && !defined(YOKE_FLATTEN)
#include <yoke/kernel_type.h>
#define YK_IN_C_ONLY                                                                               \
    static_assert(false, "yoke: kernels are written in C: put this into a .c file, and declare "   \
                         "extern \"C\" const yoke_kernel NAME here")
#define YOKE_KERNEL(...)       YK_IN_C_ONLY;
#define YOKE_KERNEL2(...)      YK_IN_C_ONLY;
#define YOKE_KERNEL3(...)      YK_IN_C_ONLY;
#define YOKE_GROUP_KERNEL(...) YK_IN_C_ONLY;
#else

#ifdef YOKE_FLATTEN /* as prelude.h does for the CPU */
#include <float.h>
#include <math.h>
#include <stdint.h>
#endif
#include <yoke/kernel_each.h>
#include <yoke/kernel_reduce.h>

/* Parameters: at most 24 values and arrays, and in group kernels local memory and private
 * variables. */
#define YOKE_VALUE(T, n)                    (yk_value, T, n) /* scalar or struct, by value */
#define YOKE_IN(T, n)                       (yk_in, T, n)    /* array of T, read */
#define YOKE_OUT(T, n)                      (yk_out, T, n) /* array of T, written at the body's own index or row */
#define YOKE_INOUT(T, n)                    (yk_inout, T, n) /* array of T, read and written there */
#define YOKE_ADD(T, n)                      (yk_add, T, n) /* array of T, any element, through yoke_add only */
/* YOKE_REDUCE(op, T, n), YOKE_FOLD(fold, identity, T, n): yoke/kernel_reduce.h */
/* Group kernels: an array that the lanes of one group share; undefined until it is written. */
#define YOKE_LOCAL(T, n, count)             (yk_local, T, n, count)
/* Group kernels: a variable that each lane has for itself as long as the group lives, used through
 * YOKE_MINE; undefined until it is written. */
#define YOKE_PRIVATE(T, n)                  (yk_private, T, n)

/* Inside bodies of 2-D and 3-D kernels: size of the second dimension. */
#define YOKE_SIZE2                          yk_size2
/* Size of the third dimension. */
#define YOKE_SIZE3                          yk_size3
/* Inside bodies of group kernels: number of indexes from i on that exist, <= unit. */
#define YOKE_COUNT                          yk_count

/* Inside bodies of group kernels: all lanes together sum the expression `...` over j in [lo, hi).
 * Declares `s`, the sum, which is the same in every lane. T has at most 8 bytes; lo and hi are the
 * same in every lane. */
#define YOKE_LANE_SUM(T, s, j, lo, hi, ...) YK_LANE_FOLD(SUM, T, s, 0, j, lo, hi, __VA_ARGS__)
/* The maximum of `start` and all values, in the same way. NaNs are left out, as by YOKE_REDUCE; it
 * is NaN only if `start` and all values are. */
#define YOKE_LANE_MAX(T, s, start, j, lo, hi, ...)                                                 \
    YK_LANE_FOLD(MAX, T, s, start, j, lo, hi, __VA_ARGS__)
/* The minimum of `start` and all values; NaNs are left out. */
#define YOKE_LANE_MIN(T, s, start, j, lo, hi, ...)                                                 \
    YK_LANE_FOLD(MIN, T, s, start, j, lo, hi, __VA_ARGS__)
/* Declares `s`: not 0 if the condition is true in any lane l; the same in every lane. The condition
 * may read the lane's own variables. This is not a barrier. */
#define YOKE_LANE_ANY(s, l, ...) YK_LANE_ANY(s, l, __VA_ARGS__)
/* Further words of group kernels (docs/kernels.md), in kernel_group_cpu.h and kernel_group.h:
 *
 *     YOKE_LANES(l) { ... }              for every lane l of the group
 *     YOKE_LANES_BY(n, part, l) { ... }  the same; part = l / n is equal in n lanes
 *     YOKE_MINE(x)                       inside these: the lane's YOKE_PRIVATE x
 *     YOKE_ONCE { ... }                  by one lane
 *     YOKE_BARRIER;                      after it, all lanes see what any lane wrote before it
 */

/* A struct value: YOKE_INIT(body_t, x, y, z) instead of C's (body_t){ x, y, z }. */
#if defined(YOKE_FLATTEN) && defined(YOKE_CUDA)
#define YOKE_INIT(T, ...) (T{ __VA_ARGS__ })
#else
#define YOKE_INIT(T, ...) ((T){ __VA_ARGS__ })
#endif

/* ---- from here on: the implementation of the forms ---- */

/* The body's formal parameters. */
#define YK_FORMAL(k, p)                 YK_FORMAL_ p
#define YK_FORMAL_(mode, ...)           YK_FORMAL_##mode(__VA_ARGS__)
#define YK_FORMAL_yk_value(T, n)        , T n
#define YK_FORMAL_yk_in(T, n)           , YOKE_GLOBAL const T *YOKE_RESTRICT n
#define YK_FORMAL_yk_out(T, n)          , YOKE_GLOBAL T *YOKE_RESTRICT n
#define YK_FORMAL_yk_inout(T, n)        , YOKE_GLOBAL T *YOKE_RESTRICT n
#define YK_FORMAL_yk_add(T, n)          , YOKE_GLOBAL T *YOKE_RESTRICT n
#define YK_FORMAL_yk_local(T, n, count) YK_FORMAL_LOCAL(T, n)
#define YK_FORMAL_yk_private(T, n)      YK_FORMAL_PRIVATE(T, n)

#define YK_INDEX int64_t YK_UNUSED
#define YK_SIZES YK_INDEX yk_size2, YK_INDEX yk_size3
#define YK_BODY1(name, i, ...)                                                                     \
    YOKE_FN void yk_body_##name(YK_INDEX i, YK_SIZES YK_EACH(YK_FORMAL, __VA_ARGS__) YK_SUMS_FORMAL)
#define YK_BODY2(name, i, j, ...)                                                                  \
    YOKE_FN void yk_body_##name(YK_INDEX i, YK_INDEX j,                                            \
                                YK_SIZES YK_EACH(YK_FORMAL, __VA_ARGS__) YK_SUMS_FORMAL)
#define YK_BODY3(name, i, j, k, ...)                                                               \
    YOKE_FN void yk_body_##name(YK_INDEX i, YK_INDEX j, YK_INDEX k,                                \
                                YK_SIZES YK_EACH(YK_FORMAL, __VA_ARGS__) YK_SUMS_FORMAL)
#define YK_GROUP_BODY(name, i, ...)                                                                \
    YOKE_FN void yk_body_##name(YK_INDEX i, YK_GROUP_HIDDEN,                                       \
                                YK_SIZES YK_EACH(YK_FORMAL, __VA_ARGS__))
#define YK_OP_SUM(a, b) ((a) + (b))
/* A NaN as b is left out. If a is a number, the result is one. */
#define YK_OP_MAX(a, b) ((b) > (a) ? (b) : (a))
#define YK_OP_MIN(a, b) ((b) < (a) ? (b) : (a))
/* Lane reductions halve the number of lanes again and again, so it must be a power of two. */
#define YK_GROUP_CHECK(name, lanes, unit)                                                          \
    typedef char yk_lanes_is_a_power_of_two_up_to_1024_##name                                      \
        [((lanes) >= 1) * ((lanes) <= 1024) * (((lanes) & ((lanes)-1)) == 0) * 2 - 1];             \
    typedef char yk_unit_is_at_least_1_##name[((unit) >= 1) * 2 - 1]

/* -DYOKE_EXACT=1: no product is fused with a sum. CUDA has a compiler option for that; the backend
 * sets it for texts that contain `yk_exact`. */
#if defined(YOKE_FLATTEN) && defined(YOKE_EXACT)
#if defined(YOKE_OPENCL)
#pragma OPENCL FP_CONTRACT OFF
#else
enum { yk_exact = 1 };
#endif
#endif

#if !defined(YOKE_FLATTEN)
#include <yoke/kernel_cpu.h>
#else
#include <yoke/kernel_group.h>
#define YK_PRAGMA(text) _Pragma(#text)
#define YOKE_UNROLL(n)  YK_PRAGMA(unroll n)
#define YK_UNUSED
#define YK_SUMS_FORMAL
#define YK_GROUP_HIDDEN int yk_count, int yk_lanes, int yk_lane, YOKE_SHARED uint64_t *yk_scratch
#if defined(YOKE_OPENCL)
#include <yoke/kernel_opencl.h>
#else
#include <yoke/kernel_cuda.h>
#endif
#endif

#endif
#endif
