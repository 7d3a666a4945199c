/* yoke/prelude_opencl_math.h - <math.h> in OpenCL C 1.2: put behind yoke/prelude_opencl.h. The
 * float functions of standard C become OpenCL's overloaded ones.
 */
/* The functions keep a local variable of the kernel file apart from OpenCL's function: in
 * float exp = expf(x) the variable exists before its value. */
#define YK_OF_ONE(f)                                                                               \
    YK_OVERLOAD float yk_##f(float x)                                                              \
    {                                                                                              \
        return f(x);                                                                               \
    }
#define YK_OF_TWO(f)                                                                               \
    YK_OVERLOAD float yk_##f(float x, float y)                                                     \
    {                                                                                              \
        return f(x, y);                                                                            \
    }
YK_OF_ONE(acos)
YK_OF_ONE(acosh)
YK_OF_ONE(asin)
YK_OF_ONE(asinh)
YK_OF_ONE(atan)
YK_OF_ONE(atanh)
YK_OF_ONE(cbrt)
YK_OF_ONE(ceil)
YK_OF_ONE(cos)
YK_OF_ONE(cosh)
YK_OF_ONE(erf)
YK_OF_ONE(erfc)
YK_OF_ONE(exp)
YK_OF_ONE(exp2)
YK_OF_ONE(expm1)
YK_OF_ONE(fabs)
YK_OF_ONE(floor)
YK_OF_ONE(lgamma)
YK_OF_ONE(log)
YK_OF_ONE(log10)
YK_OF_ONE(log1p)
YK_OF_ONE(log2)
YK_OF_ONE(logb)
YK_OF_ONE(rint)
YK_OF_ONE(round)
YK_OF_ONE(rsqrt)
YK_OF_ONE(native_rsqrt)
YK_OF_ONE(sin)
YK_OF_ONE(sinh)
YK_OF_ONE(sqrt)
YK_OF_ONE(tan)
YK_OF_ONE(tanh)
YK_OF_ONE(tgamma)
YK_OF_ONE(trunc)
YK_OF_TWO(atan2)
YK_OF_TWO(copysign)
YK_OF_TWO(fdim)
YK_OF_TWO(fmax)
YK_OF_TWO(fmin)
YK_OF_TWO(fmod)
YK_OF_TWO(hypot)
YK_OF_TWO(nextafter)
YK_OF_TWO(pow)
YK_OF_TWO(remainder)
YK_OVERLOAD float yk_fma(float x, float y, float z)
{
    return fma(x, y, z);
}
YK_OVERLOAD float yk_ldexp(float x, int n)
{
    return ldexp(x, n);
}

#define acosf(x)         yk_acos(x)
#define acoshf(x)        yk_acosh(x)
#define asinf(x)         yk_asin(x)
#define asinhf(x)        yk_asinh(x)
#define atanf(x)         yk_atan(x)
#define atanhf(x)        yk_atanh(x)
#define cbrtf(x)         yk_cbrt(x)
#define ceilf(x)         yk_ceil(x)
#define cosf(x)          yk_cos(x)
#define coshf(x)         yk_cosh(x)
#define erff(x)          yk_erf(x)
#define erfcf(x)         yk_erfc(x)
#define expf(x)          yk_exp(x)
#define exp2f(x)         yk_exp2(x)
#define expm1f(x)        yk_expm1(x)
#define fabsf(x)         yk_fabs(x)
#define floorf(x)        yk_floor(x)
#define lgammaf(x)       yk_lgamma(x)
#define logf(x)          yk_log(x)
#define log10f(x)        yk_log10(x)
#define log1pf(x)        yk_log1p(x)
#define log2f(x)         yk_log2(x)
#define logbf(x)         yk_logb(x)
#define rintf(x)         yk_rint(x)
#define roundf(x)        yk_round(x)
#define rsqrtf(x)        yk_rsqrt(x)
#define yoke_rsqrtf(x)   yk_native_rsqrt(x)
#define sinf(x)          yk_sin(x)
#define sinhf(x)         yk_sinh(x)
#define sqrtf(x)         yk_sqrt(x)
#define tanf(x)          yk_tan(x)
#define tanhf(x)         yk_tanh(x)
#define tgammaf(x)       yk_tgamma(x)
#define truncf(x)        yk_trunc(x)
#define atan2f(x, y)     yk_atan2(x, y)
#define copysignf(x, y)  yk_copysign(x, y)
#define fdimf(x, y)      yk_fdim(x, y)
#define fmaxf(x, y)      yk_fmax(x, y)
#define fminf(x, y)      yk_fmin(x, y)
#define fmodf(x, y)      yk_fmod(x, y)
#define hypotf(x, y)     yk_hypot(x, y)
#define nextafterf(x, y) yk_nextafter(x, y)
#define powf(x, y)       yk_pow(x, y)
#define remainderf(x, y) yk_remainder(x, y)
#define fmaf(x, y, z)    yk_fma(x, y, z)
#define ldexpf(x, n)     yk_ldexp(x, n)
#define nearbyintf(x)    yk_rint(x)
#define nearbyint(x)     rint(x)

/* Of the arguments of functions that exist for float and double (yoke/flatten/math.h). */
#ifdef cl_khr_fp64
#define YK_OF_INT double
YK_OVERLOAD double yk_real(double x)
{
    return x;
}
#else
#define YK_OF_INT float
#endif
YK_OVERLOAD float yk_real(float x)
{
    return x;
}
YK_OVERLOAD YK_OF_INT yk_real(int x)
{
    return x;
}
YK_OVERLOAD YK_OF_INT yk_real(uint x)
{
    return x;
}
YK_OVERLOAD YK_OF_INT yk_real(long x)
{
    return x;
}
YK_OVERLOAD YK_OF_INT yk_real(ulong x)
{
    return x;
}
#define YK_CLASS(T)                                                                                \
    YK_OVERLOAD int yk_fpclassify(T x)                                                             \
    {                                                                                              \
        return isnan(x) ? 0 : isinf(x) ? 1 : x == 0 ? 2 : isnormal(x) ? 4 : 3;                     \
    }
YK_CLASS(float)
#ifdef cl_khr_fp64
YK_CLASS(double)
#endif

/* Of <stdlib.h>. OpenCL's abs is unsigned, so that abs(x) - 5 would be, too; PoCL's is a macro. */
YK_OVERLOAD int yk_abs(int x)
{
    return x < 0 ? -x : x;
}
YK_OVERLOAD long yk_labs(long x)
{
    return x < 0 ? -x : x;
}
#undef abs
#define abs(x)   yk_abs((int)(x))
#define labs(x)  yk_labs((long)(x))
#define llabs(x) labs(x)
