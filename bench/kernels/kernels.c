/* kernels.c - loops as a new user writes them: naive bodies without tuning. The benchmark compiles
 * this file three times: as yoke kernels, as OpenMP loops (openmp/yoke/kernel.h) and as CUDA
 * kernels (cuda/yoke/kernel.h).
 */
#include <yoke/kernel.h>

#include "kernels.h"

YOKE_KERNEL2(mandelbrot, i, j, YOKE_VALUE(int64_t, height), YOKE_VALUE(int32_t, limit),
             YOKE_OUT(int32_t, count))
{
    const float cx = -2.0f + 3.0f * (float)j / (float)YOKE_SIZE2;
    const float cy = -1.5f + 3.0f * (float)i / (float)height;
    float x = 0, y = 0;
    int32_t n = 0;
    while (n < limit && x * x + y * y < 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    count[i * YOKE_SIZE2 + j] = n;
}

/* A Gaussian blur in two passes. Pixels outside the edge equal those at the edge. */
YOKE_CONST float blur_taps[2 * BLUR_RADIUS + 1] = { 0.015625f, 0.09375f, 0.234375f, 0.3125f,
                                                    0.234375f, 0.09375f, 0.015625f };

YOKE_KERNEL2(blur_rows, i, j, YOKE_IN(float, from), YOKE_OUT(float, to))
{
    float sum = 0;
    for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++) {
        const int64_t at = j + k < 0 ? 0 : j + k >= YOKE_SIZE2 ? YOKE_SIZE2 - 1 : j + k;
        sum += blur_taps[k + BLUR_RADIUS] * from[i * YOKE_SIZE2 + at];
    }
    to[i * YOKE_SIZE2 + j] = sum;
}

YOKE_KERNEL2(blur_columns, i, j, YOKE_VALUE(int64_t, height), YOKE_IN(float, from),
             YOKE_OUT(float, to))
{
    float sum = 0;
    for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++) {
        const int64_t at = i + k < 0 ? 0 : i + k >= height ? height - 1 : i + k;
        sum += blur_taps[k + BLUR_RADIUS] * from[at * YOKE_SIZE2 + j];
    }
    to[i * YOKE_SIZE2 + j] = sum;
}

/* The cumulative normal distribution at d, by Hull's polynomial. */
YOKE_FN float normal_up_to(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

YOKE_KERNEL(black_scholes, i, YOKE_VALUE(float, rate), YOKE_VALUE(float, volatility),
            YOKE_IN(float, price), YOKE_IN(float, strike), YOKE_IN(float, years),
            YOKE_OUT(float, call), YOKE_OUT(float, put))
{
    const float deviation = volatility * sqrtf(years[i]);
    const float d1 =
        (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
        deviation;
    const float d2 = d1 - deviation;
    const float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = price[i] * normal_up_to(d1) - discounted * normal_up_to(d2);
    put[i] = discounted * (1.0f - normal_up_to(d2)) - price[i] * (1.0f - normal_up_to(d1));
}

/* A European call option by a binomial tree of BINOMIAL_STEPS steps. */
YOKE_KERNEL(binomial, i, YOKE_VALUE(float, rate), YOKE_VALUE(float, volatility),
            YOKE_IN(float, price), YOKE_IN(float, strike), YOKE_IN(float, years),
            YOKE_OUT(float, call))
{
    float value[BINOMIAL_STEPS + 1];
    const float step = years[i] / BINOMIAL_STEPS;
    const float width = volatility * sqrtf(step);
    const float up = expf(width), down = 1.0f / up, growth = expf(rate * step);
    const float of_up = (growth - down) / (up - down) / growth, of_down = 1.0f / growth - of_up;
    for (int k = 0; k <= BINOMIAL_STEPS; k++) {
        const float end = price[i] * expf(width * (float)(2 * k - BINOMIAL_STEPS));
        value[k] = end > strike[i] ? end - strike[i] : 0.0f;
    }
    for (int last = BINOMIAL_STEPS; last > 0; last--)
        for (int k = 0; k < last; k++)
            value[k] = of_up * value[k + 1] + of_down * value[k];
    call[i] = value[0];
}

/* The dot product in three forms: every index adds; */
YOKE_KERNEL(dot_add, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_ADD(double, sum))
{
    yoke_add(&sum[0], (double)x[i] * y[i]);
}

/* the lanes of a group add up and add once; */
YOKE_GROUP_KERNEL(dot_group, i, DOT_LANES, DOT_UNIT, YOKE_IN(float, x), YOKE_IN(float, y),
                  YOKE_ADD(double, sum))
{
    YOKE_LANE_SUM(double, part, k, 0, YOKE_COUNT, (double)x[i + k] * y[i + k])
    YOKE_ONCE
    {
        yoke_add(&sum[0], part);
    }
}

/* each row has a sum of its own. */
YOKE_KERNEL(dot_rows, i, YOKE_VALUE(int64_t, columns), YOKE_IN(float, x), YOKE_IN(float, y),
            YOKE_OUT(double, sums))
{
    double sum = 0;
    for (int64_t j = 0; j < columns; j++)
        sum += (double)x[i * columns + j] * y[i * columns + j];
    sums[i] = sum;
}

YOKE_KERNEL(histogram, i, YOKE_IN(uint8_t, pixel), YOKE_ADD(uint32_t, bins))
{
    yoke_add(&bins[pixel[i]], 1);
}

/* One step of Jacobi's method in three dimensions; the faces do not change. */
YOKE_KERNEL3(stencil, i, j, k, YOKE_VALUE(int64_t, height), YOKE_IN(float, from),
             YOKE_OUT(float, to))
{
    if (i == 0 || i == height - 1 || j == 0 || j == YOKE_SIZE2 - 1 || k == 0 || k == YOKE_SIZE3 - 1)
        to[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] = from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k];
    else
        to[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] =
            0.25f * from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] +
            0.125f * (from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k - 1] +
                      from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k + 1] +
                      from[(i * YOKE_SIZE2 + j - 1) * YOKE_SIZE3 + k] +
                      from[(i * YOKE_SIZE2 + j + 1) * YOKE_SIZE3 + k] +
                      from[((i - 1) * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] +
                      from[((i + 1) * YOKE_SIZE2 + j) * YOKE_SIZE3 + k]);
}

/* The same over the interior only; it needs no test. */
YOKE_KERNEL3(stencil_interior, i, j, k, YOKE_IN(float, from), YOKE_OUT(float, to))
{
    to[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] =
        0.25f * from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] +
        0.125f * (from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k - 1] +
                  from[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k + 1] +
                  from[(i * YOKE_SIZE2 + j - 1) * YOKE_SIZE3 + k] +
                  from[(i * YOKE_SIZE2 + j + 1) * YOKE_SIZE3 + k] +
                  from[((i - 1) * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] +
                  from[((i + 1) * YOKE_SIZE2 + j) * YOKE_SIZE3 + k]);
}

/* A charged particle in a uniform field: one step of Boris' method. */
YOKE_KERNEL(push, i, YOKE_VALUE(field_t, f), YOKE_VALUE(double, dt),
            YOKE_INOUT(particle_t, particles))
{
    particle_t p = particles[i];
    const double h = 0.5 * dt;
    const double tx = h * f.bx, ty = h * f.by, tz = h * f.bz;
    const double s = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz);
    const double ux = p.vx + h * f.ex, uy = p.vy + h * f.ey, uz = p.vz + h * f.ez;
    const double wx = ux + uy * tz - uz * ty;
    const double wy = uy + uz * tx - ux * tz;
    const double wz = uz + ux * ty - uy * tx;
    p.vx = ux + s * (wy * tz - wz * ty) + h * f.ex;
    p.vy = uy + s * (wz * tx - wx * tz) + h * f.ey;
    p.vz = uz + s * (wx * ty - wy * tx) + h * f.ez;
    p.x += dt * p.vx;
    p.y += dt * p.vy;
    p.z += dt * p.vz;
    particles[i] = p;
}

/* A function by a table of `points` values over [0, 1], with linear interpolation. */
YOKE_KERNEL(lookup, i, YOKE_VALUE(int32_t, points), YOKE_IN(float, x), YOKE_IN(float, table),
            YOKE_OUT(float, y))
{
    const float at = x[i] * (float)(points - 1);
    const int32_t k = (int32_t)at;
    const float part = at - (float)k;
    y[i] = table[k] + part * (table[k + 1] - table[k]);
}

YOKE_KERNEL(gather, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[index[i]];
}

YOKE_KERNEL(mixed, i, YOKE_IN(uint8_t, grey), YOKE_IN(int16_t, offset), YOKE_IN(float, weight),
            YOKE_OUT(double, value), YOKE_OUT(int16_t, sum))
{
    value[i] = (double)weight[i] * grey[i] + offset[i];
    sum[i] = (int16_t)(offset[i] / 2 + grey[i]);
}

YOKE_KERNEL(saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}
