/* 14-reductions.c - loops with one result: a dot product, the largest residual, the place of the
 * smallest value, and a fold written by the program. Results have the same bits on all devices. */
#include <yoke/kernel.h>

YOKE_KERNEL(dot, i, YOKE_IN(float, x), YOKE_IN(float, y), YOKE_REDUCE(SUM, double, sum))
{
    yoke_reduce(sum, (double)x[i] * y[i]);
}

YOKE_KERNEL2(relax, i, j, YOKE_VALUE(int64_t, height), YOKE_IN(float, from), YOKE_OUT(float, to),
             YOKE_REDUCE(MAX, float, residual))
{
    const int64_t width = YOKE_SIZE2, at = i * width + j;
    to[at] = i == 0 || i == height - 1 ? from[at] : (from[at - width] + from[at + width]) * 0.5f;
    yoke_reduce(residual, fabsf(to[at] - from[at]));
}

YOKE_KERNEL(nearest, i, YOKE_VALUE(float, to), YOKE_IN(float, x), YOKE_REDUCE(MIN_AT, float, best))
{
    yoke_reduce_at(best, fabsf(x[i] - to), i);
}

typedef struct range {
    float low, high;
} range_t;
YOKE_FN range_t both(range_t a, range_t b)
{
    return YOKE_INIT(range_t, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
}
YOKE_KERNEL(extent, i, YOKE_IN(float, x),
            YOKE_FOLD(both, YOKE_INIT(range_t, INFINITY, -INFINITY), range_t, all))
{
    yoke_fold(all, both, YOKE_INIT(range_t, x[i], x[i]));
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { height = 600, width = 400, count = height * width };
static float x[count], y[count];

static void must(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    fprintf(stderr, "%s\n", yoke_error_text());
    exit(1);
}

int main(void)
{
    double sum, twice = 1000;
    float residual;
    yoke_at_float best;
    range_t all;
    for (int i = 0; i < count; i++)
        x[i] = (float)((i * 7919LL) % 1000) * 0.5f;
    must(yoke_for(NULL, &dot, count, x, x, &sum));
    must(yoke_for(NULL, &dot, count, x, x, yoke_onto(&twice)));
    must(yoke_for2(NULL, &relax, height, width, height, yoke_halo(x, 1, 1), y, &residual));
    must(yoke_for(NULL, &nearest, count, 123.25f, x, &best));
    must(yoke_for(NULL, &extent, count, x, &all));
    printf("dot %.0f, and 1000: %.0f\n", sum, twice);
    printf("residual %g\n", (double)residual);
    printf("nearest to 123.25: %g away at %lld\n", (double)best.value, (long long)best.place);
    printf("from %g to %g\n", (double)all.low, (double)all.high);
    return 0;
}
#endif
