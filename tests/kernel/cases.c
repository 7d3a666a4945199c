/* cases.c - inputs, references and comparison; see problem.h. References are independent of the
 * kernels, and in double precision if the kernel is in float. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

extern const yoke_kernel moments, moments3, saxpy, daxpy, integers, many, structs, stencil, plane,
    laplace, histogram, floats, doubles, mxv, extremes, gaps, nbody, parted, unequal, reverse,
    voting, leaving, local_histogram, few_lanes, branch_lanes, branch_once, scan, exact, wide_sums;

const yoke_kernel *const test_kernels[] = {
    &saxpy,    &daxpy,   &integers,        &many,      &structs,      &stencil,
    &plane,    &laplace, &histogram,       &floats,    &doubles,      &mxv,
    &extremes, &gaps,    &nbody,           &parted,    &unequal,      &reverse,
    &voting,   &leaving, &local_histogram, &few_lanes, &branch_lanes, &branch_once,
    &scan,     &exact,   &wide_sums,       &moments,   &moments3,     NULL
};

enum { N = 10007 };

static void saxpy_run(const struct launcher *launcher)
{
    const float a = 2.5f;
    float *x = noise_array(N), *y = noise_array(N);
    struct problem problem = {
        &saxpy,
        N,
        { 0 },
        { { .value = &a }, { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 4 } }
    };
    run(launcher, &problem);
    for (int64_t i = 0; i < N; i++)
        near("y", i, y[i], 3.5 * noise(i), 1e-6);
    free(x);
    free(y);
}

static void daxpy_run(const struct launcher *launcher)
{
    const double a = 1.0 / 3.0;
    double *x = allocate(N * sizeof *x), *y = allocate(N * sizeof *y);
    for (int64_t i = 0; i < N; i++) {
        x[i] = noise(i);
        y[i] = 1.0 / (double)(i + 1);
    }
    struct problem problem = {
        &daxpy,
        N,
        { 0 },
        { { .value = &a }, { .rows = x, .row_bytes = 8 }, { .rows = y, .row_bytes = 8 } }
    };
    run(launcher, &problem);
    for (int64_t i = 0; i < N; i++)
        near("y", i, y[i], noise(i) / 3.0 + 1.0 / (double)(i + 1), 1e-15);
    free(x);
    free(y);
}

static void integers_run(const struct launcher *launcher)
{
    enum { COUNT = 1003 };
    static int8_t a[COUNT];
    static uint8_t b[COUNT];
    static int16_t c[COUNT];
    static uint16_t d[COUNT];
    static int32_t e[COUNT];
    static uint32_t f[COUNT];
    static int64_t g[COUNT];
    static uint64_t h[COUNT];
    const int8_t va = -7;
    const uint8_t vb = 250;
    const int16_t vc = -300;
    const uint16_t vd = 65000;
    const int32_t ve = -100000;
    const uint32_t vf = 4000000000u;
    const int64_t vg = -5000000000;
    const uint64_t vh = 18000000000000000000u;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (int8_t)(i - 500);
        b[i] = (uint8_t)i;
        c[i] = (int16_t)(i * -31);
        d[i] = (uint16_t)(i * 61);
        e[i] = i * -2000003;
        f[i] = (uint32_t)i * 4000037u;
        g[i] = (int64_t)i * -9000000000001;
        h[i] = (uint64_t)i * 18000000000000001u;
    }
    struct problem problem = { &integers,
                               COUNT,
                               { 0 },
                               { { .value = &va },
                                 { .value = &vb },
                                 { .value = &vc },
                                 { .value = &vd },
                                 { .value = &ve },
                                 { .value = &vf },
                                 { .value = &vg },
                                 { .value = &vh },
                                 { .rows = a, .row_bytes = 1 },
                                 { .rows = b, .row_bytes = 1 },
                                 { .rows = c, .row_bytes = 2 },
                                 { .rows = d, .row_bytes = 2 },
                                 { .rows = e, .row_bytes = 4 },
                                 { .rows = f, .row_bytes = 4 },
                                 { .rows = g, .row_bytes = 8 },
                                 { .rows = h, .row_bytes = 8 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        same("int8", i, a[i], (int8_t)((int8_t)(i - 500) / 2 + va));
        same("uint8", i, b[i], (uint8_t)((uint8_t)i + vb));
        same("int16", i, c[i], (int16_t)((int16_t)(i * -31) / 2 + vc));
        same("uint16", i, d[i], (uint16_t)((uint16_t)(i * 61) + vd));
        same("int32", i, e[i], i * -2000003 / 2 + ve);
        same("uint32", i, f[i], (uint32_t)i * 4000037u + vf);
        same("int64", i, g[i], (int64_t)i * -9000000000001 / 2 + vg);
        same("uint64", i, (int64_t)h[i], (int64_t)(((uint64_t)i * 18000000000000001u >> 3) + vh));
    }
}

static void many_run(const struct launcher *launcher)
{
    enum { COUNT = 777 };
    static int32_t in[12][COUNT], y[COUNT], values[11];
    struct problem problem = { .kernel = &many, .count = COUNT };
    for (int p = 0; p < 11; p++) {
        values[p] = 3 * p - 7;
        problem.operands[p].value = &values[p];
    }
    for (int p = 0; p < 12; p++) {
        for (int i = 0; i < COUNT; i++)
            in[p][i] = (p + 1) * 1000 + i;
        problem.operands[11 + p] = (struct operand){ .rows = in[p], .row_bytes = 4 };
    }
    problem.operands[23] = (struct operand){ .rows = y, .row_bytes = 4 };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        int32_t expected = in[11][i];
        for (int p = 0; p < 11; p++)
            expected += values[p] * in[p][i];
        same("y", i, y[i], expected);
    }
}

static void structs_run(const struct launcher *launcher)
{
    enum { COUNT = 501 };
    static mixed_t x[COUNT], y[COUNT];
    static body_t b[COUNT];
    const mixed_t add = { .tag = 3, .weight = 0.125, .axis = { 0, 0, 1.5f } };
    for (int i = 0; i < COUNT; i++)
        x[i] = (mixed_t){ (int8_t)i,          i * 0.5,          -i,
                          { (float)i, 7, 8 }, (int16_t)(i * 3), (uint64_t)i << 40 };
    struct problem problem = { &structs,
                               COUNT,
                               { 0 },
                               { { .value = &add },
                                 { .rows = x, .row_bytes = sizeof *x },
                                 { .rows = y, .row_bytes = sizeof *y },
                                 { .rows = b, .row_bytes = sizeof *b } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        same("tag", i, y[i].tag, (int8_t)((int8_t)i + 3));
        near("weight", i, y[i].weight, i * 0.75 + 0.125, 1e-15);
        same("count", i, y[i].count, 1 - i);
        near("axis[0]", i, y[i].axis[0], i, 0);
        near("axis[1]", i, y[i].axis[1], i * 0.5 + 1.5, 1e-6);
        near("axis[2]", i, y[i].axis[2], 8, 0);
        same("low", i, y[i].low, i * 3 - 1);
        same("wide", i, (int64_t)y[i].wide, ((int64_t)i << 40) + 10000000000);
        near("body x", i, b[i].x, i * 0.75 + 0.125, 1e-6);
        near("body z", i, b[i].z, i * 3 - 1, 0);
        near("body mass", i, b[i].mass, 1, 0);
    }
}

static void stencil_run(const struct launcher *launcher)
{
    const int64_t n = N;
    float *u = noise_array(N), *v = allocate(N * sizeof *v);
    struct problem problem = { &stencil,
                               N,
                               { 0 },
                               { { .value = &n },
                                 { .rows = u, .row_bytes = 4, .reach = HALO },
                                 { .rows = v, .row_bytes = 4 } } };
    run(launcher, &problem);
    near("v", 0, v[0], noise(0), 0);
    near("v", N - 1, v[N - 1], noise(N - 1), 0);
    for (int64_t i = 1; i < N - 1; i++)
        near("v", i, v[i], 0.25 * noise(i - 1) + 0.5 * noise(i) + 0.25 * noise(i + 1), 1e-6);
    free(u);
    free(v);
}

static void plane_run(const struct launcher *launcher)
{
    enum { ROWS_2D = 103, COLUMNS = 61 };
    const float scale = -3.0f;
    float *x = noise_array(ROWS_2D * COLUMNS), *y = allocate(ROWS_2D * COLUMNS * sizeof *y);
    struct problem problem = { &plane,
                               ROWS_2D,
                               { COLUMNS, 0 },
                               { { .value = &scale },
                                 { .rows = x, .row_bytes = 4 * COLUMNS },
                                 { .rows = y, .row_bytes = 4 * COLUMNS } } };
    run(launcher, &problem);
    for (int64_t i = 0; i < ROWS_2D; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            near("y", i * COLUMNS + j, y[i * COLUMNS + j],
                 -3.0 * noise(i * COLUMNS + j) + (double)(i % 101) - (double)j, 2e-5);
    free(x);
    free(y);
}

enum { NX = 19, NY = 13, NZ = 37 };

static double laplace_at(int64_t i, int64_t j, int64_t k)
{
    static const int steps[6][3] = { { -1, 0, 0 }, { 1, 0, 0 },  { 0, -1, 0 },
                                     { 0, 1, 0 },  { 0, 0, -1 }, { 0, 0, 1 } };
    const double middle = noise((i * NY + j) * NZ + k);
    double sum = 0;
    for (int s = 0; s < 6; s++) {
        int64_t a = i + steps[s][0], b = j + steps[s][1], c = k + steps[s][2];
        if (a >= 0 && a < NX && b >= 0 && b < NY && c >= 0 && c < NZ)
            sum += noise((a * NY + b) * NZ + c) - middle;
    }
    return sum;
}

static void laplace_run(const struct launcher *launcher)
{
    const int64_t n = NX;
    float *u = noise_array(NX * NY * NZ), *v = allocate(NX * NY * NZ * sizeof *v);
    struct problem problem = { &laplace,
                               NX,
                               { NY, NZ },
                               { { .value = &n },
                                 { .rows = u, .row_bytes = 4 * NY * NZ, .reach = HALO },
                                 { .rows = v, .row_bytes = 4 * NY * NZ } } };
    run(launcher, &problem);
    for (int64_t at = 0; at < NX * NY * NZ; at++)
        near("v", at, v[at], laplace_at(at / (NY * NZ), at / NZ % NY, at % NZ), 2e-6);
    free(u);
    free(v);
}

/* The same in the interior, and nothing elsewhere. */
static void inside_run(const struct launcher *launcher)
{
    const int64_t n = NX, second[2] = { 1, NY - 1 }, third[2] = { 2, NZ - 3 };
    float *u = noise_array(NX * NY * NZ), *v = allocate(NX * NY * NZ * sizeof *v);
    struct problem problem = { .kernel = &laplace,
                               .count = NX,
                               .extent = { NY, NZ },
                               .operands = { { .value = &n },
                                             { .rows = u, .row_bytes = 4 * NY * NZ, .reach = HALO },
                                             { .rows = v, .row_bytes = 4 * NY * NZ } },
                               .second = { second[0], second[1] },
                               .third = { third[0], third[1] } };
    run(launcher, &problem);
    for (int64_t at = 0; at < NX * NY * NZ; at++) {
        const int64_t i = at / (NY * NZ), j = at / NZ % NY, k = at % NZ;
        const int is_done = j >= second[0] && j < second[1] && k >= third[0] && k < third[1];
        near("v", at, v[at], is_done ? laplace_at(i, j, k) : 0, 2e-6);
    }
    free(u);
    free(v);
}

static void histogram_run(const struct launcher *launcher)
{
    static int32_t a[BINS];
    static uint32_t b[BINS];
    static int64_t c[BINS];
    static uint64_t d[BINS];
    static float e[BINS];
    static double f[BINS];
    int64_t expected[BINS] = { 0 };
    float *x = noise_array(N);
    const struct operand whole = { .reach = WHOLE, .count = BINS };
    struct problem problem = {
        &histogram,
        N,
        { 0 },
        { { .rows = x, .row_bytes = 4 }, whole, whole, whole, whole, whole, whole }
    };
    void *const targets[] = { a, b, c, d, e, f };
    static const size_t sizes[] = { 4, 4, 8, 8, 4, 8 };
    for (int t = 0; t < 6; t++) {
        memset(targets[t], 0, BINS * sizes[t]);
        problem.operands[1 + t].rows = targets[t];
        problem.operands[1 + t].row_bytes = sizes[t];
    }
    run(launcher, &problem);
    for (int64_t i = 0; i < N; i++)
        expected[bin_of(x[i])]++;
    for (int bin = 0; bin < BINS; bin++) {
        same("int32", bin, a[bin], -expected[bin]);
        same("uint32", bin, b[bin], 2 * expected[bin]);
        same("int64", bin, c[bin], -3 * expected[bin]);
        same("uint64", bin, (int64_t)d[bin], 4 * expected[bin]);
        near("float", bin, e[bin], 0.5 * (double)expected[bin], 0);
        near("double", bin, f[bin], 0.25 * (double)expected[bin], 0);
    }
    free(x);
}

static void floats_expected(double v, double *row)
{
    const double expected[25] = { sqrt(v),
                                  1 / sqrt(v),
                                  exp(v),
                                  log(v),
                                  pow(v, 1.5),
                                  sin(v),
                                  cos(v),
                                  tan(v),
                                  atan2(v, 0.5),
                                  v * v + 1,
                                  fabs(v - 1),
                                  floor((float)v * 10.0f),
                                  ceil((float)v * 10.0f),
                                  fmin(v, 0.5),
                                  fmax(v, 0.5),
                                  fmodf((float)v, 0.3f),
                                  cbrt(v),
                                  hypot(v, 2),
                                  log2(v),
                                  exp2(v),
                                  tanh(v),
                                  trunc((float)v * 10.0f),
                                  3.14159265358979,
                                  acos(v * 0.5) + erf(v) - 1 + round((float)v * 7.0f),
                                  1 / sqrt(v) };
    memcpy(row, expected, sizeof expected);
}

static void floats_run(const struct launcher *launcher)
{
    enum { COUNT = 1009 };
    float *x = noise_array(COUNT), *y = allocate(COUNT * 25 * sizeof *y);
    struct problem problem = {
        &floats, COUNT, { 0 }, { { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 25 * 4 } }
    };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        double expected[25];
        floats_expected(x[i], expected);
        for (int f = 0; f < 25; f++)
            near("function", f, y[i * 25 + f], expected[f], 2e-6);
    }
    free(x);
    free(y);
}

static void doubles_run(const struct launcher *launcher)
{
    enum { COUNT = 1009 };
    double *x = allocate(COUNT * sizeof *x), *y = allocate(COUNT * 12 * sizeof *y);
    for (int i = 0; i < COUNT; i++)
        x[i] = noise(i);
    struct problem problem = { &doubles,
                               COUNT,
                               { 0 },
                               { { .rows = x, .row_bytes = 8 },
                                 { .rows = y, .row_bytes = 12 * 8 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        const double v = x[i];
        const double expected[12] = { sqrt(v),     1 / sqrt(v),   exp(v),  log(v),
                                      pow(v, 1.5), sin(v),        cos(v),  v * v + 1,
                                      fabs(v - 1), floor(v * 10), v + 0.5, 3.14159265358979323846 };
        for (int f = 0; f < 12; f++)
            near("function", f, y[i * 12 + f], expected[f], 2e-15);
    }
    free(x);
    free(y);
}

static void moments_run(const struct launcher *launcher)
{
    float *x = noise_array(N);
    double sums[2] = { 0 }, expected[2] = { 0 };
    int32_t counts[BINS] = { 0 }, expected_counts[BINS] = { 0 };
    uint32_t all = 0;
    struct problem problem = { &moments,
                               N,
                               { 0 },
                               { { .rows = x, .row_bytes = 4 },
                                 { .rows = sums, .row_bytes = 8, .reach = WHOLE, .count = 2 },
                                 { .rows = counts, .row_bytes = 4, .reach = WHOLE, .count = BINS },
                                 { .rows = &all, .row_bytes = 4, .reach = WHOLE, .count = 1 } } };
    for (int64_t i = 0; i < N; i++) {
        expected[0] += x[i];
        expected[1] += (double)x[i] * x[i];
        expected_counts[2] += x[i] > 0.5f;
        expected_counts[bin_of(x[i])] += 2;
    }
    run(launcher, &problem);
    for (int k = 0; k < 2; k++)
        near("sum", k, sums[k], expected[k], 1e-12);
    for (int bin = 0; bin < BINS; bin++)
        same("count", bin, counts[bin], expected_counts[bin]);
    same("all", 0, all, 3 * N);
    free(x);
}

/* Rows shorter than the lanes of a sum, equally long, and longer. */
static void moments3_run(const struct launcher *launcher)
{
    for (int64_t width = 1; width <= 21; width += 4) {
        enum { ROWS_OF = 11, COLUMNS = 3 };
        const int64_t count = ROWS_OF * COLUMNS * width;
        float *x = noise_array(count);
        double sum = 0, expected = 0;
        struct problem problem = {
            &moments3,
            ROWS_OF,
            { COLUMNS, width },
            { { .rows = x, .row_bytes = (size_t)(COLUMNS * width) * sizeof *x },
              { .rows = &sum, .row_bytes = 8, .reach = WHOLE, .count = 1 } }
        };
        for (int64_t i = 0; i < count; i++)
            expected += x[i];
        run(launcher, &problem);
        near("sum of width", width, sum, expected, 1e-12);
        free(x);
    }
}

const struct kernel_case kernel_cases[] = {
    { "saxpy", saxpy_run },
    { "daxpy", daxpy_run },
    { "integers", integers_run },
    { "many parameters", many_run },
    { "structs", structs_run },
    { "stencil", stencil_run },
    { "2-D", plane_run },
    { "3-D", laplace_run },
    { "3-D, inside", inside_run },
    { "add", histogram_run },
    { "add to one element", moments_run },
    { "add to one element, 3-D", moments3_run },
    { "float functions", floats_run },
    { "double functions", doubles_run },
    { "lane sum", mxv_run },
    { "lane extremes", extremes_run },
    { "lane extremes among NaNs", gaps_run },
    { "n-body tiles", nbody_run },
    { "parts of the lanes", parted_run },
    { "parts of lanes that are not equal", unequal_run },
    { "barrier", reverse_run },
    { "votes of a warp", voting_run },
    { "votes of a group", leaving_run },
    { "local adds", local_histogram_run },
    { "few lanes", few_lanes_run },
    { "barriers in branches", branches_run },
    { "scan", scan_run },
    { "exact arithmetic", exact_run },
    { "64-bit sums", wide_sums_run },
    { NULL, NULL },
};
