/* job_kernels.c - small kernels that access arrays in every way a job can. */
#include "job_kernels.h"

YOKE_KERNEL(k_noop, i, YOKE_VALUE(int32_t, unused))
{
}

YOKE_KERNEL(k_index, i, YOKE_VALUE(int32_t, offset), YOKE_OUT(int32_t, y))
{
    y[i] = (int32_t)i + offset;
}

YOKE_KERNEL(k_saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

/* Takes time, and the result shows if an item is done twice. */
YOKE_KERNEL(k_spend, i, YOKE_VALUE(int32_t, rounds), YOKE_INOUT(uint32_t, y))
{
    uint32_t s = y[i];
    for (int32_t r = 0; r < rounds; ++r)
        s = s * 1664525u + 1013904223u;
    y[i] = s;
}

/* Sum of the neighbours within `width`, cut at the ends. */
YOKE_KERNEL(k_blur, i, YOKE_VALUE(bounds_t, b), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float s = 0;
    for (int64_t j = i - b.width; j <= i + b.width; ++j)
        if (j >= b.first && j < b.last)
            s += x[j];
    y[i] = s;
}

YOKE_KERNEL(k_gather, i, YOKE_VALUE(int64_t, n), YOKE_IN(pair_t, p), YOKE_OUT(pair_t, q))
{
    const pair_t other = p[n - 1 - i];
    q[i].key = other.key + (int32_t)i;
    q[i].weight = 2.0f * other.weight;
}

YOKE_KERNEL(k_histogram, i, YOKE_VALUE(int32_t, bins), YOKE_IN(int32_t, x), YOKE_ADD(uint32_t, h),
            YOKE_ADD(float, w))
{
    const int32_t bin = x[i] % bins;
    yoke_add(&h[bin], (uint32_t)1);
    yoke_add(&w[bin], 0.5f);
}

/* Adds a number from -2 to 4 to bin i % bins, in every type that mode add supports. */
YOKE_KERNEL(k_sums, i, YOKE_VALUE(int32_t, bins), YOKE_ADD(int32_t, a), YOKE_ADD(uint32_t, b),
            YOKE_ADD(int64_t, c), YOKE_ADD(uint64_t, d), YOKE_ADD(float, e), YOKE_ADD(double, f))
{
    const int32_t bin = (int32_t)(i % bins), x = (int32_t)(i % 7) - 2;
    yoke_add(&a[bin], x);
    yoke_add(&b[bin], (uint32_t)x);
    yoke_add(&c[bin], (int64_t)x);
    yoke_add(&d[bin], (uint64_t)(int64_t)x);
    yoke_add(&e[bin], (float)x);
    yoke_add(&f[bin], (double)x);
}

/* Done twice, it gives other rows and other sums. */
YOKE_KERNEL(k_grow, i, YOKE_INOUT(int32_t, x), YOKE_ADD(int64_t, sum))
{
    x[i] = 2 * x[i] + 1;
    yoke_add(&sum[0], (int64_t)x[i]);
}

YOKE_KERNEL(k_add_some, i, YOKE_VALUE(int32_t, rows), YOKE_ADD(int32_t, a))
{
    if (rows)
        yoke_add(&a[i % rows], (int32_t)1);
}

/* Rows of a triangle: row i has i + 1 elements, starting at i (i + 1) / 2. */
YOKE_KERNEL(k_triangle, i, YOKE_IN(int32_t, v), YOKE_OUT(int32_t, sum))
{
    int32_t s = 0;
    for (int64_t j = i * (i + 1) / 2; j < (i + 1) * (i + 2) / 2; ++j)
        s += v[j];
    sum[i] = s;
}

YOKE_KERNEL3(k_volume, z, y, x, YOKE_IN(int32_t, u), YOKE_INOUT(int32_t, v))
{
    const int64_t at = (z * YOKE_SIZE2 + y) * YOKE_SIZE3 + x;
    v[at] = (int32_t)((uint32_t)v[at] + 3 * (uint32_t)u[at] + (uint32_t)(z - x)); /* may wrap */
}

YOKE_GROUP_KERNEL(k_row_sum, i, 32, 1, YOKE_VALUE(int32_t, columns), YOKE_IN(int32_t, m),
                  YOKE_OUT(int32_t, sum))
{
    YOKE_LANE_SUM(int32_t, s, j, 0, columns, m[i * columns + j]);
    YOKE_ONCE
    {
        sum[i] = s;
    }
}

/* Like a step of n-body: reads the rows of all items; changes one row, writes another. */
YOKE_KERNEL(k_shares, i, YOKE_VALUE(int64_t, n), YOKE_IN(int32_t, all), YOKE_INOUT(int32_t, own),
            YOKE_OUT(int32_t, made))
{
    own[i] += all[(7 * i + 1) % n];
    made[i] = own[i] + 1;
}

/* Columns of C += A B; items are rows of C and A, B is needed whole. */
YOKE_KERNEL(k_tile, i, YOKE_VALUE(tile_t, t), YOKE_IN(int32_t, a), YOKE_IN(int32_t, b),
            YOKE_INOUT(int32_t, c))
{
    for (int64_t j = t.first; j < t.last; ++j) {
        int32_t s = c[i * t.width + j];
        for (int64_t k = 0; k < t.inner; ++k)
            s += a[i * t.inner + k] * b[k * t.width + j];
        c[i * t.width + j] = s;
    }
}

/* The same, but C is written, with any distance between rows of B and C. */
YOKE_KERNEL(k_apart, i, YOKE_VALUE(tile_t, t), YOKE_VALUE(int64_t, b_row),
            YOKE_VALUE(int64_t, c_row), YOKE_IN(int32_t, a), YOKE_IN(int32_t, b),
            YOKE_OUT(int32_t, c))
{
    for (int64_t j = t.first; j < t.last; ++j) {
        int32_t s = 0;
        for (int64_t k = 0; k < t.inner; ++k)
            s += a[i * t.inner + k] * b[k * b_row + j];
        c[i * c_row + j] = s;
    }
}

/* The result depends on the order. */
YOKE_KERNEL(k_columns, i, YOKE_VALUE(tile_t, t), YOKE_VALUE(uint32_t, by), YOKE_INOUT(uint32_t, m))
{
    for (int64_t j = t.first; j < t.last; ++j)
        m[i * t.width + j] = m[i * t.width + j] * 3u + by * (uint32_t)(i + 7 * j + 1);
}

/* Sums of columns, added to row 0 of `sums`. */
YOKE_KERNEL(k_column_sums, i, YOKE_VALUE(tile_t, t), YOKE_IN(uint32_t, m), YOKE_ADD(uint32_t, sums))
{
    for (int64_t j = t.first; j < t.last; ++j)
        yoke_add(&sums[j], m[i * t.width + j]);
}
