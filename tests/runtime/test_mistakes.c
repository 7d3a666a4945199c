/* test_mistakes.c - usage errors: each gives a status and one line that names the cause, and has no
 * other effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "base/alloc.h"
#include "job_kernels.h"

enum { N = 64 };
static float xs[N], ys[N];
static yoke_runtime *rt;
static yoke_array *x, *y, *wide;

static int open_all(void **state)
{
    (void)state;
    if (yoke_open(&(yoke_config){ .devices = "cpu" }, &rt) != YOKE_OK ||
        yoke_array_open(
            rt, &(yoke_array_spec){ .host = xs, .rows = N, .element_size = 4, .name = "xs" }, &x) !=
            YOKE_OK ||
        yoke_array_open(
            rt, &(yoke_array_spec){ .host = ys, .rows = N, .element_size = 4, .name = "ys" }, &y) !=
            YOKE_OK ||
        yoke_array_open(rt, &(yoke_array_spec){ .rows = N, .element_size = 8, .name = "wide" },
                        &wide) != YOKE_OK)
        return -1;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    yoke_array_close(x);
    yoke_array_close(y);
    yoke_array_close(wide);
    return yoke_close(rt) == YOKE_OK && yk_alloc_outstanding() == 0 ? 0 : -1;
}

/* The call returned this status, and its text contains `part` and no line break. */
static void expect(yoke_status got, yoke_status want, const char *part)
{
    assert_int_equal(got, want);
    if (!strstr(yoke_error_text(), part) || strchr(yoke_error_text(), '\n'))
        fail_msg("'%s' should say '%s'", yoke_error_text(), part);
}

static const float a = 2;

static yoke_job good_job(void)
{
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, N },
                     .args = { yoke_value(a), yoke_in(x), yoke_inout(y) } };
    return job;
}

static void expect_job(const yoke_job *job, yoke_status want, const char *part)
{
    yoke_ticket *ticket = NULL;
    expect(yoke_run(rt, job, NULL), want, part);
    expect(yoke_submit(rt, job, &ticket), want, part);
    assert_null(ticket);
}

static void nulls(void **state)
{
    yoke_job job = good_job();
    (void)state;
    expect(yoke_open(NULL, NULL), YOKE_EINVAL, "NULL");
    expect(yoke_run(NULL, &job, NULL), YOKE_EINVAL, "runtime is NULL");
    expect(yoke_run(rt, NULL, NULL), YOKE_EINVAL, "job is NULL");
    expect(yoke_wait(NULL, NULL), YOKE_EINVAL, "NULL");
    expect(yoke_array_wrap(rt, NULL, 4, 4, &x), YOKE_EINVAL, "NULL");
    expect(yoke_array_open(rt, NULL, &x), YOKE_EINVAL, "spec is NULL");
    expect(yoke_array_open(NULL, &(yoke_array_spec){ 0 }, &x), YOKE_EINVAL,
           "runtime is NULL; pass yoke_default()");
    expect(yoke_array_acquire(NULL, YOKE_READ), YOKE_EINVAL, "NULL");
    expect(yoke_array_release(NULL), YOKE_EINVAL, "NULL");
    expect(yoke_device_get(rt, 0, NULL), YOKE_EINVAL, "device");
    expect(yoke_trace_write(rt, NULL), YOKE_EINVAL, "path is NULL");
    assert_null(yoke_alloc(NULL, 10));
    assert_int_equal(yoke_array_close(NULL), YOKE_OK);
    assert_int_equal(yoke_close(NULL), YOKE_OK);
    yoke_result_close(NULL);
    yoke_free(rt, NULL);
    assert_int_equal(yoke_device_count(NULL), 0);
}

static void distances(void **state)
{
    const tile_t tile = { .inner = 8, .first = 2, .last = 4 };
    const int64_t row = 8;
    yoke_array *m, *out, *panel;
    (void)state;
    const yoke_array_spec spec = { .rows = 8, .row_elements = 8, .element_size = 4, .name = "m" };
    assert_int_equal(yoke_array_open(rt, &spec, &m), YOKE_OK);
    assert_int_equal(yoke_array_open(rt, &spec, &out), YOKE_OK);
    assert_int_equal(yoke_array_panel(m, 2, 2, &panel), YOKE_OK);
    const yoke_job right = { .kernel = &k_apart,
                             .range = { 0, 8 },
                             .args = { yoke_value(tile), yoke_row_distance(panel), yoke_value(row),
                                       yoke_in(out), yoke_in_whole(panel), yoke_out(out) } };
    yoke_job job = right;
    job.args[0] = (yoke_arg)yoke_row_distance(panel);
    expect_job(&job, YOKE_EINVAL, "a row's distance is an int64_t, the kernel takes tile_t");
    job = right;
    job.args[1].array = m;
    expect_job(&job, YOKE_EINVAL, "an array that is 0 arguments of the job");
    job = right;
    job.args[1].array = out;
    expect_job(&job, YOKE_EINVAL, "an array that is 2 arguments of the job");
    job = right;
    job.args[1].value = &row;
    job.args[1].value_size = sizeof row;
    expect_job(&job, YOKE_EINVAL, "or pass a value");
    expect_job(&right, YOKE_EINVAL,
               "array m is given twice, as in and as out"); /* correct otherwise */
    assert_int_equal(yoke_array_close(panel), YOKE_OK);
    assert_int_equal(yoke_array_close(m), YOKE_OK);
    assert_int_equal(yoke_array_close(out), YOKE_OK);
}

static void panels(void **state)
{
    const tile_t tile = { .width = 8, .first = 2, .last = 4 };
    const int32_t by = 1;
    yoke_array *m, *panel, *other = NULL, *bytes;
    (void)state;
    assert_int_equal(
        yoke_array_open(
            rt, &(yoke_array_spec){ .rows = 5, .row_elements = 8, .element_size = 4, .name = "m" },
            &m),
        YOKE_OK);
    expect(yoke_array_panel(NULL, 0, 1, &panel), YOKE_EINVAL, "array is NULL");
    expect(yoke_array_panel(m, 0, 1, NULL), YOKE_EINVAL, "out is NULL");
    expect(yoke_array_panel(m, -1, 1, &panel), YOKE_EINVAL, "columns [0, 8)");
    expect(yoke_array_panel(m, 0, 0, &panel), YOKE_EINVAL, "empty");
    expect(yoke_array_panel(m, 3, 6, &panel), YOKE_EINVAL, "a panel of 6 from 3 on");
    expect(yoke_array_panel(m, INT64_MAX, 1, &panel), YOKE_EINVAL, "columns [0, 8)");
    expect(yoke_array_panel(m, 1, INT64_MAX, &panel), YOKE_EINVAL, "columns [0, 8)");
    assert_int_equal(yoke_array_panel(m, 2, 2, &panel), YOKE_OK);
    expect(yoke_array_panel(m, 0, 3, &other), YOKE_EINVAL, "m[columns 2 to 3]");
    expect(yoke_array_panel(m, 3, 5, &other), YOKE_EINVAL, "may not overlap");
    expect(yoke_array_panel(panel, 0, 1, &other), YOKE_EINVAL, "is a panel and has none");
    assert_null(other);
    expect(yoke_array_close(m), YOKE_EINVAL, "array m still has 1 panel(s)");
    expect(yoke_array_acquire_rows(panel, YOKE_READ, 0, 6), YOKE_EINVAL, "rows [0, 5)");
    yoke_job job = { .kernel = &k_columns,
                     .range = { 0, 5 },
                     .args = { yoke_value(tile), yoke_value(by), yoke_inout(panel) } };
    assert_int_equal(yoke_array_acquire(m, YOKE_WRITE), YOKE_OK);
    expect_job(&job, YOKE_EBUSY, "array m is acquired");
    assert_int_equal(yoke_array_release(m), YOKE_OK);
    assert_int_equal(yoke_array_acquire(panel, YOKE_WRITE), YOKE_OK);
    job.args[2].array = m;
    expect_job(&job, YOKE_EBUSY, "m[columns 2 to 3] is acquired");
    assert_int_equal(yoke_array_release(panel), YOKE_OK);
    job = (yoke_job){ .kernel = &k_volume,
                      .range = { 0, 5, { 1, 1 } },
                      .args = { yoke_in(panel), yoke_inout(m) } };
    expect_job(&job, YOKE_EINVAL, "is given twice");
    assert_int_equal(
        yoke_array_open(
            rt,
            &(yoke_array_spec){ .rows = 5, .row_elements = 8, .element_size = 1, .name = "bytes" },
            &bytes),
        YOKE_OK);
    assert_int_equal(yoke_array_panel(bytes, 2, 2, &other), YOKE_OK);
    job = (yoke_job){ .kernel = &k_columns,
                      .range = { 0, 5 },
                      .args = { yoke_value(tile), yoke_value(by), yoke_inout(other) } };
    expect_job(&job, YOKE_EINVAL, "bytes[columns 2 to 3] has 1");
    expect(yoke_close(rt), YOKE_EBUSY, "still has arrays");
    assert_int_equal(yoke_array_close(other), YOKE_OK);
    assert_int_equal(yoke_array_close(bytes), YOKE_OK);
    assert_int_equal(yoke_array_close(panel), YOKE_OK);
    assert_int_equal(yoke_array_close(m), YOKE_OK);
}

static void kernels(void **state)
{
    yoke_job job = good_job();
    yoke_kernel kernel = k_saxpy;
    (void)state;
    job.kernel = NULL;
    expect_job(&job, YOKE_EINVAL, "kernel is NULL");
    job.kernel = &kernel;
    kernel.struct_size = 0;
    expect_job(&job, YOKE_EINVAL, "not filled in");
    kernel = k_saxpy;
    kernel.param_count = 99;
    expect_job(&job, YOKE_EINVAL, "99 parameters");
    kernel = k_saxpy;
    memset(&kernel.cpu, 0, sizeof kernel.cpu);
    expect(yoke_run(rt, &job, NULL), YOKE_ENOIMPL, "k_saxpy has no CPU function");
    memset(&kernel.opencl, 0, sizeof kernel.opencl);
    memset(&kernel.cuda, 0, sizeof kernel.cuda);
    expect_job(&job, YOKE_ENOIMPL, "no implementation for any device");
}

static void arguments(void **state)
{
    yoke_job job = good_job();
    double d = 1;
    (void)state;
    job.args[1].array = NULL;
    expect_job(&job, YOKE_EINVAL, "array is NULL");
    job = good_job();
    job.args[3] = job.args[1];
    expect_job(&job, YOKE_EINVAL, "3 arguments are wanted, 4 given");
    job = good_job();
    memset(&job.args[2], 0, sizeof job.args[2]);
    expect_job(&job, YOKE_EINVAL, "3 arguments are wanted, 2 given");
    job = good_job();
    memset(&job.args[1], 0, sizeof job.args[1]);
    expect_job(&job, YOKE_EINVAL, "argument 2 (x)");
    job = good_job();
    job.args[2].mode = YOKE_PARAM_OUT;
    expect_job(&job, YOKE_EINVAL, "wants mode inout, the job gives out");
    job = good_job();
    job.args[0].value = &d;
    job.args[0].value_size = sizeof d;
    expect_job(&job, YOKE_EINVAL, "4 bytes (float) is wanted, 8 given");
    job = good_job();
    job.args[1].array = wide;
    expect_job(&job, YOKE_EINVAL, "array wide has 8");
    job = good_job();
    job.args[1].array = y;
    expect_job(&job, YOKE_EINVAL, "ys is given twice, as in and as inout");
    job = good_job();
    job.args[1].shape = YOKE_CUSTOM;
    expect_job(&job, YOKE_EINVAL, "rows function");
    job = good_job();
    job.args[2].shape = YOKE_WHOLE;
    expect_job(&job, YOKE_EINVAL, "mode add");
    job = good_job();
    job.args[1].shape = YOKE_HALO;
    job.args[1].before = -1;
    expect_job(&job, YOKE_EINVAL, "halo of -1");
}

/* Numbers are distinguished by type, not only by size; also as expressions. */
static void numbers(void **state)
{
    yoke_job job = good_job();
    int whole = 2;
    (void)state;
    job.args[0] = (yoke_arg)yoke_value(whole);
    expect_job(&job, YOKE_EINVAL, "argument 1 (a): a value of type float is wanted, int32_t given");
    job.args[0] = (yoke_arg)yoke_value(2.0);
    expect_job(&job, YOKE_EINVAL, "a value of type float is wanted, double given");
    job.args[0] = (yoke_arg)yoke_value_of(&whole, sizeof whole);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK); /* its type is unknown */
    xs[3] = 5;
    ys[3] = 1;
    job.args[0] = (yoke_arg)yoke_value(1.0f + 1.0f);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
    assert_true(ys[3] == 11);
}

static void modes_of_the_kernel(void **state)
{
    yoke_job job = good_job();
    (void)state;
    xs[3] = 5;
    ys[3] = 1;
    job.args[1] = (yoke_arg)yoke_use(x);
    job.args[2] = (yoke_arg)yoke_use(y);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
    assert_true(ys[3] == 11);
    job.args[0] = (yoke_arg)yoke_use(x);
    expect_job(&job, YOKE_EINVAL,
               "argument 1 (a): the kernel takes a value, the job gives an array");
}

static void unnamed_arrays(void **state)
{
    yoke_job job = good_job();
    yoke_array *unnamed;
    (void)state;
    assert_int_equal(yoke_array_wrap(rt, xs, N / 2, 4, &unnamed), YOKE_OK);
    job.args[1].array = unnamed;
    expect_job(&job, YOKE_EINVAL, "argument 2 (x): the range [0, 64) leaves the array, whose rows");
    yoke_array_close(unnamed);
}

static void sizes(void **state)
{
    yoke_config config = { .size = sizeof config, .devices = "cpu" };
    yoke_runtime *other = NULL;
    yoke_job job = good_job();
    (void)state;
    job.size = sizeof job;
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
    job.size = sizeof job + 8;
    expect_job(&job, YOKE_EINVAL, "job.size is ");
    assert_int_equal(yoke_open(&config, &other), YOKE_OK);
    assert_int_equal(yoke_close(other), YOKE_OK);
    config.size = 3;
    other = NULL;
    expect(yoke_open(&config, &other), YOKE_EINVAL, "config.size is 3");
    assert_null(other);
}

static void ranges(void **state)
{
    yoke_job job = good_job();
    (void)state;
    job.range.last = N + 1;
    expect_job(&job, YOKE_EINVAL, "leaves array xs");
    job.range.first = -1;
    expect_job(&job, YOKE_EINVAL, "leaves array xs");
    job.range.first = 5;
    job.range.last = 4;
    expect_job(&job, YOKE_EINVAL, "[5, 4)");
    job = good_job();
    job.range.extent[0] = 3;
    expect_job(&job, YOKE_EINVAL, "1 dimension");
    job = good_job();
    job.range.last = 0;
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
}

static void partitioners(void **state)
{
    yoke_job job = good_job();
    yoke_runtime *other = NULL;
    (void)state;
    job.partitioner = "nonsense";
    expect_job(&job, YOKE_EINVAL, "auto");
    job.partitioner = "dynamic:chunk=-4";
    expect_job(&job, YOKE_EINVAL, "chunk");
    job.partitioner = "dynamic:size=4";
    expect_job(&job, YOKE_EINVAL, "size");
    job.partitioner = "static:shares=0.5/0.5/0.5";
    expect_job(&job, YOKE_EINVAL, "share");
    job.partitioner = "dynamic:chunk=1000000";
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
    expect(yoke_open(&(yoke_config){ .partitioner = "nonsense" }, &other), YOKE_EINVAL, "auto");
    assert_null(other);
}

static void devices(void **state)
{
    static const char *const wrong[] = { "cpu:0", "tpu:1", "sim:tpu", "cpu:8x", ",", "opencl:99" };
    yoke_runtime *other = NULL;
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        yoke_status status = yoke_open(&(yoke_config){ .devices = wrong[i] }, &other);
        assert_true(status == YOKE_EINVAL || status == YOKE_ENODEV);
        assert_true(strlen(yoke_error_text()) > 10);
        assert_null(other);
    }
    expect(yoke_open(&(yoke_config){ .devices = "cpu,sim:gpu" }, &other), YOKE_EINVAL, "clocks");
    expect(yoke_open(&(yoke_config){ .threads = -3 }, &other), YOKE_EINVAL, "threads=-3");
    expect(yoke_open(&(yoke_config){ .waiting = (yoke_waiting)77 }, &other), YOKE_EINVAL, "77");
    assert_null(other);
}

static void arrays(void **state)
{
    yoke_array *array = NULL;
    yoke_job job = good_job();
    (void)state;
    expect(yoke_array_wrap(rt, xs, -1, 4, &array), YOKE_EINVAL, "-1 rows");
    expect(yoke_array_wrap(rt, xs, 1, 0, &array), YOKE_EINVAL, "0 bytes");
    expect(yoke_array_wrap(rt, xs, INT64_MAX / 2, 4, &array), YOKE_EINVAL, "addresses");
    expect(yoke_array_acquire_rows(x, YOKE_READ, 5, N + 1), YOKE_EINVAL, "not among them");
    expect(yoke_array_acquire_rows(x, YOKE_READ, 5, 4), YOKE_EINVAL, "not among them");
    expect(yoke_array_acquire(x, (yoke_access_mode)9), YOKE_EINVAL, "mode 9");
    assert_int_equal(yoke_array_acquire(x, YOKE_WRITE), YOKE_OK);
    expect_job(&job, YOKE_EBUSY, "xs is acquired for writing; release it");
    assert_int_equal(yoke_array_release(x), YOKE_OK);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_wrap(rt, NULL, 0, 4, &array), YOKE_OK);
    assert_int_equal(yoke_array_close(array), YOKE_OK);
    expect(yoke_close(rt), YOKE_EBUSY, "close them first");
}

static void foreign_array(void **state)
{
    yoke_runtime *other;
    yoke_array *theirs;
    yoke_job job = good_job();
    (void)state;
    assert_int_equal(yoke_open(&(yoke_config){ .devices = "cpu:1" }, &other), YOKE_OK);
    assert_int_equal(yoke_array_wrap(other, xs, N, 4, &theirs), YOKE_OK);
    job.args[1].array = theirs;
    expect_job(&job, YOKE_EINVAL, "another runtime");
    assert_int_equal(yoke_array_close(theirs), YOKE_OK);
    assert_int_equal(yoke_close(other), YOKE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nulls, open_all, close_all),
        cmocka_unit_test_setup_teardown(panels, open_all, close_all),
        cmocka_unit_test_setup_teardown(distances, open_all, close_all),
        cmocka_unit_test_setup_teardown(kernels, open_all, close_all),
        cmocka_unit_test_setup_teardown(arguments, open_all, close_all),
        cmocka_unit_test_setup_teardown(numbers, open_all, close_all),
        cmocka_unit_test_setup_teardown(modes_of_the_kernel, open_all, close_all),
        cmocka_unit_test_setup_teardown(unnamed_arrays, open_all, close_all),
        cmocka_unit_test_setup_teardown(sizes, open_all, close_all),
        cmocka_unit_test_setup_teardown(ranges, open_all, close_all),
        cmocka_unit_test_setup_teardown(partitioners, open_all, close_all),
        cmocka_unit_test_setup_teardown(devices, open_all, close_all),
        cmocka_unit_test_setup_teardown(arrays, open_all, close_all),
        cmocka_unit_test_setup_teardown(foreign_array, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
