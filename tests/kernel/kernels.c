/* kernels.c - one kernel for each guarantee of the kernel forms; cases.c runs and checks them. */
#include <yoke/kernel.h>

#include <math.h>

#include "shapes.h"

/* 1-D: value, in, inout */
YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

YOKE_KERNEL(daxpy, i, YOKE_VALUE(double, a), YOKE_IN(double, x), YOKE_INOUT(double, y))
{
    y[i] = a * x[i] + y[i];
}

/* All integer types as elements and as values. */
YOKE_KERNEL(integers, i, YOKE_VALUE(int8_t, va), YOKE_VALUE(uint8_t, vb), YOKE_VALUE(int16_t, vc),
            YOKE_VALUE(uint16_t, vd), YOKE_VALUE(int32_t, ve), YOKE_VALUE(uint32_t, vf),
            YOKE_VALUE(int64_t, vg), YOKE_VALUE(uint64_t, vh), YOKE_INOUT(int8_t, a),
            YOKE_INOUT(uint8_t, b), YOKE_INOUT(int16_t, c), YOKE_INOUT(uint16_t, d),
            YOKE_INOUT(int32_t, e), YOKE_INOUT(uint32_t, f), YOKE_INOUT(int64_t, g),
            YOKE_INOUT(uint64_t, h))
{
    a[i] = (int8_t)(a[i] / 2 + va);
    b[i] = (uint8_t)(b[i] + vb);
    c[i] = (int16_t)(c[i] / 2 + vc);
    d[i] = (uint16_t)(d[i] + vd);
    e[i] = e[i] / 2 + ve;
    f[i] = f[i] + vf;
    g[i] = g[i] / 2 + vg;
    h[i] = (h[i] >> 3) + vh;
}

/* The largest number of parameters. */
YOKE_KERNEL(many, i, YOKE_VALUE(int32_t, v0), YOKE_VALUE(int32_t, v1), YOKE_VALUE(int32_t, v2),
            YOKE_VALUE(int32_t, v3), YOKE_VALUE(int32_t, v4), YOKE_VALUE(int32_t, v5),
            YOKE_VALUE(int32_t, v6), YOKE_VALUE(int32_t, v7), YOKE_VALUE(int32_t, v8),
            YOKE_VALUE(int32_t, v9), YOKE_VALUE(int32_t, v10), YOKE_IN(int32_t, a0),
            YOKE_IN(int32_t, a1), YOKE_IN(int32_t, a2), YOKE_IN(int32_t, a3), YOKE_IN(int32_t, a4),
            YOKE_IN(int32_t, a5), YOKE_IN(int32_t, a6), YOKE_IN(int32_t, a7), YOKE_IN(int32_t, a8),
            YOKE_IN(int32_t, a9), YOKE_IN(int32_t, a10), YOKE_IN(int32_t, a11),
            YOKE_OUT(int32_t, y))
{
    y[i] = v0 * a0[i] + v1 * a1[i] + v2 * a2[i] + v3 * a3[i] + v4 * a4[i] + v5 * a5[i] +
           v6 * a6[i] + v7 * a7[i] + v8 * a8[i] + v9 * a9[i] + v10 * a10[i] + a11[i];
}

/* Structs by value and as elements; helpers, a table, an initialiser. */
YOKE_CONST float taps[3] = { 0.25f, 0.5f, 0.25f };

YOKE_FN mixed_t mixed_scale(mixed_t m, float by)
{
    m.weight *= by;
    m.count += 1;
    m.axis[1] = m.axis[0] * taps[1] + by;
    m.low = (int16_t)(m.low - 1);
    m.wide += 10000000000;
    return m;
}

YOKE_KERNEL(structs, i, YOKE_VALUE(mixed_t, add), YOKE_IN(mixed_t, x), YOKE_OUT(mixed_t, y),
            YOKE_OUT(body_t, b))
{
    mixed_t m = mixed_scale(x[i], add.axis[2]);
    m.tag = (int8_t)(m.tag + add.tag);
    m.weight += add.weight;
    y[i] = m;
    b[i] = YOKE_INIT(body_t, (float)m.weight, m.axis[1], (float)m.low, 1.0f);
}

/* A pointer passed to a helper, and neighbours (a halo of one row on each side). */
YOKE_FN float smooth(YOKE_GLOBAL const float *u, int64_t i)
{
    return taps[0] * u[i - 1] + taps[1] * u[i] + taps[2] * u[i + 1];
}

YOKE_KERNEL(stencil, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, u), YOKE_OUT(float, v))
{
    if (i == 0 || i == n - 1) {
        v[i] = u[i];
        return;
    }
    v[i] = smooth(u, i);
}

/* 2-D and 3-D */
YOKE_KERNEL2(plane, i, j, YOKE_VALUE(float, scale), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const int64_t at = i * YOKE_SIZE2 + j;
    y[at] = scale * x[at] + (float)(i % 101) - (float)(int32_t)j;
}

YOKE_KERNEL3(laplace, i, j, k, YOKE_VALUE(int64_t, n), YOKE_IN(float, u), YOKE_OUT(float, v))
{
    const int64_t row = YOKE_SIZE3, slab = YOKE_SIZE2 * YOKE_SIZE3;
    const int64_t at = i * slab + j * row + k;
    const float up = u[i > 0 ? at - slab : at], down = u[i < n - 1 ? at + slab : at];
    const float north = u[j > 0 ? at - row : at], south = u[j < YOKE_SIZE2 - 1 ? at + row : at];
    const float west = u[k > 0 ? at - 1 : at], east = u[k < YOKE_SIZE3 - 1 ? at + 1 : at];
    v[at] = up + down + north + south + west + east - 6.0f * u[at];
}

/* add, for every type that supports it; a value is converted to that type first, so 0.25f adds 0 to
 * an integer */
YOKE_KERNEL(histogram, i, YOKE_IN(float, x), YOKE_ADD(int32_t, a), YOKE_ADD(uint32_t, b),
            YOKE_ADD(int64_t, c), YOKE_ADD(uint64_t, d), YOKE_ADD(float, e), YOKE_ADD(double, f))
{
    int32_t bin = (int32_t)(x[i] * BINS);
    bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
    yoke_add(&a[bin], -1);
    yoke_add(&a[bin], 0.25f * x[i]);
    yoke_add(&b[bin], 2u);
    yoke_add(&c[bin], (int64_t)-3);
    yoke_add(&d[bin], (uint64_t)4);
    yoke_add(&e[bin], 0.5f);
    yoke_add(&f[bin], 0.25);
}

/* Adds to elements that are the same for all indexes, and to others of the same arrays. `sums` has
 * only two elements. */
YOKE_KERNEL(moments, i, YOKE_IN(float, x), YOKE_ADD(double, sums), YOKE_ADD(int32_t, counts),
            YOKE_ADD(uint32_t, all))
{
    yoke_add(&sums[0], (double)x[i]);
    yoke_add(&sums[1], (double)x[i] * x[i]);
    if (x[i] > 0.5f)
        yoke_add(&counts[2], 1);
    yoke_add(&counts[2], -0.25f * x[i]);
    yoke_add(&counts[(int32_t)(x[i] * BINS)], 2);
    yoke_add(&all[0], 3u);
}

YOKE_KERNEL3(moments3, i, j, k, YOKE_IN(float, x), YOKE_ADD(double, sum))
{
    yoke_add(sum, (double)x[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k]);
}

/* The functions of C that every device has; cases.c lists the result's columns. */
YOKE_KERNEL(floats, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const float v = x[i];
    YOKE_GLOBAL float *row = y + i * 25;
    row[0] = sqrtf(v);
    row[1] = rsqrtf(v);
    row[2] = expf(v);
    row[3] = logf(v);
    row[4] = powf(v, 1.5f);
    row[5] = sinf(v);
    row[6] = cosf(v);
    row[7] = tanf(v);
    row[8] = atan2f(v, 0.5f);
    row[9] = fmaf(v, v, 1.0f);
    row[10] = fabsf(v - 1.0f);
    row[11] = floorf(v * 10.0f);
    row[12] = ceilf(v * 10.0f);
    row[13] = fminf(v, 0.5f);
    row[14] = fmaxf(v, 0.5f);
    row[15] = fmodf(v, 0.3f);
    row[16] = cbrtf(v);
    row[17] = hypotf(v, 2.0f);
    row[18] = log2f(v);
    row[19] = exp2f(v);
    row[20] = tanhf(v);
    row[21] = truncf(v * 10.0f);
    row[22] = v < FLT_MAX && v < INFINITY ? YOKE_PI_F : FLT_EPSILON;
    row[23] = acosf(v * 0.5f) + erff(v) + copysignf(1.0f, -v) + roundf(v * 7.0f);
    row[24] = yoke_rsqrtf(v);
}

YOKE_KERNEL(doubles, i, YOKE_IN(double, x), YOKE_OUT(double, y))
{
    const double v = x[i];
    YOKE_GLOBAL double *row = y + i * 12;
    row[0] = sqrt(v);
    row[1] = rsqrt(v);
    row[2] = exp(v);
    row[3] = log(v);
    row[4] = pow(v, 1.5);
    row[5] = sin(v);
    row[6] = cos(v);
    row[7] = fma(v, v, 1.0);
    row[8] = fabs(v - 1.0);
    row[9] = floor(v * 10.0);
    row[10] = fmin(v, 0.5) + fmax(v, 0.5);
    row[11] = YOKE_PI + (v < DBL_MAX ? DBL_EPSILON : 0.0);
}
