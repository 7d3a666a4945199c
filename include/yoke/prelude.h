/* yoke/prelude.h - the language layer on the CPU: the counterpart of prelude_opencl.h and
 * prelude_cuda.h. Adds only names with yoke's prefix, and rsqrt, rsqrtf (C23) if libm lacks them.
 */
#ifndef YOKE_PRELUDE_H
#define YOKE_PRELUDE_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define YK_UNUSED __attribute__((unused))
/* Put before a helper function of kernels. */
#define YOKE_FN static inline __attribute__((always_inline, unused))
/* Put before a table of constants outside of functions. */
#define YOKE_CONST  static const
#define YOKE_GLOBAL /* address space of array parameters, for helpers that take a pointer */
#define YOKE_SHARED /* address space of YOKE_LOCAL arrays */
/* C's restrict in all three languages. */
#define YOKE_RESTRICT restrict
/* Attribute of a struct type: addresses of such structs are multiples of n bytes. */
#define YOKE_ALIGN(n)  __attribute__((aligned(n)))
#define YOKE_UNROLL(n) /* before a loop; only devices' compilers use it */
/* Pi as a double. */
#define YOKE_PI 3.14159265358979323846
/* Pi as a float. */
#define YOKE_PI_F 3.14159265f

#if !(defined(__GLIBC_USE_IEC_60559_FUNCS_EXT_C23) && __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 &&       \
      __GLIBC_MINOR__ >= 42)
/* 1 / sqrtf(x) */
YOKE_FN float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
/* 1 / sqrt(x) */
YOKE_FN double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
#endif

#define yoke_rsqrtf(x) rsqrtf(x) /* x must be FLT_MIN or more: this is cheaper on devices */

/* The bits of a float. */
YOKE_FN int32_t yoke_float_as_int(float x)
{
    const union {
        float number;
        int32_t bits;
    } both = { .number = x };
    return both.bits;
}
/* The float with these bits. */
YOKE_FN float yoke_int_as_float(int32_t x)
{
    const union {
        int32_t bits;
        float number;
    } both = { .bits = x };
    return both.number;
}

/* The runtime gives every worker its own array and merges them. In range kernels a constant element
 * has sums by lanes (kernel_sums.h): element 0 of lane l is at `lane`, the next element
 * YK_SUM_LANES further. Macros name p and v in several places, but evaluate only one of them. */
enum { YK_SUM_LANES = 8, YK_SUMS = 4 };
struct yk_sums {
    struct {
        uintptr_t array;
        void *lane; /* of element 0; the other elements follow, YK_SUM_LANES apart */
    } of[25];
};
/* Range kernels have a parameter of this name, which hides the function; compilers do not warn of
 * that. Elsewhere the name means the function, and there are no lanes. */
static inline void YK_UNUSED yk_sums(void)
{
}
static const struct yk_sums YK_UNUSED yk_no_sums = { { { 0, 0 } } };
#define YK_SUM_OF(k)       (_Generic(&yk_sums, void (*)(void) : yk_no_sums, default : yk_sums).of[k])
#define YK_SUM_PLACE(p, k) ((uintptr_t)(p)-YK_SUM_OF(k).array)
#define YK_SUM_IS(p, k)                                                                            \
    (__builtin_constant_p(YK_SUM_PLACE(p, k)) && YK_SUM_OF(k).lane &&                              \
     YK_SUM_PLACE(p, k) < YK_SUMS * sizeof *(p))
#define YK_SUM_ADD(p, k, v)                                                                        \
    (((__typeof__(*(p)) *)YK_SUM_OF(k).lane)[YK_SUM_PLACE(p, k) / sizeof *(p)*YK_SUM_LANES] +=     \
     YK_SUMMAND(p, v))
/* As devices do: += would add an integer and a float as floats, which lose the sum's last digits.
 */
#define YK_SUMMAND(p, v) ((__typeof__(*(p)))(v))
/* Adds v, converted to the type of the element, to the element at p of a YOKE_ADD array; any index
 * may. */
#define yoke_add(p, v)                                                                             \
    ((void)(YK_SUM_IS(p, 0)   ? YK_SUM_ADD(p, 0, v)                                                \
            : YK_SUM_IS(p, 1) ? YK_SUM_ADD(p, 1, v)                                                \
                              : (*(p) += YK_UNFUSED(YK_SUMMAND(p, v)))))
/* A product that is not fused with the sum; a fused one would take a third longer here (4 cycles
 * instead of 3, on processors of 2020 to 2026). */
#ifdef __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#define YK_UNFUSED(v) __builtin_assoc_barrier(v)
#endif
#endif
#ifndef YK_UNFUSED
#define YK_UNFUSED(v) (v)
#endif

/* Vector forms of libm (libmvec, at most 4 ulp), which its headers declare only for -ffast-math.
 * clang uses them with -fveclib=libmvec. */
#if defined(YOKE_OMP_SIMD) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&  \
    !defined(__FAST_MATH__)
#define YK_VECTOR __attribute__((simd("notinbranch"))) extern
YK_VECTOR float cosf(float);
YK_VECTOR float sinf(float);
YK_VECTOR float expf(float);
YK_VECTOR float logf(float);
YK_VECTOR float powf(float, float);
YK_VECTOR double cos(double);
YK_VECTOR double sin(double);
YK_VECTOR double exp(double);
YK_VECTOR double log(double);
YK_VECTOR double pow(double, double);
#endif

#endif
