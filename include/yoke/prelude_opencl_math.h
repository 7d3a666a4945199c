/* yoke/prelude_opencl_math.h - <math.h> in OpenCL C 1.2: put behind yoke/prelude_opencl.h. The
 * float functions of standard C become OpenCL's overloaded ones.
 */
#define acosf(x)         acos((float)(x))
#define acoshf(x)        acosh((float)(x))
#define asinf(x)         asin((float)(x))
#define asinhf(x)        asinh((float)(x))
#define atanf(x)         atan((float)(x))
#define atanhf(x)        atanh((float)(x))
#define cbrtf(x)         cbrt((float)(x))
#define ceilf(x)         ceil((float)(x))
#define cosf(x)          cos((float)(x))
#define coshf(x)         cosh((float)(x))
#define erff(x)          erf((float)(x))
#define erfcf(x)         erfc((float)(x))
#define expf(x)          exp((float)(x))
#define exp2f(x)         exp2((float)(x))
#define expm1f(x)        expm1((float)(x))
#define fabsf(x)         fabs((float)(x))
#define floorf(x)        floor((float)(x))
#define lgammaf(x)       lgamma((float)(x))
#define logf(x)          log((float)(x))
#define log10f(x)        log10((float)(x))
#define log1pf(x)        log1p((float)(x))
#define log2f(x)         log2((float)(x))
#define logbf(x)         logb((float)(x))
#define rintf(x)         rint((float)(x))
#define roundf(x)        round((float)(x))
#define rsqrtf(x)        rsqrt((float)(x))
#define yoke_rsqrtf(x)   native_rsqrt((float)(x))
#define sinf(x)          sin((float)(x))
#define sinhf(x)         sinh((float)(x))
#define sqrtf(x)         sqrt((float)(x))
#define tanf(x)          tan((float)(x))
#define tanhf(x)         tanh((float)(x))
#define tgammaf(x)       tgamma((float)(x))
#define truncf(x)        trunc((float)(x))
#define atan2f(x, y)     atan2((float)(x), (float)(y))
#define copysignf(x, y)  copysign((float)(x), (float)(y))
#define fdimf(x, y)      fdim((float)(x), (float)(y))
#define fmaxf(x, y)      fmax((float)(x), (float)(y))
#define fminf(x, y)      fmin((float)(x), (float)(y))
#define fmodf(x, y)      fmod((float)(x), (float)(y))
#define hypotf(x, y)     hypot((float)(x), (float)(y))
#define nextafterf(x, y) nextafter((float)(x), (float)(y))
#define powf(x, y)       pow((float)(x), (float)(y))
#define remainderf(x, y) remainder((float)(x), (float)(y))
#define fmaf(x, y, z)    fma((float)(x), (float)(y), (float)(z))
#define ldexpf(x, n)     ldexp((float)(x), (int)(n))
#define nearbyintf(x)    rint((float)(x))
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
