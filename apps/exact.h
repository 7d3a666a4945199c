/* exact.h - functions with the same bits on every device.
 *
 * The path of a photon packet or a light ray has to be the same on any device, and a difference in
 * the last bit soon leads to another path. So these functions use only sums, products and bits of
 * single-precision numbers. IEEE 754 determines their results if no product is fused with a sum
 * (the kernels are built EXACT). Errors are about 1e-7 of the result. All of it vectorises.
 */
#ifndef YOKE_APPS_EXACT_H
#define YOKE_APPS_EXACT_H

#include <yoke/kernel.h>

/* fminf and fmaxf also define the result for NaN, which takes a CPU longer. */
YOKE_FN float exact_least(float a, float b)
{
    return a < b ? a : b;
}
YOKE_FN float exact_most(float a, float b)
{
    return a > b ? a : b;
}

/* 1 / x for x from 1e-37 to 1e37: a first guess from its bits (off by an eighth), then Newton's
 * method. */
YOKE_FN float exact_reciprocal(float x)
{
    float y = yoke_int_as_float(0x7ef311c7 - yoke_float_as_int(x));
    y = y * (2.0f - x * y);
    y = y * (2.0f - x * y);
    return y * (2.0f - x * y);
}

/* The square root of x from 0 to 1e37: x times 1 / root, which is found in the same way. */
YOKE_FN float exact_root(float x)
{
    const float less = 0.5f * x;
    float y = yoke_int_as_float(0x5f3759df - (yoke_float_as_int(x) >> 1));
    y = y * (1.5f - less * y * y);
    y = y * (1.5f - less * y * y);
    y = y * (1.5f - less * y * y);
    return x * y;
}

/* 23 of 32 random bits as a number strictly between 0 and 1. */
YOKE_FN float exact_uniform(uint32_t bits)
{
    return (float)((int32_t)(bits >> 9) * 2 + 1) * 5.9604644775390625e-8f; /* 2^-24 */
}

/* -ln(x) for normal x; polynomial of Cephes' logf, which S. Moshier put into the public domain. */
YOKE_FN float exact_minus_log(float x)
{
    const int32_t bits = yoke_float_as_int(x);
    const int32_t exponent = (bits - 0x3f3504f3) >> 23; /* leaves 0.707 to 1.414 */
    const float e = (float)exponent;
    const float f = yoke_int_as_float(bits - exponent * 0x800000) - 1.0f, f2 = f * f;
    float y = 7.0376836292e-2f;
    y = y * f - 1.1514610310e-1f;
    y = y * f + 1.1676998740e-1f;
    y = y * f - 1.2420140846e-1f;
    y = y * f + 1.4249322787e-1f;
    y = y * f - 1.6668057665e-1f;
    y = y * f + 2.0000714765e-1f;
    y = y * f - 2.4999993993e-1f;
    y = y * f + 3.3333331174e-1f;
    y = y * f * f2 - 2.12194440e-4f * e - 0.5f * f2;
    return -(f + y + 0.693359375f * e);
}

/* acos(x) for x from 0 to 1: Abramowitz and Stegun 4.4.46. */
YOKE_FN float exact_acos(float x)
{
    float y = -0.0012624911f;
    y = y * x + 0.0066700901f;
    y = y * x - 0.0170881256f;
    y = y * x + 0.0308918810f;
    y = y * x - 0.0501743046f;
    y = y * x + 0.0889789874f;
    y = y * x - 0.2145988016f;
    y = y * x + 1.5707963050f;
    return exact_root(1.0f - x) * y;
}

typedef struct turn {
    float cosine, sine;
} turn_t;

/* A random direction in the plane: two bits select a quarter turn, 23 bits the angle in it; the
 * polynomials are from Cephes. */
YOKE_FN turn_t exact_turn(uint32_t bits)
{
    const uint32_t quarter = bits >> 30;
    const float part = exact_uniform(bits << 2);
    const float a = (part - 0.5f) * (0.5f * YOKE_PI_F), a2 = a * a;
    const float sine =
        a + a * a2 * (-1.6666654611e-1f + a2 * (8.3321608736e-3f - a2 * 1.9515295891e-4f));
    const float cosine =
        1.0f - 0.5f * a2 +
        a2 * a2 *
            (4.166664568298827e-2f + a2 * (-1.388731625493765e-3f + a2 * 2.443315711809948e-5f));
    const float c = (quarter & 1u) ? sine : cosine, s = (quarter & 1u) ? cosine : sine;
    return YOKE_INIT(turn_t, (quarter == 1u || quarter == 2u) ? -c : c, quarter >= 2u ? -s : s);
}

#endif
