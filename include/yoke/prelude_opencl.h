/* yoke/prelude_opencl.h - the language layer of OpenCL C 1.2: put before every flattened kernel
 * text, never included by C code.
 *
 * OpenCL C 1.2 has no variadic macros, so there are none here. Its mathematics follow in
 * yoke/prelude_opencl_math.h.
 */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define YOKE_FN       static inline __attribute__((always_inline))
#define YOKE_CONST    __constant const
#define YOKE_GLOBAL   __global
#define YOKE_SHARED   __local
#define YOKE_RESTRICT restrict
#define YOKE_ALIGN(n) __attribute__((aligned(n)))
#define register /* OpenCL C 1.2 refuses this word */

#define YK_OVERLOAD static inline __attribute__((overloadable, always_inline))

/* What yoke's macros call in a kernel file's text, which may use OpenCL's names for something else:
 * barrier may be a parameter. */
YK_OVERLOAD void yk_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
YK_OVERLOAD size_t yk_global_id(uint32_t d)
{
    return get_global_id(d);
}
YK_OVERLOAD size_t yk_group_id(uint32_t d)
{
    return get_group_id(d);
}
YK_OVERLOAD size_t yk_local_id(uint32_t d)
{
    return get_local_id(d);
}
YK_OVERLOAD uint32_t yk_atomic_add(volatile __local uint32_t *p, uint32_t v)
{
    return atomic_add(p, v);
}
YK_OVERLOAD uint32_t yk_atomic_add(volatile __global uint32_t *p, uint32_t v)
{
    return atomic_add(p, v);
}
YK_OVERLOAD int32_t yk_as_int(float x)
{
    return as_int(x);
}
YK_OVERLOAD float yk_as_float(int32_t x)
{
    return as_float(x);
}

/* The indexes of one launch, in each dimension from first to last - 1, and the sizes of the second
 * and third dimension as the body sees them. Its layout must be that of the host's struct
 * yk_space. */
typedef struct yk_space {
    int64_t first, last, first2, last2, first3, last3, size2, size3;
} yk_space;

/* Declares i, the work-item's index in dimension d of the index space, and i_beyond, 1 if i is
 * beyond the range. Entries test all dimensions at once (prelude_cuda.h). */
#define YK_AXIS(i, from, to, d)                                                                    \
    const long i = (from) + (long)yk_global_id(d);                                                 \
    const int i##_beyond = i >= (to);
/* As YK_AXIS, in entries for 32-bit indexes (access/narrow.h). */
#define YK_AXIS32(i, from, to, d)                                                                  \
    const uint32_t i##_at = (uint32_t)yk_global_id(d);                                             \
    const int i##_beyond = i##_at >= (uint32_t)(to) - (uint32_t)(from);                            \
    const int i = (int)((uint32_t)(from) + i##_at);

#define YOKE_BARRIER yk_barrier()
#define YK_MINE      /* a word that yoke-embed sees in YOKE_MINE */

#define yoke_float_as_int(x) yk_as_int((float)(x))
#define yoke_int_as_float(x) yk_as_float((int)(x))

#define YOKE_PI   3.14159265358979323846
#define YOKE_PI_F 3.14159265f
#ifndef INT32_MAX
#define INT8_MAX   127
#define INT16_MAX  32767
#define INT32_MAX  2147483647
#define INT32_MIN  (-2147483647 - 1)
#define INT64_MAX  9223372036854775807L
#define INT64_MIN  (-9223372036854775807L - 1)
#define UINT8_MAX  255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#endif

/* NVIDIA's GPUs fold and add floating point in memory, as prelude_cuda.h explains. OpenCL 1.2 has
 * no names for that, but their compiler accepts PTX. YK_NVIDIA, a build option, is the major number
 * of the compute capability. */
#ifndef YK_FOLDS
#define YK_FOLDS 1
#endif
#if YK_FOLDS && YK_NVIDIA >= 7
/* 1 if all lanes of the warp are active, each with this p. */
YK_OVERLOAD int yk_warp_adds_to(const __global void *p)
{
    uint lanes, same;
    __asm__ volatile("activemask.b32 %0;" : "=r"(lanes));
    if (lanes != 0xffffffffu)
        return 0;
    __asm__ volatile("{\n\t"
                     ".reg .pred is_same;\n\t"
                     ".reg .b32 who;\n\t"
                     "match.all.sync.b64 who|is_same, %1, 0xffffffff;\n\t"
                     "selp.u32 %0, 1, 0, is_same;\n\t"
                     "}"
                     : "=r"(same)
                     : "l"((ulong)p));
    return (int)same;
}
YK_OVERLOAD uint yk_lane(void)
{
    uint lane;
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
/* The v of the lane whose number is this lane's XOR d. */
YK_OVERLOAD uint yk_across(uint v, int d)
{
    uint other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=r"(other)
                     : "r"(v), "r"(d));
    return other;
}
YK_OVERLOAD ulong yk_across(ulong v, int d)
{
    return (ulong)yk_across((uint)(v >> 32), d) << 32 | yk_across((uint)v, d);
}
#define YK_FOLDS__global(as_T, as_U)                                                               \
    if (yk_warp_adds_to(p)) {                                                                      \
        for (int yk_d = 16; yk_d > 0; yk_d /= 2)                                                   \
            v += as_T(yk_across(as_U(v), yk_d));                                                   \
        if (yk_lane() != 0)                                                                        \
            return;                                                                                \
    }
#else
#define YK_FOLDS__global(as_T, as_U)
#endif
#define YK_FOLDS__local(as_T, as_U)

/* yoke_add. Floating-point sums use compare and exchange if there is no instruction. Only tests
 * define YOKE_ADD_BY_HALVES. */
#define YK_ADD(space, T) YK_OVERLOAD void yoke_add(space T *p, T v)
#define YK_ADD_INTEGER(space, T, U, add)                                                           \
    YK_ADD(space, T)                                                                               \
    {                                                                                              \
        YK_FOLDS##space((T), (U));                                                                 \
        (void)add(p, v);                                                                           \
    }
#define YK_ADD_REAL(space, T, U, as_T, as_U, compare_exchange)                                     \
    YK_ADD(space, T)                                                                               \
    {                                                                                              \
        volatile space U *bits = (volatile space U *)p;                                            \
        U old = *bits, seen;                                                                       \
        while ((seen = compare_exchange(bits, old, as_U(as_T(old) + v))) != old)                   \
            old = seen;                                                                            \
    }
#define YK_ADD_REAL_PTX(T, as_T, as_U, type, constraint)                                           \
    YK_ADD(__global, T)                                                                            \
    {                                                                                              \
        YK_FOLDS__global(as_T, as_U);                                                              \
        __asm__ volatile("red.global.add." type " [%0], %1;"                                       \
                         :                                                                         \
                         : "l"((ulong)p), constraint(v)                                            \
                         : "memory");                                                              \
    }
YK_ADD_INTEGER(__global, int, uint, atomic_add)
YK_ADD_INTEGER(__global, uint, uint, atomic_add)
YK_ADD_INTEGER(__local, int, uint, atomic_add)
YK_ADD_INTEGER(__local, uint, uint, atomic_add)
#if YK_NVIDIA >= 7
YK_ADD_REAL_PTX(float, as_float, as_uint, "f32", "f")
#else
YK_ADD_REAL(__global, float, uint, as_float, as_uint, atomic_cmpxchg)
#endif
YK_ADD_REAL(__local, float, uint, as_float, as_uint, atomic_cmpxchg)
#ifdef cl_khr_int64_base_atomics
#ifdef cl_khr_fp64
#if YK_NVIDIA >= 7
YK_ADD_REAL_PTX(double, as_double, as_ulong, "f64", "d")
#else
YK_ADD_REAL(__global, double, ulong, as_double, as_ulong, atom_cmpxchg)
#endif
YK_ADD_REAL(__local, double, ulong, as_double, as_ulong, atom_cmpxchg)
#endif
#endif
/* Without cl_khr_int64_base_atomics, 64-bit integers are added half by half. Each wrap of the lower
 * half carries 1 into the upper half, so the sum is right when all additions are done; it must not
 * be read before. */
#if defined(cl_khr_int64_base_atomics) && !defined(YOKE_ADD_BY_HALVES)
#define YK_ADD_WIDE(space, T) YK_ADD_INTEGER(space, T, ulong, atom_add)
#else
#ifdef __ENDIAN_LITTLE__
#define YK_LOWER 0
#else
#define YK_LOWER 1
#endif
#define YK_ADD_WIDE(space, T)                                                                      \
    YK_ADD(space, T)                                                                               \
    {                                                                                              \
        volatile space uint *halves = (volatile space uint *)p;                                    \
        const uint lower = (uint)v, before = atomic_add(halves + YK_LOWER, lower);                 \
        const uint upper = (uint)((ulong)v >> 32) + (before + lower < lower ? 1u : 0u);            \
        if (upper)                                                                                 \
            (void)atomic_add(halves + 1 - YK_LOWER, upper);                                        \
    }
#endif
YK_ADD_WIDE(__global, long)
YK_ADD_WIDE(__global, ulong)
YK_ADD_WIDE(__local, long)
YK_ADD_WIDE(__local, ulong)

/* Reductions (kernel_reduce.h says what op is, reduce.h what it means): MIN and MAX ignore NaNs,
 * integers wrap. */
#define YK_REDUCE YK_OVERLOAD void
#define YK_REDUCE_NUMBER(T, W, bits)                                                               \
    YK_REDUCE yk_reduce_into(const int op, T *p, const T v)                                        \
    {                                                                                              \
        *p = op == 0   ? (T)((W)*p + (W)v)                                                         \
             : op == 1 ? (T)((W)*p * (W)v)                                                         \
             : op == 2 ? (v < *p ? v : *p)                                                         \
             : op == 3 ? (v > *p ? v : *p)                                                         \
                       : bits(op, *p, v);                                                          \
    }
#define YK_REDUCE_PLACE(T)                                                                         \
    typedef struct yoke_at_##T {                                                                   \
        T value;                                                                                   \
        int64_t place;                                                                             \
    } yoke_at_##T;                                                                                 \
    YK_REDUCE yk_reduce_into(const int op, yoke_at_##T *p, const yoke_at_##T v)                    \
    {                                                                                              \
        const int is_better = op == 7 ? v.value < p->value : v.value > p->value;                   \
        if (is_better || (v.value == p->value && (uint64_t)v.place < (uint64_t)p->place))          \
            *p = v;                                                                                \
    }                                                                                              \
    YK_REDUCE yk_reduce_place(const int op, yoke_at_##T *p, const T v, const int64_t place)        \
    {                                                                                              \
        const yoke_at_##T both = { v, place };                                                     \
        yk_reduce_into(op, p, both);                                                               \
    }
#define YK_REDUCE_BITS(op, a, b)    (op == 4 ? (a) & (b) : op == 5 ? (a) | (b) : (a) ^ (b))
#define YK_REDUCE_NO_BITS(op, a, b) (a)
#define YK_REDUCE_ALL(T, W, bits)                                                                  \
    YK_REDUCE_NUMBER(T, W, bits)                                                                   \
    YK_REDUCE_PLACE(T)
YK_REDUCE_ALL(int32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(uint32_t, uint32_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(int64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(uint64_t, uint64_t, YK_REDUCE_BITS)
YK_REDUCE_ALL(float, float, YK_REDUCE_NO_BITS)
#ifdef cl_khr_fp64
YK_REDUCE_ALL(double, double, YK_REDUCE_NO_BITS)
#endif
