/* for_kernels.c - the loops that programs typically write first, for test_for. */
#include "for_kernels.h"

#include <yoke/kernel.h>

YOKE_KERNEL(f_saxpy, i, YOKE_VALUE(float, a), YOKE_IN(float, x), YOKE_INOUT(float, y))
{
    y[i] = a * x[i] + y[i];
}

YOKE_KERNEL(f_dot, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_ADD(double, sum))
{
    yoke_add(&sum[0], (double)x[i] * y[i]);
}

YOKE_KERNEL2(f_blur, i, j, YOKE_VALUE(int64_t, rows), YOKE_IN(float, from), YOKE_OUT(float, to))
{
    const int64_t m = YOKE_SIZE2;
    to[i * m + j] = i == 0 || i == rows - 1
                        ? from[i * m + j]
                        : from[(i - 1) * m + j] + from[i * m + j] + from[(i + 1) * m + j];
}

YOKE_KERNEL(f_look_up, i, YOKE_IN(uint8_t, key), YOKE_IN(float, table), YOKE_OUT(float, to))
{
    to[i] = table[key[i]];
}

YOKE_KERNEL(f_gather, i, YOKE_IN(int32_t, index), YOKE_IN(float, x), YOKE_OUT(float, to))
{
    to[i] = x[index[i]];
}

YOKE_KERNEL(f_mxv, i, YOKE_VALUE(int64_t, columns), YOKE_IN(float, a), YOKE_IN(float, x),
            YOKE_OUT(float, y))
{
    float sum = 0;
    for (int64_t j = 0; j < columns; j++)
        sum += a[i * columns + j] * x[j];
    y[i] = sum;
}

YOKE_KERNEL(f_histogram, i, YOKE_VALUE(uint32_t, bins), YOKE_IN(uint8_t, key),
            YOKE_ADD(int32_t, counts))
{
    yoke_add(&counts[key[i] % bins], 1);
}

YOKE_KERNEL(f_first, i, YOKE_VALUE(int64_t, count), YOKE_IN(float, table), YOKE_OUT(float, y))
{
    y[i] = count > 0 ? table[i % count] : -1;
}

YOKE_KERNEL(f_fill_rows, i, YOKE_VALUE(int64_t, columns), YOKE_OUT(float, rows), YOKE_OUT(float, y))
{
    int64_t j;
    for (j = 0; j < columns; j++)
        rows[i * columns + j] = (float)j;
    y[i] = (float)columns;
}

YOKE_KERNEL(f_move, i, YOKE_VALUE(f_body, by), YOKE_INOUT(f_body, bodies))
{
    bodies[i].x += by.x;
    bodies[i].y += by.y;
}

YOKE_KERNEL3(f_number, i, j, k, YOKE_OUT(int32_t, to))
{
    to[(i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k] = (int32_t)(100 * i + 10 * j + k);
}
