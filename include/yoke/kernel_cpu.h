/* yoke/kernel_cpu.h - the kernel forms on the CPU: loops around the body, once for every variant.
 *
 * The body becomes a function that is always inlined. Each variant is a plain static function with
 * a target attribute, and the descriptor has pointers to them (target_clones picks wrongly under
 * clang 14 and crashes under TSan). Files compiled for AVX or more (-march=native) get one variant:
 * gcc does not inline a body into a function with fewer features.
 *
 * `omp simd` asserts that indexes are independent. In a kernel they are, unless it adds: with a
 * YOKE_ADD parameter the loop does without `omp simd` and uses sums by lanes (kernel_sums.h). Needs
 * -fopenmp-simd and -DYOKE_OMP_SIMD=1, which yoke_add_kernels and `yoke-embed --flags` set; without
 * them the code is right but slower.
 */
#ifndef YOKE_KERNEL_CPU_H
#define YOKE_KERNEL_CPU_H

#include <yoke/kernel_group_cpu.h>
#include <yoke/kernel_reduce_cpu.h>
#include <yoke/kernel_sums.h>
#include <yoke/kernel_type.h>
#include <yoke/prelude.h>

/* Defines yk_text_opencl and yk_text_cuda, the kernel file's texts for devices, made by
 * yoke-embed. */
#ifdef YOKE_SOURCE_FILE
#include YOKE_SOURCE_FILE
#else
#define yk_text_opencl 0
#define yk_text_cuda   0
#endif

#ifdef __clang__ /* a loop that cannot be vectorised is not an error */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define YK_PRAGMA(x)  YK_PRAGMA_(x)
#define YK_PRAGMA_(x) _Pragma(#x)
#define YK_LOOP_plain
#define YK_OMP_SUM +
#define YK_OMP_MAX max
#define YK_OMP_MIN min
#if defined(YOKE_OMP_SIMD)
#define YK_LOOP_simd        YK_PRAGMA(omp simd)
#define YK_LOOP_fold(op, s) YK_PRAGMA(omp simd reduction(YK_OMP_##op : s))
#elif defined(__clang__)
#define YK_LOOP_simd
#define YK_LOOP_fold(op, s)
#else
#define YK_LOOP_simd YK_PRAGMA(GCC ivdep)
#define YK_LOOP_fold(op, s)
#endif
#define YK_LOOP(...)        YK_CAT(YK_LOOP_, YK_FIRST(YK_EACH(YK_ADDS, __VA_ARGS__) simd))
#define YK_ADDS(k, p)       YK_ADDS_ p
#define YK_ADDS_(mode, ...) YK_ADDS_##mode
#define YK_ADDS_yk_value
#define YK_ADDS_yk_in
#define YK_ADDS_yk_out
#define YK_ADDS_yk_inout
#define YK_ADDS_yk_add plain,
#define YK_ADDS_yk_reduce
#define YK_ADDS_yk_local
#define YK_ADDS_yk_private

/* Descriptor entries. */
#define YK_PARAM(k, p)                YK_PARAM_ p
#define YK_PARAM_(mode, ...)          YK_PARAM_##mode(__VA_ARGS__)
#define YK_PARAM_OF(mode, T, n)       { mode, #T, #n, (uint32_t)sizeof(T), (uint32_t) _Alignof(T) },
#define YK_PARAM_yk_value(T, n)       YK_PARAM_OF(YOKE_PARAM_VALUE, T, n)
#define YK_PARAM_yk_in(T, n)          YK_PARAM_OF(YOKE_PARAM_IN, T, n)
#define YK_PARAM_yk_out(T, n)         YK_PARAM_OF(YOKE_PARAM_OUT, T, n)
#define YK_PARAM_yk_inout(T, n)       YK_PARAM_OF(YOKE_PARAM_INOUT, T, n)
#define YK_PARAM_yk_add(T, n)         YK_PARAM_OF(YOKE_PARAM_ADD, T, n)
#define YK_PARAM_yk_reduce(T, n, ...) YK_PARAM_OF(YOKE_PARAM_REDUCE, T, n)
#define YK_PARAM_yk_local(T, n, count)
#define YK_PARAM_yk_private(T, n)

/* All private variables are in one struct, at known distances from one address. When each had its
 * own address, n-body's twelve took all registers, and the kernel took 3 % longer with AVX-512. */
#define YK_OWN(k, p)       YK_OWN_ p
#define YK_OWN_(mode, ...) YK_OWN_##mode(__VA_ARGS__)
#define YK_OWN_yk_value(T, n)
#define YK_OWN_yk_in(T, n)
#define YK_OWN_yk_out(T, n)
#define YK_OWN_yk_inout(T, n)
#define YK_OWN_yk_add(T, n)
#define YK_OWN_yk_reduce(T, n, ...)
#define YK_OWN_yk_local(T, n, count)
#define YK_OWN_yk_private(T, n) _Alignas(64) T n[yk_lanes];

/* The constants n_yk_param: positions in the descriptor and in yk_args, which local memory and
 * private variables do not have. */
#define YK_PARAMS(...)                   enum { YK_EACH(YK_POSITION, __VA_ARGS__) yk_params_count };
#define YK_POSITION(k, p)                YK_POSITION_ p
#define YK_POSITION_(mode, ...)          YK_POSITION_##mode(__VA_ARGS__)
#define YK_POSITION_yk_value(T, n)       n##_yk_param,
#define YK_POSITION_yk_in(T, n)          n##_yk_param,
#define YK_POSITION_yk_out(T, n)         n##_yk_param,
#define YK_POSITION_yk_inout(T, n)       n##_yk_param,
#define YK_POSITION_yk_add(T, n)         n##_yk_param,
#define YK_POSITION_yk_reduce(T, n, ...) n##_yk_param,
#define YK_POSITION_yk_local(T, n, count)
#define YK_POSITION_yk_private(T, n)

/* Declares variables with the parameters' names and takes their values from yk_args. */
#define YK_UNPACK_ALL(...)             YK_PARAMS(__VA_ARGS__) YK_EACH(YK_UNPACK, __VA_ARGS__)
#define YK_UNPACK(k, p)                YK_UNPACK_ p
#define YK_UNPACK_(mode, ...)          YK_UNPACK_##mode(__VA_ARGS__)
#define YK_UNPACK_yk_value(T, n)       const T n = *(const T *)yk_args[n##_yk_param];
#define YK_UNPACK_yk_in(T, n)          const T *YOKE_RESTRICT n = (const T *)yk_args[n##_yk_param];
#define YK_UNPACK_yk_out(T, n)         T *YOKE_RESTRICT n = (T *)yk_args[n##_yk_param];
#define YK_UNPACK_yk_inout(T, n)       YK_UNPACK_yk_out(T, n)
#define YK_UNPACK_yk_add(T, n)         YK_UNPACK_yk_out(T, n)
#define YK_UNPACK_yk_reduce(T, n, ...) T *const n##_yk_partials = (T *)yk_args[n##_yk_param];
/* More would overflow the stack of a thread; no GPU has as much. */
#define YK_UNPACK_yk_local(T, n, count)                                                            \
    _Static_assert((count) * sizeof(T) <= ((size_t)1 << 20),                                       \
                   "YOKE_LOCAL: a group's array has a constant size of at most 1 MiB");            \
    _Alignas(64) T n[count];
#define YK_UNPACK_yk_private(T, n) T *YOKE_RESTRICT n = yk_own.n;
#define YK_FORMAL_LOCAL(T, n)      , T *YOKE_RESTRICT n
#define YK_FORMAL_PRIVATE(T, n)    , T *YOKE_RESTRICT n

#define YK_ACTUAL(k, p)          YK_ACTUAL_ p YK_IF_REDUCE(YK_ACTUAL_HOW, p)
#define YK_ACTUAL_(mode, T, ...) , YK_FIRST(__VA_ARGS__)

#if defined(__x86_64__) && !defined(__AVX__) && !defined(YOKE_NO_VARIANTS)
#ifdef __clang__
#define YK_V3 __attribute__((target("arch=x86-64-v3")))
#define YK_V4 __attribute__((target("arch=x86-64-v4"), min_vector_width(512)))
#else
#define YK_V3 __attribute__((target("arch=x86-64-v3")))
#define YK_V4 __attribute__((target("arch=x86-64-v4,prefer-vector-width=512")))
#endif
#define YK_VARIANTS(M, ...) M(, 0, __VA_ARGS__) M(YK_V3, 3, __VA_ARGS__) M(YK_V4, 4, __VA_ARGS__)
#define YK_VARIANT_LIST(name)                                                                      \
    {                                                                                              \
        yk_cpu0_##name, yk_cpu3_##name, yk_cpu4_##name                                             \
    }
#else
#define YK_VARIANTS(M, ...) M(, 0, __VA_ARGS__)
#define YK_VARIANT_LIST(name)                                                                      \
    {                                                                                              \
        yk_cpu0_##name, 0, 0                                                                       \
    }
#endif

#define YK_FUNCTION(attributes, v, name)                                                           \
    attributes static void yk_cpu##v##_##name(void *const *yk_args, const yoke_chunk *yk_chunk)
#define YK_FOR(i, from, to) for (int64_t i = (from); i < (to); ++i)
#define YK_CHUNK                                                                                   \
    const int64_t yk_first = yk_chunk->first, yk_last = yk_chunk->last;                            \
    const int64_t yk_size2 = yk_chunk->extent[0], yk_size3 = yk_chunk->extent[1];
#define YK_CHUNK2                                                                                  \
    YK_CHUNK const int64_t yk_first2 = yk_chunk->second.first, yk_last2 = yk_chunk->second.last;
#define YK_CHUNK3                                                                                  \
    YK_CHUNK2 const int64_t yk_first3 = yk_chunk->third.first, yk_last3 = yk_chunk->third.last;

#define YK_RANGE1(attributes, v, name, ...)                                                        \
    YK_FORM(YK_RANGE1_, __VA_ARGS__)(attributes, v, name, __VA_ARGS__)
#define YK_RANGE2(attributes, v, name, ...)                                                        \
    YK_FORM(YK_RANGE2_, __VA_ARGS__)(attributes, v, name, __VA_ARGS__)
#define YK_RANGE3(attributes, v, name, ...)                                                        \
    YK_FORM(YK_RANGE3_, __VA_ARGS__)(attributes, v, name, __VA_ARGS__)
#define YK_GROUPS(attributes, v, name, lanes, unit, ...)                                           \
    YK_FORM(YK_GROUPS_, __VA_ARGS__)(attributes, v, name, lanes, unit, __VA_ARGS__)
#define YK_RANGE1_plain(attributes, v, name, ...)                                                  \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        YK_UNPACK_ALL(__VA_ARGS__)                                                                 \
        YK_CHUNK                                                                                   \
        YK_EACH(YK_SUM_OPEN, __VA_ARGS__)                                                          \
        YK_EVERY(yk_i, yk_first, yk_last, (__VA_ARGS__),                                           \
                 yk_body_##name(yk_i, yk_size2,                                                    \
                                yk_size3 YK_EACH(YK_ACTUAL, __VA_ARGS__)                           \
                                    YK_SUMS_ACTUAL(__VA_ARGS__)))                                  \
        YK_EACH(YK_SUM_CLOSE, __VA_ARGS__)                                                         \
    }
/* Two loops: one for a range that covers the further dimensions, one for a part of them. In the
 * first, compilers know that indexes run from 0 to the size, so boundary tests cost less. */
#define YK_RANGE2_plain(attributes, v, name, ...)                                                  \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        YK_UNPACK_ALL(__VA_ARGS__)                                                                 \
        YK_CHUNK2                                                                                  \
        YK_EACH(YK_SUM_OPEN, __VA_ARGS__)                                                          \
        if (yk_first2 == 0 && yk_last2 == yk_size2) {                                              \
            YK_LOOPS2(0, yk_size2, name, __VA_ARGS__)                                              \
        } else {                                                                                   \
            YK_LOOPS2(yk_first2, yk_last2, name, __VA_ARGS__)                                      \
        }                                                                                          \
        YK_EACH(YK_SUM_CLOSE, __VA_ARGS__)                                                         \
    }
#define YK_LOOPS2(from2, to2, name, ...)                                                           \
    YK_FOR(yk_i, yk_first, yk_last)                                                                \
    {                                                                                              \
        YK_EVERY(yk_j, from2, to2, (__VA_ARGS__),                                                  \
                 yk_body_##name(yk_i, yk_j, yk_size2,                                              \
                                yk_size3 YK_EACH(YK_ACTUAL, __VA_ARGS__)                           \
                                    YK_SUMS_ACTUAL(__VA_ARGS__)))                                  \
    }
#define YK_RANGE3_plain(attributes, v, name, ...)                                                  \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        YK_UNPACK_ALL(__VA_ARGS__)                                                                 \
        YK_CHUNK3                                                                                  \
        YK_EACH(YK_SUM_OPEN, __VA_ARGS__)                                                          \
        if (yk_first2 == 0 && yk_last2 == yk_size2 && yk_first3 == 0 && yk_last3 == yk_size3) {    \
            YK_LOOPS3(0, yk_size2, 0, yk_size3, name, __VA_ARGS__)                                 \
        } else {                                                                                   \
            YK_LOOPS3(yk_first2, yk_last2, yk_first3, yk_last3, name, __VA_ARGS__)                 \
        }                                                                                          \
        YK_EACH(YK_SUM_CLOSE, __VA_ARGS__)                                                         \
    }
#define YK_LOOPS3(from2, to2, from3, to3, name, ...)                                               \
    YK_FOR(yk_i, yk_first, yk_last)                                                                \
    YK_FOR(yk_j, from2, to2)                                                                       \
    {                                                                                              \
        YK_EVERY(yk_k, from3, to3, (__VA_ARGS__),                                                  \
                 yk_body_##name(yk_i, yk_j, yk_k, yk_size2,                                        \
                                yk_size3 YK_EACH(YK_ACTUAL, __VA_ARGS__)                           \
                                    YK_SUMS_ACTUAL(__VA_ARGS__)))                                  \
    }
/* The declarations that a group kernel's loops need; then the call of the body for the group at
 * yk_i, with the group's indexes below `to`. */
#define YK_GROUPS_OPEN(...)                                                                        \
    struct {                                                                                       \
        YK_EACH(YK_OWN, __VA_ARGS__)                                                               \
        char yk_none;                                                                              \
    } YK_UNUSED yk_own;                                                                            \
    YK_UNPACK_ALL(__VA_ARGS__)                                                                     \
    YK_CHUNK
#define YK_GROUP_CALL(name, to, ...)                                                               \
    yk_body_##name(yk_i, (to)-yk_i < yk_unit ? (int)((to)-yk_i) : yk_unit, yk_lanes, yk_size2,     \
                   yk_size3 YK_EACH(YK_ACTUAL, __VA_ARGS__))
#define YK_GROUPS_plain(attributes, v, name, lanes, unit, ...)                                     \
    YK_FUNCTION(attributes, v, name)                                                               \
    {                                                                                              \
        enum { yk_lanes = (lanes), yk_unit = (unit) };                                             \
        YK_GROUPS_OPEN(__VA_ARGS__)                                                                \
        for (int64_t yk_i = yk_first; yk_i < yk_last; yk_i += yk_unit)                             \
            YK_GROUP_CALL(name, yk_last, __VA_ARGS__);                                             \
    }

#define YK_DESCRIBE(id, dims, group_lanes, group_unit, ...)                                        \
    YK_DESCRIBE_KIND(id, (.kind = YOKE_KERNEL_RANGE), dims, group_lanes, group_unit, __VA_ARGS__)
/* `about`: fields that only kernels of this kind have, in parentheses. */
#define YK_DESCRIBE_KIND(id, about, dims, group_lanes, group_unit, ...)                            \
    static const yoke_param yk_params_##id[] = { YK_EACH(YK_PARAM, __VA_ARGS__) };                 \
    _Static_assert(sizeof yk_params_##id / sizeof *yk_params_##id <= 24,                           \
                   "a kernel has at most 24 values and arrays");                                   \
    YK_FORM(YK_TOTAL_, __VA_ARGS__)(id, __VA_ARGS__) extern const yoke_kernel id;                  \
    const yoke_kernel id = { .struct_size = sizeof(yoke_kernel),                                   \
                             YK_BARE about,                                                        \
                             .name = #id,                                                          \
                             .file = __FILE__,                                                     \
                             .params = yk_params_##id,                                             \
                             .param_count = sizeof yk_params_##id / sizeof *yk_params_##id,        \
                             .dimensions = (dims),                                                 \
                             .lanes = (group_lanes),                                               \
                             .unit = (group_unit),                                                 \
                             .fold = YK_FORM(YK_TOTAL_OF_, __VA_ARGS__)(id),                       \
                             .cpu.variant = YK_VARIANT_LIST(id),                                   \
                             .opencl.source.text = yk_text_opencl,                                 \
                             .cuda.source.text = yk_text_cuda };

#define YOKE_KERNEL(name, i, ...)                                                                  \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    YK_VARIANTS(YK_RANGE1, name, __VA_ARGS__)                                                      \
    YK_DESCRIBE(name, 1, 0, 1, __VA_ARGS__)                                                        \
    YK_BODY1(name, i, __VA_ARGS__)
#define YOKE_KERNEL2(name, i, j, ...)                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    YK_VARIANTS(YK_RANGE2, name, __VA_ARGS__)                                                      \
    YK_DESCRIBE(name, 2, 0, 1, __VA_ARGS__)                                                        \
    YK_BODY2(name, i, j, __VA_ARGS__)
#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    YK_VARIANTS(YK_RANGE3, name, __VA_ARGS__)                                                      \
    YK_DESCRIBE(name, 3, 0, 1, __VA_ARGS__)                                                        \
    YK_BODY3(name, i, j, k, __VA_ARGS__)
#define YOKE_GROUP_KERNEL(name, i, lanes, unit, ...)                                               \
    YK_GROUP_CHECK(name, lanes, unit);                                                             \
    YK_GROUP_BODY(name, i, __VA_ARGS__);                                                           \
    YK_VARIANTS(YK_GROUPS, name, lanes, unit, __VA_ARGS__)                                         \
    YK_DESCRIBE(name, 1, lanes, unit, __VA_ARGS__)                                                 \
    YK_GROUP_BODY(name, i, __VA_ARGS__)
#endif
