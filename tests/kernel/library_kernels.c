/* library_kernels.c - every function of <math.h> that devices have, those of <stdlib.h>, and
 * the limits. Row i of y has
 * the results for x[i]; v is a number, u one between 0 and 1. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <yoke/kernel.h>

enum { RESULTS = 96 };
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* In float. */
YOKE_KERNEL(library_float, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const float v = x[i], u = 1 / (1 + v * v);
    int exponent, quotient;
    float whole;
    const float fraction = frexpf(v, &exponent), part = modff(v, &whole);
    const float rest = remquof(v, 0.75f, &quotient);
    const float results[] = { (float)(abs((int)(9 * v)) - 9),
                              (float)(labs((long)(9 * v)) - 9),
                              (float)(llabs((long long)(-9 * v)) - 9),
                              acosf(u),
                              acoshf(1 + u),
                              asinf(u),
                              asinhf(v),
                              atanf(v),
                              atanhf(u / 2),
                              atan2f(v, u),
                              cbrtf(v),
                              ceilf(v),
                              copysignf(u, v),
                              cosf(v),
                              coshf(v),
                              erff(v),
                              erfcf(v),
                              expf(v),
                              exp2f(v),
                              expm1f(v),
                              fabsf(v),
                              fdimf(v, u),
                              floorf(v),
                              fmaf(v, u, v),
                              fmaxf(v, u),
                              fminf(v, u),
                              fmodf(v, u),
                              (float)fpclassify(v),
                              (float)fpclassify(v * 0),
                              (float)fpclassify(v * 0 + INFINITY),
                              hypotf(v, u),
                              (float)ilogbf(v),
                              (float)isfinite(v),
                              (float)isnormal(v),
                              (float)isgreater(v, u),
                              (float)isgreaterequal(v, u),
                              (float)isless(v, u),
                              (float)islessequal(v, u),
                              (float)islessgreater(v, u),
                              (float)isunordered(v, u),
                              ldexpf(v, 3),
                              lgammaf(1 + u),
                              (float)llrintf(v),
                              (float)llroundf(v),
                              log1pf(u),
                              log2f(u),
                              log10f(u),
                              logbf(v),
                              logf(u),
                              (float)lrintf(v),
                              (float)lroundf(v),
                              nearbyintf(v),
                              nextafterf(v, u),
                              powf(u, v),
                              remainderf(v, u),
                              rintf(v),
                              roundf(v),
                              rsqrtf(u),
                              scalblnf(v, -2),
                              scalbnf(v, 5),
                              (float)(signbit(v) != 0),
                              sinf(v),
                              sinhf(v),
                              sqrtf(u),
                              tanf(v),
                              tanhf(v),
                              tgammaf(1 + u),
                              truncf(v),
                              fraction,
                              (float)exponent,
                              part,
                              whole,
                              rest,
                              (float)(quotient & 7),
                              (float)(isnan(nanf("")) && isnan(v - v + NAN) && !isinf(v)) };
    for (int k = 0; k < RESULTS; k++)
        y[i * RESULTS + k] = k < COUNT(results) ? results[k] : 0;
}

/* In double, and of an int, which counts as a double. */
YOKE_KERNEL(library_double, i, YOKE_IN(double, x), YOKE_OUT(double, y))
{
    const double v = x[i], u = 1 / (1 + v * v);
    const int n = (int)(i % 7) + 1;
    int exponent, quotient;
    double whole;
    const double fraction = frexp(v, &exponent), part = modf(v, &whole);
    const double rest = remquo(v, 0.75, &quotient);
    const double results[] = { acos(u),
                               acosh(1 + u),
                               asin(u),
                               asinh(v),
                               atan(v),
                               atanh(u / 2),
                               atan2(v, u),
                               cbrt(v),
                               ceil(v),
                               copysign(u, v),
                               cos(v),
                               cosh(v),
                               erf(v),
                               erfc(v),
                               exp(v),
                               exp2(v),
                               expm1(v),
                               fabs(v),
                               fdim(v, u),
                               floor(v),
                               fma(v, u, v),
                               fmax(v, u),
                               fmin(v, u),
                               fmod(v, u),
                               (double)fpclassify(v),
                               (double)fpclassify(v * 0),
                               hypot(v, u),
                               (double)ilogb(v),
                               (double)isfinite(v),
                               (double)isnormal(v),
                               ldexp(v, 3),
                               lgamma(1 + u),
                               (double)llrint(v),
                               (double)llround(v),
                               log1p(u),
                               log2(u),
                               log10(u),
                               logb(v),
                               log(u),
                               (double)lrint(v),
                               (double)lround(v),
                               nearbyint(v),
                               nextafter(v, u),
                               pow(u, v),
                               remainder(v, u),
                               rint(v),
                               round(v),
                               rsqrt(u),
                               scalbln(v, -2),
                               scalbn(v, 5),
                               (double)(signbit(v) != 0),
                               sin(v),
                               sinh(v),
                               sqrt(u),
                               tan(v),
                               tanh(v),
                               tgamma(1 + u),
                               trunc(v),
                               sqrt(4),
                               sqrt(n),
                               trunc(n),
                               cbrt(n),
                               exp(n),
                               floor(n),
                               log(n),
                               sin(n),
                               sqrt((int64_t)n),
                               round((uint32_t)n),
                               ceil((int8_t)n),
                               fraction,
                               (double)exponent,
                               part,
                               whole,
                               rest,
                               (double)(quotient & 7),
                               (double)(isnan(nan("")) && v < HUGE_VAL && v < (double)HUGE_VALF) };
    for (int k = 0; k < RESULTS; k++)
        y[i * RESULTS + k] = k < COUNT(results) ? results[k] : 0;
}

/* The limits, as far as an int64_t or a double holds them. */
YOKE_KERNEL(library_limits, i, YOKE_OUT(int64_t, whole), YOKE_OUT(double, real))
{
    const int64_t wholes[] = { (int64_t)INT8_MIN,
                               (int64_t)INT8_MAX,
                               (int64_t)UINT8_MAX,
                               (int64_t)INT16_MIN,
                               (int64_t)INT16_MAX,
                               (int64_t)UINT16_MAX,
                               (int64_t)INT32_MIN,
                               (int64_t)INT32_MAX,
                               (int64_t)UINT32_MAX,
                               (int64_t)INT64_MIN,
                               (int64_t)INT64_MAX,
                               (int64_t)UINT64_MAX,
                               (int64_t)INTPTR_MIN,
                               (int64_t)INTPTR_MAX,
                               (int64_t)UINTPTR_MAX,
                               (int64_t)INTMAX_MIN,
                               (int64_t)INTMAX_MAX,
                               (int64_t)UINTMAX_MAX,
                               (int64_t)PTRDIFF_MIN,
                               (int64_t)PTRDIFF_MAX,
                               (int64_t)SIZE_MAX,
                               (int64_t)INT8_C(-7),
                               (int64_t)UINT8_C(7),
                               (int64_t)INT16_C(-7),
                               (int64_t)UINT16_C(7),
                               (int64_t)INT32_C(-7),
                               (int64_t)UINT32_C(4000000000),
                               (int64_t)INT64_C(-5000000000),
                               (int64_t)UINT64_C(5000000000),
                               (int64_t)INTMAX_C(-7),
                               (int64_t)UINTMAX_C(7),
                               (int64_t)FLT_RADIX,
                               (int64_t)FLT_MANT_DIG,
                               (int64_t)FLT_DIG,
                               (int64_t)FLT_DECIMAL_DIG,
                               (int64_t)FLT_MIN_EXP,
                               (int64_t)FLT_MIN_10_EXP,
                               (int64_t)FLT_MAX_EXP,
                               (int64_t)FLT_MAX_10_EXP,
                               (int64_t)DBL_MANT_DIG,
                               (int64_t)DBL_DIG,
                               (int64_t)DBL_DECIMAL_DIG,
                               (int64_t)DBL_MIN_EXP,
                               (int64_t)DBL_MIN_10_EXP,
                               (int64_t)DBL_MAX_EXP,
                               (int64_t)DBL_MAX_10_EXP,
                               (int64_t)FP_NAN,
                               (int64_t)FP_INFINITE,
                               (int64_t)FP_ZERO,
                               (int64_t)FP_SUBNORMAL,
                               (int64_t)FP_NORMAL };
    const double reals[] = { (double)FLT_MAX, (double)FLT_MIN, (double)FLT_EPSILON,
                             (double)DBL_MAX, (double)DBL_MIN, (double)DBL_EPSILON };
    for (int k = 0; k < RESULTS; k++) {
        whole[i * RESULTS + k] = k < COUNT(wholes) ? wholes[k] : 0;
        real[i * RESULTS + k] = k < COUNT(reals) ? reals[k] : 0;
    }
}
