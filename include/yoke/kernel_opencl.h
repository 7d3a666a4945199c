/* yoke/kernel_opencl.h - the kernel forms in OpenCL C 1.2, and how to launch them.
 *
 * Only seen while a kernel file is flattened (YOKE_FLATTEN and YOKE_OPENCL). A device's source is
 * the prelude (yoke/prelude_opencl.h) + the flattened text + the size checks of shared types.
 *
 * Entry point     yoke_entry_NAME, for YOKE_KERNEL(NAME, ...) and all other forms. For range
 *                 kernels also yoke_entry32_NAME with the same arguments, which libyoke makes from
 *                 it for ranges with 32-bit indexes: bodies and entries are here in the order that
 *                 src/access/narrow.c expects.
 * Arguments       a yk_space (prelude_opencl.h) by value, then the kernel's parameters in order: a
 *                 value is one argument; an array is two, its cl_mem and a `long` shift in BYTES of
 *                 the array's global element 0 (may be negative), which the entry adds; mode add
 *                 takes a third: the bytes from one copy to the next, times 256, plus the number of
 *                 copies (a power of two) less one. A group adds to one of the copies, so that
 *                 fewer groups add to the same one. Local memory is declared inside and has no
 *                 argument.
 * Range kernels   (descriptor: lanes 0) one work-item per index, work_dim = dimensions;
 *                 get_global_id(0) belongs to the LAST dimension, the fastest. No work offset. The
 *                 global size must cover the space (round up to the group size: the entry tests
 *                 bounds). Any group size is allowed.
 * Group kernels   (descriptor: lanes L > 0, unit U) work_dim = 1, local size { L } (required by the
 *                 kernel), global size { L * ceil((last - first) / U) }: group g does U indexes
 *                 from first + g * U; the last group may have fewer.
 * Few groups      Some drivers limit the number of groups in dimensions 1 and 2 (NVIDIA: 65535);
 *                 larger spaces then take several launches. Entries have no loops: loops keep CPU
 *                 drivers from vectorising over work-items, and cost GPUs time.
 */
#ifndef YOKE_KERNEL_OPENCL_H
#define YOKE_KERNEL_OPENCL_H

/* Formal parameters of an entry. */
#define YK_ENTRY_FORMAL(k, p)                YK_ENTRY_FORMAL_ p
#define YK_ENTRY_FORMAL_(mode, ...)          YK_ENTRY_FORMAL_##mode(__VA_ARGS__)
#define YK_ENTRY_FORMAL_yk_value(T, n)       , T n
#define YK_ENTRY_FORMAL_yk_in(T, n)          , __global const T *restrict n, long n##_yk_shift
#define YK_ENTRY_FORMAL_yk_out(T, n)         , __global T *restrict n, long n##_yk_shift
#define YK_ENTRY_FORMAL_yk_inout(T, n)       YK_ENTRY_FORMAL_yk_out(T, n)
#define YK_ENTRY_FORMAL_yk_add(T, n)         YK_ENTRY_FORMAL_yk_out(T, n), long n##_yk_copies
#define YK_ENTRY_FORMAL_yk_reduce(T, n, ...) YK_ENTRY_FORMAL_yk_out(T, n##_yk_results)
#define YK_ENTRY_FORMAL_yk_local(T, n, count)
#define YK_ENTRY_FORMAL_yk_private(T, n)

/* What an entry passes to the body. */
#define YK_ENTRY_ACTUAL(k, p)          YK_ENTRY_ACTUAL_ p
#define YK_ENTRY_ACTUAL_(mode, ...)    YK_ENTRY_ACTUAL_##mode(__VA_ARGS__)
#define YK_ENTRY_ACTUAL_yk_value(T, n) , n
#define YK_ENTRY_ACTUAL_yk_in(T, n)    , (__global const T *)((__global const char *)n + n##_yk_shift)
#define YK_ENTRY_ACTUAL_yk_out(T, n)   , (__global T *)((__global char *)n + n##_yk_shift)
#define YK_ENTRY_ACTUAL_yk_inout(T, n) YK_ENTRY_ACTUAL_yk_out(T, n)
#define YK_ENTRY_ACTUAL_yk_add(T, n)                                                               \
    , (__global T *)((__global char *)n + n##_yk_shift + yk_copy(n##_yk_copies))
#define YK_ENTRY_ACTUAL_yk_reduce(T, n, ...)  , &n YK_ACTUAL_HOW(T, n, __VA_ARGS__)
#define YK_ENTRY_ACTUAL_yk_local(T, n, count) , n
#define YK_ENTRY_ACTUAL_yk_private(T, n)      , &n

/* __local variables must be declared in the entry itself (OpenCL C 1.2, 6.5.2). */
#define YK_ENTRY_DECLARE(k, p)       YK_ENTRY_DECLARE_ p
#define YK_ENTRY_DECLARE_(mode, ...) YK_ENTRY_DECLARE_##mode(__VA_ARGS__)
#define YK_ENTRY_DECLARE_yk_value(T, n)
#define YK_ENTRY_DECLARE_yk_in(T, n)
#define YK_ENTRY_DECLARE_yk_out(T, n)
#define YK_ENTRY_DECLARE_yk_inout(T, n)
#define YK_ENTRY_DECLARE_yk_add(T, n)
#define YK_ENTRY_DECLARE_yk_reduce(T, n, identity, ...) YK_RESULT_DECLARE(T, n, identity)
#define YK_ENTRY_DECLARE_yk_local(T, n, count)          __local T n[count];
#define YK_ENTRY_DECLARE_yk_private(T, n)               T n;

#define YK_FORMAL_LOCAL(T, n)   , __local T *n
#define YK_FORMAL_PRIVATE(T, n) , T *n

/* Byte offset of the copy of a sum that this group adds to. */
YOKE_FN long yk_copy(long copies)
{
    const uint32_t group =
        (uint32_t)yk_group_id(0) + (uint32_t)yk_group_id(1) + (uint32_t)yk_group_id(2);
    return (copies >> 9) * (long)(group & (uint32_t)copies & 255);
}

#define YK_ENTRY(name, ...)                                                                        \
    __kernel void yoke_entry_##name(const yk_space yk_part YK_EACH(YK_ENTRY_FORMAL, __VA_ARGS__))

/* Kernels that reduce (kernel_reduce_device.h). */
#define YK_GROUP_MEMORY            __local
#define YK_GROUP_NUMBER            (long)yk_group_id(0)
#define YK_NUMBER_IN_GROUP         (int)yk_local_id(0)
#define YK_REDUCING_HEAD(lanes)    __attribute__((reqd_work_group_size(lanes, 1, 1))) __kernel void
#define YK_RESULTS(T, n)           ((__global T *)((__global char *)n##_yk_results + n##_yk_results_yk_shift))
#define YK_SPREAD_ENTRY(name, ...) /* CUDA only */
#include <yoke/kernel_reduce_device.h>

#define YOKE_KERNEL(name, i, ...) YK_FORM(YK_KERNEL1_, __VA_ARGS__)(name, i, __VA_ARGS__)
#define YK_KERNEL1_plain(name, i, ...)                                                             \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    YK_ENTRY(name, __VA_ARGS__)                                                                    \
    {                                                                                              \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, 0)                                              \
        if (yk_i_beyond)                                                                           \
            return;                                                                                \
        yk_body_##name(yk_i, yk_part.size2, yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));  \
    }                                                                                              \
    YK_BODY1(name, i, __VA_ARGS__)

#define YOKE_KERNEL2(name, i, j, ...) YK_FORM(YK_KERNEL2_, __VA_ARGS__)(name, i, j, __VA_ARGS__)
#define YK_KERNEL2_plain(name, i, j, ...)                                                          \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    YK_ENTRY(name, __VA_ARGS__)                                                                    \
    {                                                                                              \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, 0)                                            \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, 1)                                              \
        if (yk_j_beyond | yk_i_beyond)                                                             \
            return;                                                                                \
        yk_body_##name(yk_i, yk_j, yk_part.size2,                                                  \
                       yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                       \
    }                                                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__)

#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YK_FORM(YK_KERNEL3_, __VA_ARGS__)(name, i, j, k, __VA_ARGS__)
#define YK_KERNEL3_plain(name, i, j, k, ...)                                                       \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    YK_ENTRY(name, __VA_ARGS__)                                                                    \
    {                                                                                              \
        YK_AXIS(yk_k, yk_part.first3, yk_part.last3, 0)                                            \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, 1)                                            \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, 2)                                              \
        if (yk_k_beyond | yk_j_beyond | yk_i_beyond)                                               \
            return;                                                                                \
        yk_body_##name(yk_i, yk_j, yk_k, yk_part.size2,                                            \
                       yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                       \
    }                                                                                              \
    YK_BODY3(name, i, j, k, __VA_ARGS__)

#define YOKE_GROUP_KERNEL(name, i, lanes, unit, ...)                                               \
    YK_FORM(YK_GROUP_KERNEL_, __VA_ARGS__)(name, i, lanes, unit, __VA_ARGS__)
#define YK_GROUP_KERNEL_plain(name, i, lanes, unit, ...)                                           \
    YK_GROUP_CHECK(name, lanes, unit);                                                             \
    YK_GROUP_BODY(name, i, __VA_ARGS__);                                                           \
    __attribute__((reqd_work_group_size(lanes, 1, 1))) YK_ENTRY(name, __VA_ARGS__)                 \
    {                                                                                              \
        __local uint64_t yk_scratch[lanes];                                                        \
        YK_EACH(YK_ENTRY_DECLARE, __VA_ARGS__)                                                     \
        const long yk_i = yk_part.first + (long)yk_group_id(0) * (unit);                           \
        const long yk_left = yk_part.last - yk_i;                                                  \
        if (yk_left > 0)                                                                           \
            yk_body_##name(yk_i, yk_left < (unit) ? (int)yk_left : (unit), lanes,                  \
                           (int)yk_local_id(0), yk_scratch, yk_part.size2,                         \
                           yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                   \
    }                                                                                              \
    YK_GROUP_BODY(name, i, __VA_ARGS__)

#endif
