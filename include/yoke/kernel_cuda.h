/* yoke/kernel_cuda.h - the kernel forms in CUDA C++ (NVRTC and nvcc), and how to launch them.
 *
 * Only seen while a kernel file is flattened (YOKE_FLATTEN and YOKE_CUDA). A device's source is the
 * prelude (yoke/prelude_cuda.h) + the flattened text + the size checks of shared types.
 *
 * Entry point     yoke_entry_NAME, extern "C". For range kernels also yoke_entry32_NAME with the
 *                 same arguments, which libyoke makes from it for ranges with 32-bit indexes:
 *                 bodies and entries are here in the order that src/access/narrow.c expects.
 * Arguments       a yk_space (prelude_cuda.h) by value, then the kernel's parameters in order: a
 *                 value, or a pointer to the array's global element 0 (the host adds the shift);
 *                 for mode add also an int64_t: the bytes from one copy to the next, times 512,
 *                 plus 256 if blocks gather (below), plus the number of copies (a power of two)
 *                 less one. A block adds to one of the copies, so that fewer blocks add to the same
 *                 one.
 * Range kernels   (descriptor: lanes 0) one thread per index, threads x along the LAST dimension,
 *                 as many grid dimensions as the kernel has. The grid must cover the space; threads
 *                 beyond its ends do nothing. No loops: with grid-stride loops and 64-bit counters
 *                 a 7-point stencil took twice as long (docs/results/kernels-h200.md). A thread's
 *                 number in one launch has 32 bits, so a launch covers at most 2^31 indexes in each
 *                 dimension; larger spaces take several launches.
 *                 Kernels that add may get fewer blocks: a block then does several turns along the
 *                 first dimension. If blocks gather, a block adds to sums of its own, in shared
 *                 memory (dynamic: all sums one after another), and at its end adds these to its
 *                 copy.
 * Group kernels   (descriptor: lanes L > 0, unit U) exactly ceil((last - first) / U) blocks of L
 *                 threads: block b does U indexes from first + b * U.
 */
#ifndef YOKE_KERNEL_CUDA_H
#define YOKE_KERNEL_CUDA_H

#define YK_ENTRY_FORMAL(k, p)                YK_ENTRY_FORMAL_ p
#define YK_ENTRY_FORMAL_(mode, ...)          YK_ENTRY_FORMAL_##mode(__VA_ARGS__)
#define YK_ENTRY_FORMAL_yk_value(T, n)       , T n
#define YK_ENTRY_FORMAL_yk_in(T, n)          , const T *__restrict__ n
#define YK_ENTRY_FORMAL_yk_out(T, n)         , T *__restrict__ n
#define YK_ENTRY_FORMAL_yk_inout(T, n)       YK_ENTRY_FORMAL_yk_out(T, n)
#define YK_ENTRY_FORMAL_yk_add(T, n)         , T *__restrict__ n, int64_t n##_yk_copies
#define YK_ENTRY_FORMAL_yk_reduce(T, n, ...) YK_ENTRY_FORMAL_yk_out(T, n##_yk_results)
#define YK_ENTRY_FORMAL_yk_local(T, n, count)
#define YK_ENTRY_FORMAL_yk_private(T, n)

#define YK_ENTRY_ACTUAL(k, p)                 YK_ENTRY_ACTUAL_ p
#define YK_ENTRY_ACTUAL_(mode, ...)           YK_ENTRY_ACTUAL_##mode(__VA_ARGS__)
#define YK_ENTRY_ACTUAL_yk_value(T, n)        , n
#define YK_ENTRY_ACTUAL_yk_in(T, n)           , n
#define YK_ENTRY_ACTUAL_yk_out(T, n)          , n
#define YK_ENTRY_ACTUAL_yk_inout(T, n)        , n
#define YK_ENTRY_ACTUAL_yk_add(T, n)          , (T *)((char *)n + yk_copy(n##_yk_copies))
#define YK_ENTRY_ACTUAL_yk_reduce(T, n, ...)  , &n YK_ACTUAL_HOW(T, n, __VA_ARGS__)
#define YK_ENTRY_ACTUAL_yk_local(T, n, count) , n
#define YK_ENTRY_ACTUAL_yk_private(T, n)      , &n

#define YK_ENTRY_DECLARE(k, p)       YK_ENTRY_DECLARE_ p
#define YK_ENTRY_DECLARE_(mode, ...) YK_ENTRY_DECLARE_##mode(__VA_ARGS__)
#define YK_ENTRY_DECLARE_yk_value(T, n)
#define YK_ENTRY_DECLARE_yk_in(T, n)
#define YK_ENTRY_DECLARE_yk_out(T, n)
#define YK_ENTRY_DECLARE_yk_inout(T, n)
#define YK_ENTRY_DECLARE_yk_add(T, n)
#define YK_ENTRY_DECLARE_yk_reduce(T, n, identity, ...) YK_RESULT_DECLARE(T, n, identity)
#define YK_ENTRY_DECLARE_yk_local(T, n, count)          __shared__ T n[count];
#define YK_ENTRY_DECLARE_yk_private(T, n)               T n;

#define YK_FORMAL_LOCAL(T, n)   , T *n
#define YK_FORMAL_PRIVATE(T, n) , T *n

/* Byte offset of the copy of a sum that this block adds to. */
YOKE_FN int64_t yk_copy(int64_t copies)
{
    const unsigned block = blockIdx.x + blockIdx.y + blockIdx.z;
    return (copies >> 9) * (int64_t)(block & (unsigned)copies & 255);
}

#define YK_ENTRY(name, ...)                                                                        \
    yoke_entry_##name(const yk_space yk_part YK_EACH(YK_ENTRY_FORMAL, __VA_ARGS__))

/* Kernels that reduce (kernel_reduce_device.h). */
#define YK_GROUP_MEMORY         __shared__
#define YK_GROUP_NUMBER         (int64_t) blockIdx.x
#define YK_NUMBER_IN_GROUP      (int)threadIdx.x
#define YK_REDUCING_HEAD(lanes) extern "C" __global__ void __launch_bounds__(lanes)
#define YK_RESULTS(T, n)        n##_yk_results
#include <yoke/kernel_reduce_device.h>
#include <yoke/kernel_spread_cuda.h>

/* Kernels that add: YK_KERNEL1_adds, YK_KERNEL2_adds and YK_KERNEL3_adds. */
#include <yoke/kernel_gather_cuda.h>

#define YOKE_KERNEL(name, i, ...)      YK_FORM(YK_KERNEL1_, __VA_ARGS__)(name, i, __VA_ARGS__)
#define YK_KERNEL1_plain(name, i, ...) YK_RANGE_FORM(YK_KERNEL1_, __VA_ARGS__)(name, i, __VA_ARGS__)
#define YK_KERNEL1_simple(name, i, ...)                                                            \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, x)                                              \
        if (yk_i_beyond)                                                                           \
            return;                                                                                \
        yk_body_##name(yk_i, yk_part.size2, yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));  \
    }                                                                                              \
    YK_BODY1(name, i, __VA_ARGS__)

#define YOKE_KERNEL2(name, i, j, ...) YK_FORM(YK_KERNEL2_, __VA_ARGS__)(name, i, j, __VA_ARGS__)
#define YK_KERNEL2_plain(name, i, j, ...)                                                          \
    YK_RANGE_FORM(YK_KERNEL2_, __VA_ARGS__)(name, i, j, __VA_ARGS__)
#define YK_KERNEL2_simple(name, i, j, ...)                                                         \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, x)                                            \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, y)                                              \
        if (yk_j_beyond | yk_i_beyond)                                                             \
            return;                                                                                \
        yk_body_##name(yk_i, yk_j, yk_part.size2,                                                  \
                       yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                       \
    }                                                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__)

#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YK_FORM(YK_KERNEL3_, __VA_ARGS__)(name, i, j, k, __VA_ARGS__)
#define YK_KERNEL3_plain(name, i, j, k, ...)                                                       \
    YK_RANGE_FORM(YK_KERNEL3_, __VA_ARGS__)(name, i, j, k, __VA_ARGS__)
#define YK_KERNEL3_simple(name, i, j, k, ...)                                                      \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_AXIS(yk_k, yk_part.first3, yk_part.last3, x)                                            \
        YK_AXIS(yk_j, yk_part.first2, yk_part.last2, y)                                            \
        YK_AXIS(yk_i, yk_part.first, yk_part.last, z)                                              \
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
    extern "C" __global__ void __launch_bounds__(lanes) YK_ENTRY(name, __VA_ARGS__)                \
    {                                                                                              \
        __shared__ uint64_t yk_scratch[lanes];                                                     \
        YK_EACH(YK_ENTRY_DECLARE, __VA_ARGS__)                                                     \
        const int64_t yk_i = yk_part.first + (int64_t)blockIdx.x * (unit);                         \
        const int64_t yk_left = yk_part.last - yk_i;                                               \
        if (yk_left > 0)                                                                           \
            yk_body_##name(yk_i, yk_left < (unit) ? (int)yk_left : (unit), lanes,                  \
                           (int)threadIdx.x, yk_scratch, yk_part.size2,                            \
                           yk_part.size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                   \
    }                                                                                              \
    YK_GROUP_BODY(name, i, __VA_ARGS__)

#endif
