/* openmp.c - what a program without yoke pays for a short loop on all cores: saxpy by OpenMP, call
 * after call.
 *
 *     yoke-bench-openmp ELEMENTS...
 *
 * Prints one line for each number of elements: the median of 1,000 calls, and their sum, in
 * microseconds. yoke's figures: yoke-bench-short-jobs saxpy ELEMENTS 1000, with YOKE_DEVICES=cpu.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../program.h"

enum { CALLS = 1000 };

static void saxpy(float a, const float *x, float *y, int64_t n)
{
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

/* Returns 0 if there is no memory. */
static int measure(int64_t n)
{
    static double us[CALLS];
    float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    double sum = 0;
    for (int64_t i = 0; x && y && i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
    }
    for (int k = 0; x && y && k < CALLS; k++) {
        const double start = now_s();
        saxpy(0.5f, x, y, n);
        us[k] = (now_s() - start) * 1e6;
        sum += us[k];
    }
    if (x && y)
        printf("saxpy %lld sum %.2f median %.2f\n", (long long)n, sum, median(us, CALLS));
    const int measured = x && y;
    free(x);
    free(y);
    return measured;
}

int main(int argc, char **argv)
{
    int64_t n;
    if (argc < 2) {
        fprintf(stderr, "usage: %s ELEMENTS...\n", argv[0]);
        return 2;
    }
    for (int k = 1; k < argc; k++)
        if (read_size(argv[k], 1, &n) != 1 || !measure(n)) {
            fprintf(stderr, "%s: %s elements: no such number, or no memory\n", argv[0], argv[k]);
            return 1;
        }
    return 0;
}
