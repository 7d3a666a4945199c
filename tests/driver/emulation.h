/* emulation.h - CUDA C++ for the host's compiler: the subset that yoke's kernels use. The stand-in
 * NVRTC puts it before every source text.
 *
 * A kernel is called once for each of its threads. All threads of a block take turns on one thread
 * of the host, so variables shared by a block are that thread's thread-local storage. Like NVRTC
 * this defines no types of the C library: a text that needs them must define them. */
#include <math.h>
#include <stdlib.h>

#include "image.h"

#define YOKE_NO_PTX
#undef INFINITY
#undef NAN

/* The stand-in NVRTC finds the entries by exactly this attribute. */
#define __global__ __attribute__((used, visibility("default")))
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __shared__          static thread_local
#define YK_OWN_MEMORY(name) static thread_local uint64_t name[STANDIN_SHARED_BYTES / 8];

static thread_local struct standin_indices standin_here;
static void (*standin_barrier)(void);
#define threadIdx standin_here.thread
#define blockIdx  standin_here.block
#define blockDim  standin_here.block_size
#define gridDim   standin_here.grid_size

extern "C" struct standin_indices *standin_open(void (*barrier)(void))
{
    __atomic_store_n(&standin_barrier, barrier, __ATOMIC_RELAXED);
    return &standin_here;
}

static inline void __syncthreads()
{
    __atomic_load_n(&standin_barrier, __ATOMIC_RELAXED)();
}

/* True if the predicate is true in any thread of the block. */
static inline int __syncthreads_or(int predicate)
{
    static thread_local int any;
    __syncthreads(); /* all threads have read the result of the call before */
    any = 0;
    __syncthreads();
    if (predicate)
        any = 1;
    __syncthreads();
    return any;
}

/* Votes of a warp; correct only if the warp is the whole block. */
static inline int __any_sync(unsigned, int predicate)
{
    return __syncthreads_or(predicate);
}

/* The votes of the lanes as a bit mask; the same limit. */
static inline unsigned __ballot_sync(unsigned, int predicate)
{
    static thread_local unsigned all;
    __syncthreads();
    all = 0;
    __syncthreads();
    if (predicate)
        all |= 1u << standin_here.thread.x;
    __syncthreads();
    return all;
}
static inline unsigned __shfl_sync(unsigned, unsigned value, int lane)
{
    static thread_local unsigned given;
    __syncthreads();
    if ((int)standin_here.thread.x == lane)
        given = value;
    __syncthreads();
    return given;
}
/* Lanes run one after the other, so each is the only active lane of its warp. */
static inline unsigned __activemask()
{
    return 1u << standin_here.thread.x % 32;
}
static inline unsigned __match_all_sync(unsigned mask, unsigned long long, int *same)
{
    *same = 1;
    return mask;
}
template <typename T> static inline T __shfl_xor_sync(unsigned, T value, int)
{
    return value;
}
static inline void __syncwarp()
{
    __syncthreads();
}
static inline int __popc(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        ++count; /* the compiler's builtin may call its library, which is not linked */
    return count;
}

static inline int __clz(int value)
{
    int count = 0;
    for (unsigned bit = 0x80000000u; bit && !((unsigned)value & bit); bit >>= 1)
        ++count;
    return count;
}

/* ---- functions ---- */

template <typename T> static inline T atomicAdd(T *at, T value)
{
    T before, after;
    __atomic_load(at, &before, __ATOMIC_RELAXED);
    do
        after = before + value;
    while (
        !__atomic_compare_exchange(at, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return before;
}

static inline int __float_as_int(float value)
{
    int bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float __int_as_float(int bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float standin_rsqrt(float x)
{
    return 1.0f / sqrtf(x);
}
static inline double standin_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
#define rsqrtf(x) standin_rsqrt((float)(x)) /* the C library may or may not have its own */
#define rsqrt(x)  standin_rsqrt((double)(x))

/* ---- entries: parameters are passed as to cuLaunchKernel, one address each ---- */

template <int... I> struct standin_list {
};
template <int N, int... I> struct standin_range : standin_range<N - 1, N - 1, I...> {
};
template <int... I> struct standin_range<0, I...> {
    typedef standin_list<I...> list;
};

template <typename... P, int... I>
static inline void standin_apply(void (*kernel)(P...), void *const *args, standin_list<I...>)
{
    kernel(*static_cast<P *>(args[I])...);
}
template <typename... P> static inline void standin_run(void (*kernel)(P...), void *const *args)
{
    standin_apply(kernel, args, typename standin_range<sizeof...(P)>::list());
}

template <typename... P> struct standin_sizes {
    static const unsigned of[];
};
template <typename... P> const unsigned standin_sizes<P...>::of[] = { sizeof(P)..., 0 };

template <typename... P>
static constexpr struct standin_entry standin_describe(void (*)(P...), void (*call)(void *const *))
{
    return { call, sizeof...(P), standin_sizes<P...>::of };
}
