/* 03-add.c - a histogram: any index may add to any bin. Each device adds to its own copy, and yoke
 * folds the copies into the array when the job ends. */
#include <yoke/kernel.h>

YOKE_KERNEL(histogram, i, YOKE_VALUE(int32_t, bins), YOKE_IN(uint32_t, x),
            YOKE_ADD(int32_t, counts))
{
    yoke_add(&counts[x[i] % (uint32_t)bins], 1);
}

#ifndef YOKE_FLATTEN
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { bins = 8, count = 1 << 20 };

int main(void)
{
    static int32_t counts[bins];
    int32_t bin_count = bins;
    uint32_t *xs, state = 1;
    yoke_runtime *rt;
    yoke_array *x, *sums;
    if (yoke_open(NULL, &rt) != YOKE_OK)
        goto failed;
    xs = yoke_alloc(rt, count * sizeof *xs); /* memory that every device reaches quickly */
    if (!xs || yoke_array_wrap(rt, xs, count, sizeof *xs, &x) != YOKE_OK ||
        yoke_array_wrap(rt, counts, bins, sizeof *counts, &sums) != YOKE_OK)
        goto failed;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        xs[i] = (state >> 20) * (state >> 20) >> 21; /* small numbers are more frequent */
    }
    yoke_job job = { .kernel = &histogram,
                     .range = { 0, count },
                     .args = { yoke_value(bin_count), yoke_in(x), yoke_add_to(sums) } };
    if (yoke_run(rt, &job, NULL) != YOKE_OK || yoke_array_acquire(sums, YOKE_READ) != YOKE_OK)
        goto failed;
    int64_t all = 0;
    for (int b = 0; b < bins; b++) {
        printf("bin %d: %d\n", b, counts[b]);
        all += counts[b];
    }
    printf("together %lld\n", (long long)all);
    yoke_array_close(sums);
    yoke_array_close(x);
    yoke_free(rt, xs);
    return yoke_close(rt) == YOKE_OK && all == count ? EXIT_SUCCESS : EXIT_FAILURE;
failed:
    fprintf(stderr, "%s\n", yoke_error_text());
    return EXIT_FAILURE;
}
#endif
