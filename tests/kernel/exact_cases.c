/* exact_cases.c - inputs and references of exact_kernels.c; see problem.h. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "shapes.h"

extern const yoke_kernel exact, wide_sums;

enum { N = 10007 };

static int64_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void exact_run(const struct launcher *launcher)
{
    float *x = noise_array(N), *y = allocate(3 * N * sizeof *y);
    int32_t *bits = allocate(N * sizeof *bits);
    struct problem problem = { &exact,
                               N,
                               { 0 },
                               { { .rows = x, .row_bytes = 4 },
                                 { .rows = y, .row_bytes = 12 },
                                 { .rows = bits, .row_bytes = 4 } } };
    run(launcher, &problem);
    for (int i = 0; i < N; i++) {
        /* volatile: rounded separately, with any compiler options of this file. */
        const volatile float square = x[i] * x[i], part = 0.3f * x[i];
        const volatile float product = x[i] * (1.0f - x[i]), rest = square - part;
        same("fused difference", i, bits_of(y[3 * i]), 0);
        same("bits of the sum", i, bits_of(y[3 * i + 1]), bits_of(product + rest));
        same("bits of the next number", i, bits_of(y[3 * i + 2]), bits_of(x[i]) + 1);
        same("bits", i, bits[i], bits_of(-x[i]));
    }
    free(x);
    free(y);
    free(bits);
}

/* 40 bits, with both signs. */
static int64_t term(int64_t i)
{
    return (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> 24) - ((int64_t)1 << 39);
}

void wide_sums_run(const struct launcher *launcher)
{
    int64_t sums[BINS] = { 0 }, expected[BINS] = { 0 };
    uint64_t more[BINS] = { 0 };
    int64_t *x = allocate(N * sizeof *x), all = 0, got = 0;
    struct problem problem = {
        &wide_sums,
        N,
        { 0 },
        { { .rows = x, .row_bytes = 8 },
          { .rows = sums, .row_bytes = 8, .reach = WHOLE, .count = BINS },
          { .rows = more, .row_bytes = 8, .reach = WHOLE, .count = BINS } }
    };
    for (int64_t i = 0; i < N; i++) {
        x[i] = term(i);
        expected[i % BINS] += x[i];
        all += x[i];
    }
    run(launcher, &problem);
    for (int bin = 0; bin < BINS; bin++) {
        same("unsigned sum", bin, (int64_t)more[bin], expected[bin]);
        got += sums[bin];
    }
    same("all sums", 0, got, 2 * all);
    free(x);
}
