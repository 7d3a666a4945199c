/* yoke/kernel_cuda.h - the kernel forms in CUDA C++ (NVRTC and nvcc), and how to launch them.
 *
 * Only seen while a kernel file is flattened (YOKE_FLATTEN and YOKE_CUDA). A device's source is the
 * prelude (yoke/prelude_cuda.h) + the flattened text + the size checks of shared types.
 *
 * Entry point     yoke_entry_NAME, extern "C".
 * Arguments       int64_t first, last, size2, size3, then the kernel's parameters in order: a
 * value, or a pointer to the array's global element 0 (the host adds the shift); of mode add, then
 * an int64_t: how far apart its copies are in bytes, times 256, and one less than how many there
 * are, a power of two; a block adds to one of them, which spares others the wait. Range kernels
 * (descriptor: lanes 0) threads x walk the LAST index, as many grid dimensions as the kernel has:
 * 1-D { last - first }, 2-D { size2, last - first }, 3-D { size3, size2, last - first }. All
 * dimensions loop with the grid's stride: any grid of at least one block is right, one that covers
 * the range is fastest. Group kernels   (descriptor: lanes L > 0, unit U) blocks of L threads,
 * ceil((last - first) / U) of them, no fewer: block b does U indexes from first + b * U.
 */
#ifndef YOKE_KERNEL_CUDA_H
#define YOKE_KERNEL_CUDA_H

#define YK_ENTRY_FORMAL(k, p)          YK_ENTRY_FORMAL_ p
#define YK_ENTRY_FORMAL_(mode, ...)    YK_ENTRY_FORMAL_##mode(__VA_ARGS__)
#define YK_ENTRY_FORMAL_yk_value(T, n) , T n
#define YK_ENTRY_FORMAL_yk_in(T, n)    , const T *__restrict__ n
#define YK_ENTRY_FORMAL_yk_out(T, n)   , T *__restrict__ n
#define YK_ENTRY_FORMAL_yk_inout(T, n) YK_ENTRY_FORMAL_yk_out(T, n)
#define YK_ENTRY_FORMAL_yk_add(T, n)   , T *__restrict__ n, int64_t n##_yk_copies
#define YK_ENTRY_FORMAL_yk_local(T, n, count)
#define YK_ENTRY_FORMAL_yk_private(T, n)

#define YK_ENTRY_ACTUAL(k, p)                 YK_ENTRY_ACTUAL_ p
#define YK_ENTRY_ACTUAL_(mode, ...)           YK_ENTRY_ACTUAL_##mode(__VA_ARGS__)
#define YK_ENTRY_ACTUAL_yk_value(T, n)        , n
#define YK_ENTRY_ACTUAL_yk_in(T, n)           , n
#define YK_ENTRY_ACTUAL_yk_out(T, n)          , n
#define YK_ENTRY_ACTUAL_yk_inout(T, n)        , n
#define YK_ENTRY_ACTUAL_yk_add(T, n)          , (T *)((char *)n + yk_copy(n##_yk_copies))
#define YK_ENTRY_ACTUAL_yk_local(T, n, count) , n
#define YK_ENTRY_ACTUAL_yk_private(T, n)      , &n

#define YK_ENTRY_DECLARE(k, p)       YK_ENTRY_DECLARE_ p
#define YK_ENTRY_DECLARE_(mode, ...) YK_ENTRY_DECLARE_##mode(__VA_ARGS__)
#define YK_ENTRY_DECLARE_yk_value(T, n)
#define YK_ENTRY_DECLARE_yk_in(T, n)
#define YK_ENTRY_DECLARE_yk_out(T, n)
#define YK_ENTRY_DECLARE_yk_inout(T, n)
#define YK_ENTRY_DECLARE_yk_add(T, n)
#define YK_ENTRY_DECLARE_yk_local(T, n, count) __shared__ T n[count];
#define YK_ENTRY_DECLARE_yk_private(T, n)      T n;

#define YK_FORMAL_LOCAL(T, n)   , T *n
#define YK_FORMAL_PRIVATE(T, n) , T *n

/* Where the copy of a sum lies that this block adds to. */
YOKE_FN int64_t yk_copy(int64_t copies)
{
    const unsigned block = blockIdx.x + blockIdx.y + blockIdx.z;
    return (copies >> 8) * (int64_t)(block & (unsigned)copies & 255);
}

#define YK_ENTRY(name, ...)                                                                        \
    yoke_entry_##name(int64_t yk_first, int64_t yk_last, int64_t yk_size2,                         \
                      int64_t yk_size3 YK_EACH(YK_ENTRY_FORMAL, __VA_ARGS__))

#define YK_STRIDE(i, from, to, d)                                                                  \
    for (int64_t i = (from) + (int64_t)blockIdx.d * blockDim.d + threadIdx.d; i < (to);            \
         i += (int64_t)gridDim.d * blockDim.d)

#define YOKE_KERNEL(name, i, ...)                                                                  \
    YK_BODY1(name, i, __VA_ARGS__);                                                                \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_STRIDE(yk_i, yk_first, yk_last, x)                                                      \
        yk_body_##name(yk_i, yk_size2, yk_size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));            \
    }                                                                                              \
    YK_BODY1(name, i, __VA_ARGS__)

#define YOKE_KERNEL2(name, i, j, ...)                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__);                                                             \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_STRIDE(yk_i, yk_first, yk_last, y)                                                      \
        YK_STRIDE(yk_j, 0, yk_size2, x)                                                            \
        yk_body_##name(yk_i, yk_j, yk_size2, yk_size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));      \
    }                                                                                              \
    YK_BODY2(name, i, j, __VA_ARGS__)

#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YK_BODY3(name, i, j, k, __VA_ARGS__);                                                          \
    extern "C" __global__ void YK_ENTRY(name, __VA_ARGS__)                                         \
    {                                                                                              \
        YK_STRIDE(yk_i, yk_first, yk_last, z)                                                      \
        YK_STRIDE(yk_j, 0, yk_size2, y)                                                            \
        YK_STRIDE(yk_k, 0, yk_size3, x)                                                            \
        yk_body_##name(yk_i, yk_j, yk_k, yk_size2,                                                 \
                       yk_size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                            \
    }                                                                                              \
    YK_BODY3(name, i, j, k, __VA_ARGS__)

#define YOKE_GROUP_KERNEL(name, i, lanes, unit, ...)                                               \
    YK_GROUP_CHECK(name, lanes, unit);                                                             \
    YK_GROUP_BODY(name, i, __VA_ARGS__);                                                           \
    extern "C" __global__ void __launch_bounds__(lanes) YK_ENTRY(name, __VA_ARGS__)                \
    {                                                                                              \
        __shared__ uint64_t yk_scratch[lanes];                                                     \
        YK_EACH(YK_ENTRY_DECLARE, __VA_ARGS__)                                                     \
        const int64_t yk_i = yk_first + (int64_t)blockIdx.x * (unit);                              \
        const int64_t yk_left = yk_last - yk_i;                                                    \
        if (yk_left > 0)                                                                           \
            yk_body_##name(yk_i, yk_left < (unit) ? (int)yk_left : (unit), lanes,                  \
                           (int)threadIdx.x, yk_scratch, yk_size2,                                 \
                           yk_size3 YK_EACH(YK_ENTRY_ACTUAL, __VA_ARGS__));                        \
    }                                                                                              \
    YK_GROUP_BODY(name, i, __VA_ARGS__)

#endif
