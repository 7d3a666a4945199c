/* test_run.c - the same jobs on every machine, with every partitioner: results are correct, and
 * only missing rows are copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "under_sanitizer.h"

/* Or those of the command line, which must exist. */
static const char *const all_machines[] = {
    /* The thread sanitizer can mistake the thread-local data of a library loaded late for another
       kind of block, so machines that load drivers come first. */
    "cpu:1,opencl:0:units=1",
    "opencl:0:lanes=2",
    "cpu",
    "cpu:1",
#ifndef __SANITIZE_THREAD__ /* simulated machines are one thread's */
    "sim:cpu:cores=4",
    "sim:gpu",
    "sim:cpu:cores=2,sim:gpu*2:fill=64",
    "sim:cpu:cores=3:rate=1e6,sim:gpu:mem=16K:lanes=3",
    "sim:cpu:cores=2,sim:gpu*2:mem=40K:pages=64:taken=8K",
#endif
};
static const char *const *machines = all_machines;
static int machine_count = sizeof all_machines / sizeof *all_machines;

static const char *const partitioners[] = { NULL,
                                            "even",
                                            "static",
                                            "dynamic:chunk=7",
                                            "guided",
                                            "nc-ht",
                                            "c-ht",
                                            "demand",
                                            "demand:dd=5,window=1,model=peak",
                                            "trained",
                                            "linear",
                                            "weight:cpu=0.3,cpu-chunks=3,gpu-chunks=5",
                                            "nc-ht:streams=2,grains=40",
                                            "c-ht:streams=2,grains=100,threshold=3" };
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

static yoke_runtime *open_machine(const char *devices)
{
    yoke_config config = { .devices = devices };
    yoke_runtime *rt = NULL;
    yoke_status status = yoke_open(&config, &rt);
    if (status == YOKE_ENODEV && machines == all_machines) {
        print_message("%s: not on this machine: %s\n", devices, yoke_error_text());
        return NULL;
    }
    if (status != YOKE_OK)
        fail_msg("%s: %s", devices, yoke_error_text());
    return rt;
}

typedef void job_test(yoke_runtime *rt, const char *partitioner, int64_t n);

/* Every machine, every partitioner, and a few awkward sizes. */
static const char *where = ""; /* for messages */

static void everywhere(job_test *test)
{
    static const int64_t sizes[] = { 0, 1, 2, 33, 1000, 4097 };
    int m, p;
    size_t s;
    for (m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_machine(where = machines[m]);
        if (!rt)
            continue;
        for (p = 0; p < PARTITIONERS; p++)
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
                test(rt, partitioners[p], sizes[s]);
        OK(yoke_close(rt));
    }
}

static void check_result(const yoke_result *result, int64_t n)
{
    int64_t items = 0;
    int d;
    for (d = 0; d < result->device_count; d++)
        items += result->devices[d].items;
    assert_int_equal(items, n);
    assert_int_equal(result->version, 4);
}

static void saxpy_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    float *xs = malloc((size_t)(n + 1) * sizeof *xs), *ys = malloc((size_t)(n + 1) * sizeof *ys);
    float a = 2;
    yoke_array *x, *y;
    yoke_result *result;
    yoke_kernel coarse = k_saxpy; /* changes the bounds of chunks, not what is computed */
    int64_t i, round;
    coarse.unit = 32;
    for (i = 0; i < n; i++) {
        xs[i] = (float)i;
        ys[i] = 1;
    }
    OK(yoke_array_wrap(rt, xs, n, sizeof *xs, &x));
    OK(yoke_array_wrap(rt, ys, n, sizeof *ys, &y));
    for (round = 0; round < 3; round++) {
        yoke_job job = { .kernel = round == 1 ? &coarse : &k_saxpy,
                         .range = { 0, n },
                         .partitioner = partitioner,
                         .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
        OK(yoke_run(rt, &job, &result));
        check_result(result, n);
        yoke_result_close(result);
    }
    OK(yoke_array_acquire(y, YOKE_READ));
    for (i = 0; i < n; i++)
        if (ys[i] != 1 + 6 * (float)i)
            fail_msg("%s, %s: y[%d] = %g", where, partitioner ? partitioner : "auto", (int)i,
                     ys[i]);
    OK(yoke_array_close(x));
    OK(yoke_array_close(y));
    free(xs);
    free(ys);
}

static void saxpy_everywhere(void **state)
{
    (void)state;
    everywhere(saxpy_on);
}

/* Two arrays that swap roles, as in time steps, with rows counted from `first`. */
static void blur_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    const int64_t first = 100;
    float *u = malloc((size_t)(n + 1) * sizeof *u), *v = calloc((size_t)n + 1, sizeof *v);
    float *want = malloc((size_t)(n + 1) * sizeof *want), *other = malloc((size_t)(n + 1) * 4);
    bounds_t b = { first, first + n, 2 };
    yoke_array *a[2];
    int step;
    int64_t i, j;
    for (i = 0; i < n; i++)
        u[i] = want[i] = (float)(i % 5);
    OK(yoke_array_open(
        rt, &(yoke_array_spec){ .host = u, .rows = n, .first_row = first, .element_size = 4 },
        &a[0]));
    OK(yoke_array_open(rt, &(yoke_array_spec){ .rows = n, .first_row = first, .element_size = 4 },
                       &a[1]));
    for (step = 0; step < 4; step++) {
        yoke_job job = { .kernel = &k_blur,
                         .range = { first, first + n },
                         .partitioner = partitioner,
                         .args = { yoke_value(b), yoke_in_halo(a[step % 2], 2, 2),
                                   yoke_out(a[1 - step % 2]) } };
        OK(yoke_run(rt, &job, NULL));
        memcpy(other, want, (size_t)n * 4);
        for (i = 0; i < n; i++)
            for (want[i] = 0, j = i - 2; j <= i + 2; j++)
                want[i] += j >= 0 && j < n ? other[j] : 0;
    }
    OK(yoke_array_acquire(a[0], YOKE_READ));
    for (i = 0; i < n; i++)
        if (u[i] != want[i])
            fail_msg("u[%d] = %g, not %g", (int)i, u[i], want[i]);
    OK(yoke_array_close(a[0]));
    OK(yoke_array_close(a[1]));
    free(u), free(v), free(want), free(other);
}

static void halo_everywhere(void **state)
{
    (void)state;
    everywhere(blur_on);
}

static void gather_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    pair_t *p = malloc((size_t)(n + 1) * sizeof *p), *q = malloc((size_t)(n + 1) * sizeof *q);
    yoke_array *in, *out;
    int64_t i;
    for (i = 0; i < n; i++)
        p[i] = (pair_t){ (int32_t)i, (float)i / 2 };
    OK(yoke_array_wrap(rt, p, n, sizeof *p, &in));
    OK(yoke_array_wrap(rt, q, n, sizeof *q, &out));
    yoke_job job = { .kernel = &k_gather,
                     .range = { 0, n },
                     .partitioner = partitioner,
                     .args = { yoke_value(n), yoke_in_whole(in), yoke_out_home(out) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(out, YOKE_READ));
    for (i = 0; i < n; i++)
        if (q[i].key != n - 1 || q[i].weight != (float)(n - 1 - i))
            fail_msg("q[%d] = %d, %g", (int)i, q[i].key, q[i].weight);
    OK(yoke_array_close(in));
    OK(yoke_array_close(out));
    free(p), free(q);
}

static void whole_everywhere(void **state)
{
    (void)state;
    everywhere(gather_on);
}

static void histogram_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    enum { BINS = 13 };
    int32_t *x = malloc((size_t)(n + 1) * sizeof *x), bins = BINS;
    uint32_t h[BINS], want[BINS];
    float w[BINS];
    yoke_array *ax, *ah, *aw;
    int64_t i;
    for (i = 0; i < BINS; i++) {
        h[i] = want[i] = (uint32_t)i * 10; /* mode add adds to the present contents */
        w[i] = 1;
    }
    for (i = 0; i < n; i++)
        want[(x[i] = (int32_t)(i * 7 % 101)) % BINS]++;
    OK(yoke_array_wrap(rt, x, n, sizeof *x, &ax));
    OK(yoke_array_wrap(rt, h, BINS, sizeof *h, &ah));
    OK(yoke_array_wrap(rt, w, BINS, sizeof *w, &aw));
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, n },
                     .partitioner = partitioner,
                     .args = { yoke_value(bins), yoke_in(ax), yoke_add_to(ah), yoke_add_to(aw) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(ah, YOKE_READ));
    OK(yoke_array_acquire(aw, YOKE_READ));
    for (i = 0; i < BINS; i++) {
        assert_int_equal(h[i], want[i]);
        assert_true(w[i] == 1 + 0.5f * (float)(want[i] - (uint32_t)i * 10));
    }
    OK(yoke_array_close(ax));
    OK(yoke_array_close(ah));
    OK(yoke_array_close(aw));
    free(x);
}

static void add_everywhere(void **state)
{
    (void)state;
    everywhere(histogram_on);
}

static yoke_rows triangle_rows(const void *context, yoke_rows range)
{
    (void)context;
    return (yoke_rows){ range.first * (range.first + 1) / 2, range.last * (range.last + 1) / 2 };
}

static void triangle_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    int64_t rows = n > 500 ? 500 : n, i, total = rows * (rows + 1) / 2;
    int32_t *v = malloc((size_t)(total + 1) * sizeof *v),
            *sum = malloc((size_t)(rows + 1) * sizeof *sum);
    yoke_array *av, *as;
    for (i = 0; i < total; i++)
        v[i] = 2;
    OK(yoke_array_wrap(rt, v, total, sizeof *v, &av));
    OK(yoke_array_wrap(rt, sum, rows, sizeof *sum, &as));
    yoke_job job = { .kernel = &k_triangle,
                     .range = { 0, rows },
                     .partitioner = partitioner,
                     .args = { yoke_in_custom(av, triangle_rows, NULL), yoke_out(as) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(as, YOKE_READ));
    for (i = 0; i < rows; i++)
        assert_int_equal(sum[i], 2 * (i + 1));
    OK(yoke_array_close(av));
    OK(yoke_array_close(as));
    free(v), free(sum);
}

static void custom_everywhere(void **state)
{
    (void)state;
    everywhere(triangle_on);
}

/* Three dimensions, and rows of several elements. */
static void volume_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    enum { NY = 5, NX = 7 };
    int64_t nz = n > 200 ? 200 : n, cells = nz * NY * NX, i;
    int32_t *u = malloc((size_t)(cells + 1) * sizeof *u),
            *v = malloc((size_t)(cells + 1) * sizeof *v);
    yoke_array_spec spec = { .host = u, .rows = nz, .row_elements = NY * NX, .element_size = 4 };
    yoke_array *au, *av;
    for (i = 0; i < cells; i++) {
        u[i] = (int32_t)i;
        v[i] = 1;
    }
    OK(yoke_array_open(rt, &spec, &au));
    spec.host = v;
    OK(yoke_array_open(rt, &spec, &av));
    yoke_job job = { .kernel = &k_volume,
                     .range = { 0, nz, { NY, NX } },
                     .partitioner = partitioner,
                     .args = { yoke_in(au), yoke_inout_home(av) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(av, YOKE_READ));
    for (i = 0; i < cells; i++)
        assert_int_equal(v[i], 1 + 3 * i + i / (NY * NX) - i % NX);
    OK(yoke_array_close(au));
    OK(yoke_array_close(av));
    free(u), free(v);
}

static void three_dimensions_everywhere(void **state)
{
    (void)state;
    everywhere(volume_on);
}

static void row_sum_on(yoke_runtime *rt, const char *partitioner, int64_t n)
{
    int32_t columns = 45;
    int64_t rows = n > 300 ? 300 : n, i;
    int32_t *m = malloc((size_t)(rows * columns + 1) * sizeof *m),
            *sum = malloc((size_t)(rows + 1) * sizeof *sum);
    yoke_array *am, *as;
    for (i = 0; i < rows * columns; i++)
        m[i] = (int32_t)(i / columns);
    OK(yoke_array_open(
        rt,
        &(yoke_array_spec){ .host = m, .rows = rows, .row_elements = columns, .element_size = 4 },
        &am));
    OK(yoke_array_wrap(rt, sum, rows, sizeof *sum, &as));
    yoke_job job = { .kernel = &k_row_sum,
                     .range = { 0, rows },
                     .partitioner = partitioner,
                     .args = { yoke_value(columns), yoke_in(am), yoke_out(as) } };
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(as, YOKE_READ));
    for (i = 0; i < rows; i++)
        assert_int_equal(sum[i], i * columns);
    OK(yoke_array_close(am));
    OK(yoke_array_close(as));
    free(m), free(sum);
}

static void groups_everywhere(void **state)
{
    (void)state;
    everywhere(row_sum_on);
}

/* Jobs submitted together run in order if they share an array. */
static void jobs_keep_their_order(void **state)
{
    enum { N = 3000, JOBS = 30 };
    int m;
    (void)state;
    for (m = 0; m < machine_count; m++) {
        static float xs[N], ys[N];
        yoke_runtime *rt = open_machine(where = machines[m]);
        yoke_ticket *tickets[JOBS];
        yoke_array *x, *y;
        float a = 1;
        int i;
        if (!rt)
            continue;
        for (i = 0; i < N; i++) {
            xs[i] = 1;
            ys[i] = 0;
        }
        OK(yoke_array_wrap(rt, xs, N, 4, &x));
        OK(yoke_array_wrap(rt, ys, N, 4, &y));
        for (i = 0; i < JOBS; i++) { /* alternately x += y and y += x: Fibonacci numbers */
            yoke_job job = { .kernel = &k_saxpy, .range = { 0, N } };
            yoke_arg args[3] = { yoke_value(a), yoke_in(i % 2 ? y : x), yoke_inout(i % 2 ? x : y) };
            memcpy(job.args, args, sizeof args);
            OK(yoke_submit(rt, &job, &tickets[i]));
        }
        for (i = JOBS - 1; i >= 0; i--)
            OK(yoke_wait(tickets[i], NULL));
        OK(yoke_array_acquire(y, YOKE_READ));
        for (i = 0; i < N; i++)
            if (ys[i] != 832040.0f)
                fail_msg("%s: y[%d] = %g", where, i, ys[i]);
        OK(yoke_array_close(x));
        OK(yoke_array_close(y));
        OK(yoke_close(rt));
    }
}

static int nothing_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() == 0 ? 0 : -1;
}

int main(int count, char **words)
{
    if (count > 1) {
        machines = (const char *const *)words + 1;
        machine_count = count - 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(saxpy_everywhere, nothing_left),
        cmocka_unit_test_teardown(halo_everywhere, nothing_left),
        cmocka_unit_test_teardown(whole_everywhere, nothing_left),
        cmocka_unit_test_teardown(add_everywhere, nothing_left),
        cmocka_unit_test_teardown(custom_everywhere, nothing_left),
        cmocka_unit_test_teardown(three_dimensions_everywhere, nothing_left),
        cmocka_unit_test_teardown(groups_everywhere, nothing_left),
        cmocka_unit_test_teardown(jobs_keep_their_order, nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
