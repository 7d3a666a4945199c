/* Takes the place of <math.h> while a kernel file is flattened for a device. The preludes
 * (yoke/prelude_opencl.h, yoke/prelude_cuda.h) declare what devices have of it; here is what both
 * languages take from other names. The classes are glibc's, since hosts may read them.
 */
#ifndef YOKE_FLATTEN_MATH_H
#define YOKE_FLATTEN_MATH_H

#define HUGE_VALF    INFINITY
#define HUGE_VAL     ((double)INFINITY)
#define FP_NAN       0
#define FP_INFINITE  1
#define FP_ZERO      2
#define FP_SUBNORMAL 3
#define FP_NORMAL    4

#define fpclassify(x) yk_fpclassify(yk_real(x))
#define nanf(tag)     ((float)NAN)
#define nan(tag)      ((double)NAN)
#ifdef YOKE_OPENCL /* CUDA has these */
#define ilogbf(x)        ilogb((float)(x))
#define lrintf(x)        ((long)rintf(x))
#define lroundf(x)       ((long)roundf(x))
#define llrintf(x)       lrintf(x)
#define llroundf(x)      lroundf(x)
#define lrint(x)         ((long)rint(x))
#define lround(x)        ((long)round(x))
#define llrint(x)        lrint(x)
#define llround(x)       lround(x)
#define scalbnf(x, n)    ldexpf(x, n)
#define scalbn(x, n)     ldexp(x, (int)(n))
#define scalblnf(x, n)   ldexpf(x, clamp((long)(n), -9999L, 9999L))
#define scalbln(x, n)    ldexp(x, (int)clamp((long)(n), -9999L, 9999L))
#define frexpf(x, n)     frexp((float)(x), n)
#define modff(x, y)      modf((float)(x), y)
#define remquof(x, y, n) remquo((float)(x), (float)(y), n)
#else /* OpenCL has these */
#define lrint(x)             lrint(yk_real(x))
#define lround(x)            lround(yk_real(x))
#define llrint(x)            llrint(yk_real(x))
#define llround(x)           llround(yk_real(x))
#define isnormal(x)          (yk_fpclassify(x) == FP_NORMAL)
#define isgreater(x, y)      ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y)         ((x) < (y))
#define islessequal(x, y)    ((x) <= (y))
#define islessgreater(x, y)  (fabs((x) - (y)) > 0)
#define isunordered(x, y)    (isnan(x) || isnan(y))
#endif

/* The languages have these for float and for double, and an int fits both: it counts as a double,
 * as in C. A macro's own name in it is not expanded again. */
#define acos(x)      acos(yk_real(x))
#define acosh(x)     acosh(yk_real(x))
#define asin(x)      asin(yk_real(x))
#define asinh(x)     asinh(yk_real(x))
#define atan(x)      atan(yk_real(x))
#define atanh(x)     atanh(yk_real(x))
#define cbrt(x)      cbrt(yk_real(x))
#define ceil(x)      ceil(yk_real(x))
#define cos(x)       cos(yk_real(x))
#define cosh(x)      cosh(yk_real(x))
#define erf(x)       erf(yk_real(x))
#define erfc(x)      erfc(yk_real(x))
#define exp(x)       exp(yk_real(x))
#define exp2(x)      exp2(yk_real(x))
#define expm1(x)     expm1(yk_real(x))
#define fabs(x)      fabs(yk_real(x))
#define floor(x)     floor(yk_real(x))
#define ilogb(x)     ilogb(yk_real(x))
#define lgamma(x)    lgamma(yk_real(x))
#define log(x)       log(yk_real(x))
#define log10(x)     log10(yk_real(x))
#define log1p(x)     log1p(yk_real(x))
#define log2(x)      log2(yk_real(x))
#define logb(x)      logb(yk_real(x))
#define nearbyint(x) nearbyint(yk_real(x))
#define rint(x)      rint(yk_real(x))
#define round(x)     round(yk_real(x))
#define rsqrt(x)     rsqrt(yk_real(x))
#define sin(x)       sin(yk_real(x))
#define sinh(x)      sinh(yk_real(x))
#define sqrt(x)      sqrt(yk_real(x))
#define tan(x)       tan(yk_real(x))
#define tanh(x)      tanh(yk_real(x))
#define tgamma(x)    tgamma(yk_real(x))
#define trunc(x)     trunc(yk_real(x))

#endif
