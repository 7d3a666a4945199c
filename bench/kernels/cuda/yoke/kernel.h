/* kernel.h - kernel files as plain CUDA. This file replaces yoke's own yoke/kernel.h.
 *
 * YOKE_KERNEL(saxpy, i, ...) { body } becomes
 *
 *     __global__ void saxpy_kernel(int size1, int size2, int size3, float a, ...)
 *     {
 *         const int i = blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < size1)
 *             body
 *     }
 *
 * and a function cuda_saxpy that launches it with one thread per index, 256 threads per block (32 x
 * 8 in two and three dimensions). yoke_add is atomicAdd. The lanes of a group are a block; they sum
 * up in a tree in shared memory. Indexes are of type int, as in CUDA programs.
 */
#ifndef YOKE_KERNEL_H
#define YOKE_KERNEL_H

#include <stdint.h>
#include <yoke/kernel_each.h>

#define YOKE_VALUE(T, n) (value, T, n)
#define YOKE_IN(T, n)    (in, T, n)
#define YOKE_OUT(T, n)   (out, T, n)
#define YOKE_INOUT(T, n) (out, T, n)
#define YOKE_ADD(T, n)   (out, T, n)
#define YOKE_SIZE2       size2
#define YOKE_SIZE3       size3
#define YOKE_COUNT       count
#define YOKE_FN          static __device__ __forceinline__
#define YOKE_CONST       static __constant__ const

#define CUDA_FORMAL(k, p)          CUDA_FORMAL_ p
#define CUDA_FORMAL_(mode, T, n)   , CUDA_TYPE_##mode(T) n
#define CUDA_TYPE_value(T)         const T
#define CUDA_TYPE_in(T)            const T *__restrict__
#define CUDA_TYPE_out(T)           T *__restrict__
#define CUDA_ACTUAL(k, p)          CUDA_ACTUAL_ p
#define CUDA_ACTUAL_(mode, T, n)   , n
#define CUDA_TAKE(k, p)            CUDA_TAKE_(k, CUDA_BARE p)
#define CUDA_BARE(...)             __VA_ARGS__
#define CUDA_TAKE_(...)            CUDA_TAKE__(__VA_ARGS__)
#define CUDA_TAKE__(k, mode, T, n) CUDA_TAKE_##mode(k, T, n)
#define CUDA_TAKE_value(k, T, n)   , *(const T *)arguments[k]
#define CUDA_TAKE_in(k, T, n)      , (const T *)arguments[k]
#define CUDA_TAKE_out(k, T, n)     , (T *)arguments[k]

#define CUDA_SIZES       int size2, int size3
#define CUDA_INDEX(i, d) const int i = (int)(blockIdx.d * blockDim.d + threadIdx.d);
#define CUDA_INSIDE(i, d, margin)                                                                  \
    const int i = (margin) + (int)(blockIdx.d * blockDim.d + threadIdx.d);
#define CUDA_BLOCKS(count, threads) (unsigned)(((count) + (threads)-1) / (threads))
/* The beginning of the kernel, and the function that launches it: `grid` blocks of `block`
 * threads. */
#define CUDA_KERNEL(name, ...)                                                                     \
    static __global__ void name##_kernel(int size1, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__))
#define CUDA_LAUNCH(name, grid, block, ...)                                                        \
    static void cuda_##name(void *const *arguments, const int64_t *size)                           \
    {                                                                                              \
        name##_kernel<<<dim3 grid, dim3 block>>>((int)size[0], (int)size[1],                       \
                                                 (int)size[2] YK_EACH(CUDA_TAKE, __VA_ARGS__));    \
        launched(#name);                                                                           \
    }

#define YOKE_KERNEL(name, i, ...)                                                                  \
    YOKE_FN void name(int i, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__));                        \
    CUDA_KERNEL(name, __VA_ARGS__)                                                                 \
    {                                                                                              \
        CUDA_INDEX(i, x)                                                                           \
        if (i < size1)                                                                             \
            name(i, size2, size3 YK_EACH(CUDA_ACTUAL, __VA_ARGS__));                               \
    }                                                                                              \
    CUDA_LAUNCH(name, (CUDA_BLOCKS(size[0], 256)), (256), __VA_ARGS__)                             \
    YOKE_FN void name(int i, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__))

#define YOKE_KERNEL2(name, i, j, ...)                                                              \
    YOKE_FN void name(int i, int j, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__));                 \
    CUDA_KERNEL(name, __VA_ARGS__)                                                                 \
    {                                                                                              \
        CUDA_INDEX(j, x)                                                                           \
        CUDA_INDEX(i, y)                                                                           \
        if (i < size1 && j < size2)                                                                \
            name(i, j, size2, size3 YK_EACH(CUDA_ACTUAL, __VA_ARGS__));                            \
    }                                                                                              \
    CUDA_LAUNCH(name, (CUDA_BLOCKS(size[1], 32), CUDA_BLOCKS(size[0], 8)), (32, 8), __VA_ARGS__)   \
    YOKE_FN void name(int i, int j, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__))

#define YOKE_KERNEL3(name, i, j, k, ...)                                                           \
    YOKE_FN void name(int i, int j, int k, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__));          \
    CUDA_KERNEL(name, __VA_ARGS__)                                                                 \
    {                                                                                              \
        CUDA_INSIDE(k, x, margin_##name)                                                           \
        CUDA_INSIDE(j, y, margin_##name)                                                           \
        CUDA_INSIDE(i, z, margin_##name)                                                           \
        if (i < size1 - margin_##name && j < size2 - margin_##name && k < size3 - margin_##name)   \
            name(i, j, k, size2, size3 YK_EACH(CUDA_ACTUAL, __VA_ARGS__));                         \
    }                                                                                              \
    CUDA_LAUNCH(name,                                                                              \
                (CUDA_BLOCKS(size[2] - 2 * margin_##name, 32),                                     \
                 CUDA_BLOCKS(size[1] - 2 * margin_##name, 8),                                      \
                 CUDA_BLOCKS(size[0] - 2 * margin_##name, 1)),                                     \
                (32, 8), __VA_ARGS__)                                                              \
    YOKE_FN void name(int i, int j, int k, CUDA_SIZES YK_EACH(CUDA_FORMAL, __VA_ARGS__))

#define YOKE_GROUP_KERNEL(name, i, lanes, unit, ...)                                               \
    YOKE_FN void name(int i, int count YK_EACH(CUDA_FORMAL, __VA_ARGS__));                         \
    CUDA_KERNEL(name, __VA_ARGS__)                                                                 \
    {                                                                                              \
        const int i = (int)blockIdx.x * (unit), count = size1 - i < (unit) ? size1 - i : (unit);   \
        name(i, count YK_EACH(CUDA_ACTUAL, __VA_ARGS__));                                          \
    }                                                                                              \
    CUDA_LAUNCH(name, (CUDA_BLOCKS(size[0], unit)), (lanes), __VA_ARGS__)                          \
    YOKE_FN void name(int i, int count YK_EACH(CUDA_FORMAL, __VA_ARGS__))
#define YOKE_LANE_SUM(T, s, j, lo, hi, ...)                                                        \
    __shared__ T s##_lane[1024];                                                                   \
    T s = 0;                                                                                       \
    for (int j = (lo) + (int)threadIdx.x; j < (hi); j += (int)blockDim.x)                          \
        s += (__VA_ARGS__);                                                                        \
    s##_lane[threadIdx.x] = s;                                                                     \
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {                                    \
        __syncthreads();                                                                           \
        if (threadIdx.x < half)                                                                    \
            s##_lane[threadIdx.x] += s##_lane[threadIdx.x + half];                                 \
    }                                                                                              \
    __syncthreads();                                                                               \
    s = s##_lane[0];
#define YOKE_ONCE if (threadIdx.x == 0)

template <class T, class V> static __device__ __forceinline__ void yoke_add(T *sum, V value)
{
    atomicAdd(sum, (T)value);
}

#endif
