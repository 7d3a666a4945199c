/* touch_kernels.c - kernels as a new user may write them, which access other rows than the job
 * declares. */
#include "touch_kernels.h"

YOKE_KERNEL2(t_image, i, j, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i * YOKE_SIZE2 + j] = 2 * x[i * YOKE_SIZE2 + j];
}

YOKE_KERNEL(t_gather, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const int32_t at = index[i];
    y[i] = x[at];
}

YOKE_KERNEL(t_table, i, YOKE_IN(uint8_t, pixel), YOKE_IN(float, table), YOKE_OUT(float, y))
{
    y[i] = table[pixel[i] & 15];
}

YOKE_KERNEL(t_neighbours, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const int64_t left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
    y[i] = x[left] + x[i] + x[right];
}

YOKE_KERNEL3(t_stencil, z, y, x, YOKE_VALUE(int64_t, nz), YOKE_IN(float, u), YOKE_OUT(float, w))
{
    const int64_t nx = YOKE_SIZE3, ny = YOKE_SIZE2;
    const int64_t at = (z * ny + y) * nx + x;
    if (z == 0 || z == nz - 1 || y == 0 || y == ny - 1 || x == 0 || x == nx - 1)
        w[at] = u[at];
    else
        w[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - ny * nx] + u[at + ny * nx];
}

YOKE_KERNEL(t_window, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float sum = 0;
    for (int t = -2; t <= 2; ++t)
        sum += x[i + t];
    y[i] = sum;
}

YOKE_KERNEL(t_vector, i, YOKE_VALUE(int32_t, columns), YOKE_IN(float, m), YOKE_IN(float, v),
            YOKE_OUT(float, y))
{
    float sum = 0;
    for (int j = 0; j < columns; ++j)
        sum += m[i * columns + j] * v[j];
    y[i] = sum;
}

YOKE_KERNEL(t_sum, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    s[0] += x[i];
}

YOKE_KERNEL(t_sum_right, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    yoke_add(&s[0], x[i]);
}

YOKE_KERNEL(t_triples, i, YOKE_IN(float, xyz), YOKE_OUT(float, length))
{
    length[i] = sqrtf(xyz[i * 3] * xyz[i * 3] + xyz[3 * i + 1] * xyz[3 * i + 1] +
                      xyz[3 * i + 2] * xyz[3 * i + 2]);
}

YOKE_KERNEL(t_scatter, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[index[i]] = x[i];
}

YOKE_KERNEL(t_reversed, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[n - 1 - i];
}

/* Correct: a constant index that is its own, a local that changes, a pointer into the row. */
YOKE_KERNEL(t_right, i, YOKE_VALUE(int32_t, w), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    YOKE_GLOBAL const float *row = x + i * w;
    int64_t k = i;
    k *= w;
    y[k] = row[0];
    for (int32_t c = 1; c < w; ++c)
        y[i * w + c] = row[c] + x[k + c];
    if (i == 0)
        y[0] = 7;
}

/* Correct: a row from its end on, and backwards. */
YOKE_KERNEL2(t_mirror, i, j, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i * YOKE_SIZE2 + j] = x[i * YOKE_SIZE2 + YOKE_SIZE2 - 1 - j];
}

YOKE_KERNEL(t_backwards, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float sum = 0;
    for (int t = 3; t-- > 0;)
        sum += x[i * 3 + t];
    y[i] = sum;
}

/* Correct for some values. */
YOKE_KERNEL(t_radius, i, YOKE_VALUE(int32_t, radius), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    float sum = x[i];
    for (int t = 1; t <= radius; ++t)
        sum += x[i - t] + x[i + t];
    y[i] = sum;
}

YOKE_KERNEL(t_channels, i, YOKE_VALUE(int32_t, channels), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    if (channels == 1) {
        y[i] = x[i];
        return;
    }
    y[i] = channels == 3 ? x[3 * i] + x[3 * i + 1] + x[3 * i + 2] : x[i * channels];
}

/* Operators that make no polynomial. */
YOKE_KERNEL(t_half, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[i / 2];
}

YOKE_KERNEL(t_ring, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[(i + 1) % n];
}

YOKE_KERNEL(t_red, i, YOKE_VALUE(int64_t, n), YOKE_VALUE(int64_t, color), YOKE_INOUT(float, u))
{
    if (((i ^ color) & 1) == 0 && i > 0 && i < n - 1)
        u[i] = 0.5f * (*(u + i - 1) + u[i + 1]);
}

/* Correct: the operators give i. */
YOKE_KERNEL(t_pairs, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[(i & 1) + i / 2 * 2] = x[(i << 3 >> 3) + (i < 0)] + (i % 2 == 2 ? x[i + 1] : 0.0f);
}

/* Elements that a small table has not. */
YOKE_KERNEL(t_far, i, YOKE_VALUE(int64_t, at), YOKE_IN(float, table), YOKE_ADD(float, sums))
{
    yoke_add(&sums[at / 2], table[at]);
}

/* A row distance that yoke tells; correct for columns of the array. */
YOKE_KERNEL(t_distance, i, YOKE_VALUE(int64_t, distance), YOKE_VALUE(int64_t, column),
            YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[i * distance + column];
}

/* Correct: each access is only for the index that has that row, in different notations. */
YOKE_KERNEL(t_ends, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const int64_t left = i > 0 ? i : 0;
    y[left] = x[i];
    if (!i)
        y[0] = x[0];
    if (n - 2 < i)
        y[n - 1] = x[n - 1];
    else if (i == 1)
        y[1] = 5;
    if (i || n < 0)
        return;
    y[0] = 6;
}

/* Correct: names that mean something else, numbers that wrap, pointers that moved. */
YOKE_KERNEL(t_names, i, YOKE_VALUE(int32_t, w), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i * 256 + (uint8_t)(i * 7)] = 1;
    const uint8_t slot = i * 9;
    y[i * 256 + slot] = 2;
    w = 256;
    y[i * w] = 3;
    {
        float x[3] = { 1, 2, 3 };
        y[i * 256 + 1] = x[2];
    }
    y += i * 256;
    y[3] = 4;
}

/* Wrong for most indexes, behind conditions on the index. */
YOKE_KERNEL(t_behind, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    if (i == 0 || i >= n - 1) {
        y[i] = x[i];
        return;
    }
    y[i] = 0.5f * (x[i - 1] + x[i + 1]);
}

YOKE_KERNEL(t_sum_star, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    *s += x[i];
}

YOKE_KERNEL(t_sum_counts, i, YOKE_IN(float, x), YOKE_ADD(int32_t, s))
{
    if (x[i] > 0)
        (*s)++;
}

/* Correct: unsigned values that wrap to an element of a table with eight, and a rounded one. */
YOKE_KERNEL(t_wrapped, i, YOKE_IN(float, table), YOKE_OUT(float, y))
{
    const uint32_t before = (uint32_t)i - 5;
    float s = table[(uint32_t)(i * 2654435761u) >> 29] + table[(uint64_t)(i - 3) % 8];
    s += table[(size_t)(i - 1) & 7] + table[-(uint32_t)i % 8] + table[~(uint32_t)i % 8];
    s += before < 8 ? table[before] : 0.0f;
    s += table[i > -1u ? 100 : 3] + table[0xffffffffffffffffu % 8];
    s += table[(int64_t)((float)i / 64 * 8)];
    if ((uint64_t)(i - 1) < 8)
        s += table[i - 1];
    y[i] = s;
}

/* Unsigned values that do not wrap, and lead to other rows. */
YOKE_KERNEL(t_unsigned_half, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[(size_t)i / 2];
}
YOKE_KERNEL(t_unsigned_near, i, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_OUT(float, y))
{
    const uint64_t at = (uint64_t)i;
    y[i] = at + 1 < (uint64_t)n ? x[at + 1] : 0.0f;
}

/* Wrong: all indexes of a row change one element. */
YOKE_KERNEL2(t_row_sum, i, j, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] += x[i * YOKE_SIZE2 + j];
}
YOKE_KERNEL2(t_row_last, i, j, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = x[i * YOKE_SIZE2 + j];
}
YOKE_KERNEL2(t_row_loop, i, j, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    int64_t k;
    for (k = 0; k < n; k++)
        y[i * n + k] += x[i * YOKE_SIZE2 + j];
}
YOKE_KERNEL3(t_box_sum, i, j, k, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i * YOKE_SIZE2 + j] += x[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k];
}
/* Right: one index of a row writes it; or all write the same; or none, if n says so; or the place
 * depends on j in a way of its own. */
YOKE_KERNEL2(t_row_never, i, j, YOKE_VALUE(int64_t, n), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    if (n > 4)
        y[i] += x[i * YOKE_SIZE2 + j];
    else
        y[i * (j / 16 + 1)] = x[i * YOKE_SIZE2 + j] * 0.0f;
}
YOKE_KERNEL2(t_row_first, i, j, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    if (j == 0)
        y[i] = x[i * YOKE_SIZE2 + j];
}
YOKE_KERNEL2(t_row_same, i, j, YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    float unused;
    y[i] = 1.0f, unused = (float)j, (void)unused;
    if (x[i * YOKE_SIZE2 + j] > 0)
        y[i] = 2.0f;
}

YOKE_KERNEL2(t_column, i, j, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[j * YOKE_SIZE2 + i] = x[i * YOKE_SIZE2 + j];
}
