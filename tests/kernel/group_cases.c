/* group_cases.c - inputs, references and comparison for the group form.
 */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

extern const yoke_kernel mxv, extremes, gaps, nbody, parted, unequal, reverse, voting, leaving,
    local_histogram, few_lanes, branch_lanes, branch_once, scan;

enum { N = 10007 };

void mxv_run(const struct launcher *launcher)
{
    enum { COUNT = 53, COLUMNS = 1003 };
    const int64_t columns = COLUMNS;
    float *a = noise_array(COUNT * COLUMNS), *x = noise_array(COLUMNS);
    float *y = allocate(COUNT * sizeof *y);
    struct problem problem = { &mxv,
                               COUNT,
                               { 0 },
                               { { .value = &columns },
                                 { .rows = a, .row_bytes = 4 * COLUMNS },
                                 { .rows = x, .row_bytes = 4, .reach = WHOLE, .count = COLUMNS },
                                 { .rows = y, .row_bytes = 4 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
            sum += (double)noise(i * COLUMNS + j) * noise(j);
        near("y", i, y[i], sum, 1e-5);
    }
    free(a);
    free(x);
    free(y);
}

void extremes_run(const struct launcher *launcher)
{
    enum { COUNT = 41, COLUMNS = 77 };
    const int32_t columns = COLUMNS;
    float *a = noise_array(COUNT * COLUMNS), low[COUNT], high[COUNT];
    double mean[COUNT];
    int64_t positive[COUNT];
    for (int i = 0; i < COUNT * COLUMNS; i++)
        a[i] -= 0.4f;
    struct problem problem = { &extremes,
                               COUNT,
                               { 0 },
                               { { .value = &columns },
                                 { .rows = a, .row_bytes = 4 * COLUMNS },
                                 { .rows = low, .row_bytes = 4 },
                                 { .rows = high, .row_bytes = 4 },
                                 { .rows = mean, .row_bytes = 8 },
                                 { .rows = positive, .row_bytes = 8 } } };
    memset(low, 0, sizeof low);
    memset(high, 0, sizeof high);
    memset(mean, 0, sizeof mean);
    memset(positive, 0, sizeof positive);
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        const float *row = a + i * COLUMNS;
        float least = row[0], most = row[0];
        double sum = 0;
        int64_t count = 0;
        for (int j = 0; j < COLUMNS; j++) {
            least = row[j] < least ? row[j] : least;
            most = row[j] > most ? row[j] : most;
            sum += row[j];
            count += row[j] > 0;
        }
        near("low", i, low[i], least, 0);
        near("high", i, high[i], most, 0);
        near("mean", i, mean[i], sum / COLUMNS, 1e-14);
        same("positive", i, positive[i], count);
    }
    free(a);
}

/* NaNs are left out: none, one at each place, all before it, all after it, all but it, all. */
void gaps_run(const struct launcher *launcher)
{
    enum { COLUMNS = 77, WAYS = 4, COUNT = WAYS * COLUMNS + 2 };
    const int32_t columns = COLUMNS;
    float *a = noise_array(COUNT * COLUMNS), low[COUNT] = { 0 }, high[COUNT] = { 0 };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int way = i % WAYS, place = i / WAYS;
            const int is_gap = way == 0   ? j == place
                               : way == 1 ? j < place
                               : way == 2 ? j > place
                                          : j != place;
            if (i == COUNT - 1 || (i < COUNT - 2 && is_gap))
                a[i * COLUMNS + j] = NAN;
        }
    struct problem problem = { &gaps,
                               COUNT,
                               { 0 },
                               { { .value = &columns },
                                 { .rows = a, .row_bytes = 4 * COLUMNS },
                                 { .rows = low, .row_bytes = 4 },
                                 { .rows = high, .row_bytes = 4 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        float least = NAN, most = NAN;
        for (int j = 0; j < COLUMNS; j++) {
            least = fminf(least, a[i * COLUMNS + j]);
            most = fmaxf(most, a[i * COLUMNS + j]);
        }
        same("low is NaN", i, isnan(low[i]), isnan(least));
        same("high is NaN", i, isnan(high[i]), isnan(most));
        near("low", i, isnan(least) ? 0 : low[i], isnan(least) ? 0 : least, 0);
        near("high", i, isnan(most) ? 0 : high[i], isnan(most) ? 0 : most, 0);
    }
    free(a);
}

/* Chunks are multiples of the tile; the last tile is short. */
void nbody_run(const struct launcher *launcher)
{
    enum { COUNT = 9 * TILE + 29 };
    static body_t p[COUNT], v[COUNT];
    const int64_t n = COUNT;
    const float dt = 0.01f;
    for (int i = 0; i < COUNT; i++) {
        p[i] = (body_t){ noise(i), noise(i + 300), noise(i + 600), 1 + noise(i + 77) };
        v[i] = (body_t){ 1, 2, 3, 4 };
    }
    struct problem problem = {
        &nbody,
        COUNT,
        { 0 },
        { { .value = &n },
          { .value = &dt },
          { .rows = p, .row_bytes = sizeof *p, .reach = WHOLE, .count = COUNT },
          { .rows = v, .row_bytes = sizeof *v } }
    };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        double a[3] = { 0 };
        for (int j = 0; j < COUNT; j++) {
            const double d[3] = { p[j].x - p[i].x, p[j].y - p[i].y, p[j].z - p[i].z };
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3f;
            for (int c = 0; c < 3; c++)
                a[c] += p[j].mass * d[c] / (r2 * sqrt(r2));
        }
        near("vx", i, v[i].x, 1 + 0.01f * a[0], 2e-5);
        near("vy", i, v[i].y, 2 + 0.01f * a[1], 2e-5);
        near("vz", i, v[i].z, 3 + 0.01f * a[2], 2e-5);
        near("untouched", i, v[i].mass, 4, 0);
    }
}

void parted_run(const struct launcher *launcher)
{
    enum { COUNT = 9 * PART + 5 };
    static int32_t x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i * i;
        y[i] = -1;
    }
    struct problem problem = {
        &parted, COUNT, { 0 }, { { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 4 } }
    };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        int32_t expected = 0;
        for (int part = 0; part < 4; part++) {
            const int32_t own = part == 2 ? 0 : 1000 * part + part * PART + i % PART;
            expected += (2 * part + 1) * ((part + 1) * x[i] + own);
        }
        same("y", i, y[i], expected);
    }
}

void unequal_run(const struct launcher *launcher)
{
    static int32_t x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = 7 * i;
    struct problem problem = {
        &unequal, N, { 0 }, { { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 4 } }
    };
    run(launcher, &problem);
    for (int i = 0; i < N; i++)
        same("y", i, y[i], x[i] + 100 * (i % 64 / 24) + i % 64 + 1000);
}

void reverse_run(const struct launcher *launcher)
{
    enum { COUNT = 7 * TILE + 5 };
    static int32_t x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i * 3;
        y[i] = -1;
    }
    struct problem problem = {
        &reverse, COUNT, { 0 }, { { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 4 } }
    };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        const int tile = i / TILE * TILE, size = COUNT - tile < TILE ? COUNT - tile : TILE;
        same("y", i, y[i], x[tile + size - 1 - (i - tile)]);
    }
}

static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

void voting_run(const struct launcher *launcher)
{
    enum { COUNT = 40 * 32 + 5 };
    static int32_t x[COUNT], steps[COUNT], rounds[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i / 32 % 3 == 0 ? 1 : i + 1;
        steps[i] = rounds[i] = -1;
    }
    struct problem problem = { &voting,
                               COUNT,
                               { 0 },
                               { { .rows = x, .row_bytes = 4 },
                                 { .rows = steps, .row_bytes = 4 },
                                 { .rows = rounds, .row_bytes = 4 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++) {
        const int first = i / 32 * 32, last = first + 32 < COUNT ? first + 32 : COUNT;
        int most = 0;
        for (int k = first; k < last; k++)
            most = collatz(x[k]) > most ? collatz(x[k]) : most;
        same("steps", i, steps[i], collatz(x[i]));
        same("rounds", i, rounds[i], most);
    }
}

void leaving_run(const struct launcher *launcher)
{
    enum { COUNT = 130 };
    static int32_t x[COUNT], rounds[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i - 1;
        rounds[i] = -1;
    }
    struct problem problem = { &leaving,
                               COUNT,
                               { 0 },
                               { { .rows = x, .row_bytes = 4 },
                                 { .rows = rounds, .row_bytes = 4 } } };
    run(launcher, &problem);
    for (int i = 0; i < COUNT; i++)
        same("rounds", i, rounds[i], i < 128 ? i : 128);
}

void local_histogram_run(const struct launcher *launcher)
{
    uint32_t counts[BINS] = { 0 };
    int64_t expected[BINS] = { 0 };
    float *x = noise_array(N);
    struct problem problem = {
        &local_histogram,
        N,
        { 0 },
        { { .rows = x, .row_bytes = 4 },
          { .rows = counts, .row_bytes = 4, .reach = WHOLE, .count = BINS } }
    };
    run(launcher, &problem);
    for (int64_t i = 0; i < N; i++)
        expected[bin_of(x[i])]++;
    for (int bin = 0; bin < BINS; bin++)
        same("count", bin, counts[bin], expected[bin]);
    free(x);
}

void few_lanes_run(const struct launcher *launcher)
{
    int32_t *x = allocate(N * sizeof *x);
    uint32_t groups[4 * FEW] = { 0 };
    struct problem problem = {
        &few_lanes,
        N,
        { 0 },
        { { .rows = x, .row_bytes = 4 },
          { .rows = groups, .row_bytes = 4, .reach = WHOLE, .count = 4 * FEW } }
    };
    for (int i = 0; i < N; i++)
        x[i] = 1;
    run(launcher, &problem);
    for (int l = 0; l < 4 * FEW; l++)
        same("groups", l, groups[l], l < FEW ? N / (4 * FEW) + (l < N % (4 * FEW)) : 0);
    free(x);
}

static void branch_run(const struct launcher *launcher, const yoke_kernel *kernel, int lanes)
{
    enum { COUNT = 5, LANES = 32 };
    const int32_t n = 6;
    int32_t y[COUNT * LANES] = { 0 };
    struct problem problem = {
        kernel, COUNT, { 0 }, { { .value = &n }, { .rows = y, .row_bytes = 4 * LANES } }
    };
    run(launcher, &problem);
    for (int k = 0; k < COUNT * LANES; k++)
        same(kernel->name, k, y[k], k % LANES < lanes);
}

void branches_run(const struct launcher *launcher)
{
    branch_run(launcher, &branch_lanes, 6);
    branch_run(launcher, &branch_once, 1);
}

void scan_run(const struct launcher *launcher)
{
    int32_t *x = allocate(N * sizeof *x), *y = allocate(N * sizeof *y), sum = 0;
    struct problem problem = {
        &scan, N, { 0 }, { { .rows = x, .row_bytes = 4 }, { .rows = y, .row_bytes = 4 } }
    };
    for (int i = 0; i < N; i++)
        x[i] = i % 7;
    run(launcher, &problem);
    for (int i = 0; i < N; i++) {
        sum = i % (2 * FEW) ? sum : 0;
        same("sum", i, y[i], sum);
        sum += x[i];
    }
    free(x);
    free(y);
}
