/* reduce_kernels.c - kernels of every form that reduces, for test_reduce.c. */
#include "reduce_kernels.h"

YOKE_FN moments_t both(moments_t a, moments_t b)
{
    return YOKE_INIT(moments_t, a.count + b.count, a.sum + b.sum, a.squares + b.squares,
                     a.low < b.low ? a.low : b.low);
}
#define MOMENTS(n) YOKE_FOLD(both, YOKE_INIT(moments_t, 0, 0, 0, INFINITY), moments_t, n)

/* Sums whose last bits depend on the order; also writes an array, and counts. */
YOKE_KERNEL(k_reduce_bits, i, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_REDUCE(SUM, float, sum),
            MOMENTS(all), YOKE_ADD(int32_t, odd))
{
    y[i] = x[i];
    yoke_reduce(sum, x[i]);
    yoke_fold(all, both, YOKE_INIT(moments_t, 1, x[i], x[i], x[i]));
    if (i % 2)
        yoke_add(&odd[0], 1);
}
YOKE_KERNEL2(k_reduce_2, i, j, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum),
             YOKE_REDUCE(MAX_AT, float, high))
{
    const int64_t at = i * YOKE_SIZE2 + j;
    yoke_reduce(sum, x[at]);
    yoke_reduce_at(high, x[at], at);
}
YOKE_KERNEL3(k_reduce_3, i, j, k, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, sum),
             YOKE_REDUCE(MAX_AT, float, high))
{
    const int64_t at = (i * YOKE_SIZE2 + j) * YOKE_SIZE3 + k;
    yoke_reduce(sum, x[at]);
    yoke_reduce_at(high, x[at], at);
}

/* Also writes the rows that it reads. */
YOKE_KERNEL2(k_reduce_edges, i, j, YOKE_IN(float, x), YOKE_OUT(float, y),
             YOKE_REDUCE(SUM, float, sum))
{
    const int64_t at = i * YOKE_SIZE2 + j;
    y[at] = 2 * x[at];
    yoke_reduce(sum, x[at]);
}

/* Reduces the lanes of a tile, and one value for each row, which is summed in local memory. Private
 * variables and local memory are no arguments, wherever they are declared. */
YOKE_GROUP_KERNEL(k_reduce_tile, i, 32, 32, YOKE_PRIVATE(float, mine), YOKE_IN(float, x),
                  YOKE_REDUCE(SUM, float, sum), MOMENTS(all))
{
    YOKE_LANES(l)
    {
        if (l >= YOKE_COUNT)
            continue;
        YOKE_MINE(mine) = x[i + l];
        yoke_reduce(sum, YOKE_MINE(mine));
        yoke_fold(all, both, YOKE_INIT(moments_t, 1, x[i + l], x[i + l], x[i + l]));
    }
}
YOKE_GROUP_KERNEL(k_reduce_row, i, 16, 1, YOKE_VALUE(int64_t, columns), YOKE_IN(float, x),
                  YOKE_LOCAL(float, row, 16), YOKE_REDUCE(SUM, float, sum),
                  YOKE_REDUCE(MAX_AT, float, high))
{
    YOKE_LANES(l)
    {
        row[l] = 0;
        for (int64_t j = l; j < columns; j += 16)
            row[l] += x[i * columns + j];
    }
    YOKE_BARRIER;
    YOKE_ONCE
    {
        float all = 0;
        for (int l = 0; l < 16; l++)
            all += row[l];
        yoke_reduce(sum, all);
        yoke_reduce_at(high, all, i);
    }
}

/* Two kernels for one job. */
YOKE_KERNEL(k_reduce_count, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, int64_t, count))
{
    yoke_reduce(count, x[i] > 0 ? 1 + i % 3 : 0);
}
YOKE_GROUP_KERNEL(k_reduce_count_tiles, i, 8, 24, YOKE_IN(float, x),
                  YOKE_REDUCE(SUM, int64_t, count))
{
    YOKE_LANES(l)
    {
        for (int64_t k = l; k < YOKE_COUNT; k += 8)
            yoke_reduce(count, x[i + k] > 0 ? 1 + (i + k) % 3 : 0);
    }
}

/* Needs an earlier job's result. */
YOKE_KERNEL(k_reduce_after, i, YOKE_IN(int64_t, count), YOKE_OUT(float, y))
{
    y[i] = (float)count[0];
}
