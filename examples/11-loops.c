/* 11-loops.c - loops of four kinds, one call each: a sum over all indexes, a neighbourhood, a table
 * that all indexes read, and rows of a matrix. */
#include <yoke/kernel.h>

YOKE_KERNEL(dot, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_ADD(double, sum))
{
    yoke_add(&sum[0], (double)x[i] * y[i]);
}

YOKE_KERNEL2(smooth, i, j, YOKE_VALUE(int64_t, height), YOKE_IN(float, from), YOKE_OUT(float, to))
{
    const int64_t width = YOKE_SIZE2, at = i * width + j;
    to[at] = i == 0 || i == height - 1 ? from[at]
                                       : (from[at - width] + from[at] + from[at + width]) / 3.0f;
}

YOKE_KERNEL(colour, i, YOKE_IN(uint8_t, grey), YOKE_IN(uint32_t, palette), YOKE_OUT(uint32_t, to))
{
    to[i] = palette[grey[i]];
}

YOKE_KERNEL(mxv, i, YOKE_VALUE(int64_t, columns), YOKE_IN(float, a), YOKE_IN(float, x),
            YOKE_OUT(float, y))
{
    float sum = 0;
    for (int64_t j = 0; j < columns; j++)
        sum += a[i * columns + j] * x[j];
    y[i] = sum;
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { height = 600, width = 400, pixels = height * width };
static float from[pixels], to[pixels], x[width], y[height];
static uint8_t grey[pixels];
static uint32_t palette[256], coloured[pixels];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

int main(void)
{
    double sum[1] = { 0 };
    for (int p = 0; p < pixels; p++) {
        from[p] = (float)(3 * (p / width));
        grey[p] = (uint8_t)p;
        palette[p % 256] = 0x10101u * (uint32_t)(p % 256);
        x[p % width] = 1;
    }
    must(yoke_for(NULL, &dot, pixels, from, from, sum));
    must(yoke_for2(NULL, &smooth, height, width, height, yoke_halo(from, 1, 1), to));
    must(yoke_for(NULL, &colour, pixels, grey, yoke_whole(palette), coloured));
    must(yoke_for(NULL, &mxv, height, width, yoke_row(from, width), yoke_whole(x), y));
    printf("sum of squares %.0f, to[%d] = %g, pixel 255 = %06x, y[2] = %g\n", sum[0], 2 * width,
           (double)to[2 * width], coloured[255], (double)y[2]);
    return 0;
}
#endif
