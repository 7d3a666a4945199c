/* yoke/prelude_cuda.h - the language layer of CUDA C++: put before every flattened kernel text,
 * never included by C code.
 *
 * NVRTC comes without the C library's headers, so their types and limits are given here; nvcc has
 * them.
 */
#pragma nv_diag_suppress 177, 550 /* declared or set but not used: most of this prelude */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#define INT8_MAX    127
#define INT16_MAX   32767
#define INT32_MAX   2147483647
#define INT32_MIN   (-2147483647 - 1)
#define INT64_MAX   9223372036854775807L
#define INT64_MIN   (-9223372036854775807L - 1)
#define UINT8_MAX   255
#define UINT16_MAX  65535
#define UINT32_MAX  4294967295u
#define UINT64_MAX  18446744073709551615ul
#define FLT_MAX     3.402823466e+38f
#define FLT_MIN     1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX     1.7976931348623158e+308
#define DBL_MIN     2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY    __int_as_float(0x7f800000)
#define NAN         __int_as_float(0x7fffffff)
#else
#include <float.h>
#include <math.h>
#include <stdint.h>
#endif
#define YOKE_PI   3.14159265358979323846
#define YOKE_PI_F 3.14159265f

/* The indexes of one launch, in each dimension from first to last - 1, and the sizes of the second
 * and third dimension as the body sees them. Its layout must be that of the host's struct
 * yk_space. */
typedef struct yk_space {
    int64_t first, last, first2, last2, first3, last3, size2, size3;
} yk_space;

#define YOKE_FN    static __device__ __forceinline__
#define YOKE_CONST static __device__ __constant__ const
#define YOKE_GLOBAL
#define YOKE_SHARED
#define YOKE_RESTRICT __restrict__
#define YOKE_ALIGN(n) __attribute__((aligned(n)))
#define restrict __restrict__
#define register /* hexadecimal floats need C++17, which refuses this word */
#define _Bool bool
#define _Static_assert static_assert

/* The processor's own instruction; rsqrtf adds a comparison and two products for denormal
 * numbers. */
YOKE_FN float yoke_rsqrtf(float x)
{
#ifdef YOKE_NO_PTX /* the compiler generates code for other processors */
    return rsqrtf(x);
#else
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#endif
}

YOKE_FN int32_t yoke_float_as_int(float x)
{
    return __float_as_int(x);
}
YOKE_FN float yoke_int_as_float(int32_t x)
{
    return __int_as_float(x);
}

/* Of the arguments of functions that exist for float and double (yoke/flatten/math.h): an int
 * counts as a double. */
YOKE_FN float yk_real(float x)
{
    return x;
}
YOKE_FN double yk_real(double x)
{
    return x;
}
template <typename T> YOKE_FN double yk_real(T x)
{
    return (double)x;
}
/* Of <stdlib.h>. C++ has it for real numbers, too, and does not convert them to int. */
#define abs(x) abs((int)(x))
YOKE_FN int yk_fpclassify(float x)
{
    return isnan(x) ? 0 : isinf(x) ? 1 : x == 0 ? 2 : fabsf(x) < 1.175494351e-38f ? 3 : 4;
}
YOKE_FN int yk_fpclassify(double x)
{
    return isnan(x) ? 0 : isinf(x) ? 1 : x == 0 ? 2 : fabs(x) < 2.2250738585072014e-308 ? 3 : 4;
}

/* Declares i, the thread's index in the grid's dimension d, and i_beyond, 1 if i is beyond the
 * range. Entries test all dimensions at once. With one test for each, a thread waits for its
 * position in the grid three times: a stencil in three dimensions took 4 % longer. */
#define YK_AXIS(i, from, to, d)                                                                    \
    const int64_t i = (from) + (int64_t)(blockIdx.d * blockDim.d + threadIdx.d);                   \
    const int i##_beyond = i >= (to);
/* As YK_AXIS, in entries for 32-bit indexes (access/narrow.h). If i were computed from a 64-bit
 * sum, each address would take two more instructions. */
#define YK_AXIS32(i, from, to, d)                                                                  \
    const unsigned i##_at = blockIdx.d * blockDim.d + threadIdx.d;                                 \
    const int i##_beyond = i##_at >= (unsigned)(to) - (unsigned)(from);                            \
    const int32_t i = (int32_t)((unsigned)(from) + i##_at);

/* Declares i, the index of a turn, as wide as YK_AXIS or YK_AXIS32 does. */
#define YK_TURN(i, at)   const int64_t i = (at);
#define YK_TURN32(i, at) const int32_t i = (int32_t)(at);

#define YOKE_BARRIER __syncthreads()
#define YK_MINE      /* a word that yoke-embed sees in YOKE_MINE */

/* The second entry of a kernel that reduces (kernel_spread_cuda.h). src/backend/prelude.c defines
 * YK_SPREADS. */
#ifdef YK_SPREADS
#define YK_SPREAD(...) __VA_ARGS__
#else
#define YK_SPREAD(...)
#endif

/* Atomics on one address take turns. So a whole warp that adds to one element folds its values
 * first, and one lane adds: a dot product of 268,435,456 floats into one element takes 43 ms on an
 * H200 without this, 0.9 ms with it and with several copies (docs/results/kernels-h200.md). Lanes
 * of a warp that has diverged add one by one: comparing all addresses there would cost more than it
 * saves. Texts for step kernels are compiled with a YK_FOLDS of 0 (src/backend/prelude.c). */
#ifndef YK_FOLDS
#define YK_FOLDS 1
#endif
#if YK_FOLDS && __CUDA_ARCH__ >= 700
#define YK_ADD_FOLDS(T, C)                                                                         \
    if (__activemask() == 0xffffffffu) {                                                           \
        int yk_same;                                                                               \
        (void)__match_all_sync(0xffffffffu, (unsigned long long)p, &yk_same);                      \
        if (yk_same) {                                                                             \
            for (int yk_d = 16; yk_d > 0; yk_d /= 2)                                               \
                v += (T)__shfl_xor_sync(0xffffffffu, (C)v, yk_d);                                  \
            if (yk_lane() != 0)                                                                    \
                return;                                                                            \
        }                                                                                          \
    }
#else
#define YK_ADD_FOLDS(T, C)
#endif
YOKE_FN unsigned yk_thread(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
YOKE_FN unsigned yk_lane(void)
{
    return yk_thread() % 32;
}

/* Blocks that gather (kernel_gather_cuda.h). Each launch says how much memory they have. */
#ifndef YK_GATHERS
#define YK_GATHERS 1
#endif
#ifndef YK_OWN_MEMORY
#define YK_OWN_MEMORY(name) extern __shared__ uint64_t name[];
#endif
YOKE_FN unsigned yk_gathered_bytes(int64_t copies)
{
    return copies & 256 ? (unsigned)(copies >> 9) : 0;
}
YOKE_FN unsigned yk_threads(void)
{
    return blockDim.x * blockDim.y * blockDim.z;
}
YOKE_FN void yk_gather_begin(uint64_t *sums, unsigned bytes)
{
    for (unsigned k = yk_thread(); k < bytes / sizeof *sums; k += yk_threads())
        sums[k] = 0;
    __syncthreads();
}
/* The sums that a thread keeps of its own: COUNT elements of a YOKE_ADD array from the first on;
 * with 0 elements the body adds to the array itself. */
#ifndef YK_SUMS
#define YK_SUMS(n) 0
#endif
template <typename T> struct yk_own_sum {
    T value;
};
template <typename T, int COUNT> struct yk_thread_sums {
    yk_own_sum<T> of[COUNT];
};
template <typename T> struct yk_thread_sums<T, 0> {
};
template <typename T, int COUNT>
YOKE_FN yk_own_sum<T> *yk_sums_of(yk_thread_sums<T, COUNT> &sums, T *array)
{
    return sums.of;
}
template <typename T> YOKE_FN T *yk_sums_of(yk_thread_sums<T, 0> &sums, T *array)
{
    return array;
}
#define YK_ADD(T, C)                                                                               \
    YOKE_FN void yoke_add(T *p, T v)                                                               \
    {                                                                                              \
        YK_ADD_FOLDS(T, C)                                                                         \
        (void)atomicAdd((C *)p, (C)v);                                                             \
    }                                                                                              \
    YOKE_FN void yoke_add(yk_own_sum<T> *p, T v)                                                   \
    {                                                                                              \
        p->value += v;                                                                             \
    }                                                                                              \
    YOKE_FN void yk_gathered_add(T *to, const T *sums, unsigned bytes)                             \
    {                                                                                              \
        for (unsigned k = yk_thread(); k < bytes / sizeof(T); k += yk_threads())                   \
            if (sums[k] != 0)                                                                      \
                (void)atomicAdd((C *)to + k, (C)sums[k]);                                          \
    }
YK_ADD(int32_t, int)
YK_ADD(uint32_t, unsigned int)
YK_ADD(int64_t, unsigned long long)
YK_ADD(uint64_t, unsigned long long)
YK_ADD(float, float)
YK_ADD(double, double)

YOKE_FN int yk_any_of_warp(int x)
{
#if __CUDA_ARCH__ >= 700
    if (__activemask() == 0xffffffffu)
        return __ballot_sync(0xffffffffu, x) != 0;
#endif
    return x;
}
/* An element that no index adds to may lie outside the array. Its sums are 0, so it is not
 * touched. */
template <typename T, int COUNT>
YOKE_FN void yk_thread_sums_add(const yk_thread_sums<T, COUNT> &sums, T *to)
{
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        if (yk_any_of_warp(sums.of[k].value != 0))
            yoke_add(to + k, sums.of[k].value);
}
template <typename T> YOKE_FN void yk_thread_sums_add(const yk_thread_sums<T, 0> &sums, T *to)
{
}

/* Reductions (kernel_reduce.h says what op is, reduce.h what it means): MIN and MAX ignore NaNs,
 * integers wrap. */
#define YK_REDUCE_ALL(T, W, bits)                                                                  \
    YOKE_FN void yk_reduce_into(const int op, T *p, const T v)                                     \
    {                                                                                              \
        *p = op == 0   ? (T)((W)*p + (W)v)                                                         \
             : op == 1 ? (T)((W)*p * (W)v)                                                         \
             : op == 2 ? (v < *p ? v : *p)                                                         \
             : op == 3 ? (v > *p ? v : *p)                                                         \
                       : bits(op, *p, v);                                                          \
    }                                                                                              \
    typedef struct yoke_at_##T {                                                                   \
        T value;                                                                                   \
        int64_t place;                                                                             \
    } yoke_at_##T;                                                                                 \
    YOKE_FN void yk_reduce_into(const int op, yoke_at_##T *p, const yoke_at_##T v)                 \
    {                                                                                              \
        const bool is_better = op == 7 ? v.value < p->value : v.value > p->value;                  \
        if (is_better || (v.value == p->value && (uint64_t)v.place < (uint64_t)p->place))          \
            *p = v;                                                                                \
    }                                                                                              \
    YOKE_FN void yk_reduce_place(const int op, yoke_at_##T *p, const T v, const int64_t place)     \
    {                                                                                              \
        const yoke_at_##T both = { v, place };                                                     \
        yk_reduce_into(op, p, both);                                                               \
    }
#define YK_REDUCE_BITS(op, a, b)    (op == 4 ? (a) & (b) : op == 5 ? (a) | (b) : (a) ^ (b))
#define YK_REDUCE_NO_BITS(op, a, b) (a)
YK_REDUCE_ALL(int32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(uint32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(int64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(uint64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(float, float, YK_REDUCE_NO_BITS)
YK_REDUCE_ALL(double, double, YK_REDUCE_NO_BITS)
