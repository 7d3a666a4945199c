/* test_cuda_narrow.c - which entry a launch uses: the one with 32-bit indexes as long as all
 * numbers fit. Results are the same on both sides of the limit. Which entries are launched before
 * the first job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "standin.h"

extern const yoke_kernel n_scatter, n_plane, n_clash, n_stack, n_plain;

enum { ROWS = 1000, COLUMNS = 8 };
static const char in_one_chunk[] = "dynamic:chunk=1000";

static yoke_runtime *runtime;
static yoke_array *array;
static int64_t y[ROWS * COLUMNS];

static int open_all(void **state)
{
    const yoke_config config = { .devices = "cuda:0" };
    (void)state;
    return yoke_open(&config, &runtime) != YOKE_OK ||
           yoke_array_open(
               runtime,
               &(yoke_array_spec){
                   .host = y, .rows = ROWS, .row_elements = COLUMNS, .element_size = sizeof *y },
               &array) != YOKE_OK;
}

static int close_all(void **state)
{
    (void)state;
    return yoke_array_close(array) != YOKE_OK || yoke_close(runtime) != YOKE_OK;
}

static void run(const yoke_job *job)
{
    if (yoke_run(runtime, job, NULL) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    assert_int_equal(yoke_array_acquire(array, YOKE_READ), YOKE_OK);
    assert_int_equal(yoke_array_release(array), YOKE_OK);
}

static void scatter(const yoke_kernel *kernel, int64_t last, int64_t step, int narrow)
{
    yoke_array *line;
    assert_int_equal(yoke_array_wrap(runtime, y, last, sizeof *y, &line), YOKE_OK);
    standin_count_launches("yoke_entry32_");
    const yoke_job job = { .kernel = kernel,
                           .range = { 0, last },
                           .partitioner = in_one_chunk,
                           .args = { yoke_value(step), yoke_out(line) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(line), YOKE_OK);
    assert_int_equal(standin_launches() > 0, narrow);
    for (int64_t i = 0; i < last; i++)
        assert_true(y[i] == i * step % 1000003);
}

static void by_values(void **state)
{
    (void)state;
    const int64_t fits = INT32_MAX / (ROWS - 1);
    scatter(&n_scatter, ROWS, 3, 1);
    scatter(&n_scatter, ROWS, fits, 1);
    scatter(&n_scatter, ROWS, fits + 1, 0);
    scatter(&n_scatter, ROWS / 2, fits + 1, 1);
    scatter(&n_scatter, ROWS, INT64_C(1) << 33, 0);
    scatter(&n_scatter, ROWS, -fits - 1, 0);
    scatter(&n_scatter, ROWS, -fits, 1);
    scatter(&n_scatter, ROWS, -fits, 1);
}

static void plane(int32_t away, int narrow)
{
    standin_count_launches("yoke_entry32_");
    run(&(yoke_job){ .kernel = &n_plane,
                     .range = { 0, ROWS, { COLUMNS } },
                     .partitioner = in_one_chunk,
                     .args = { yoke_value(away), yoke_out(array) } });
    assert_int_equal(standin_launches() > 0, narrow);
    for (int64_t at = 0; at < ROWS * COLUMNS; at++)
        assert_true(y[at] == (int64_t)away * COLUMNS + at);
}

/* The largest index is (ROWS - 1 + away) * COLUMNS + COLUMNS - 1. */
static void in_two_dimensions(void **state)
{
    (void)state;
    const int32_t fits = INT32_MAX / COLUMNS - (ROWS - 1);
    plane(0, 1);
    plane(fits, 1);
    plane(fits + 1, 0);
    plane(INT32_MAX, 0);
    plane(-fits, 1);
}

/* Each chunk of a job chooses its entry independently of the others. */
static void by_chunks(void **state)
{
    (void)state;
    const int64_t step = INT32_MAX / (ROWS / 2);
    yoke_array *line;
    assert_int_equal(yoke_array_wrap(runtime, y, ROWS, sizeof *y, &line), YOKE_OK);
    standin_count_launches("yoke_entry");
    const yoke_job job = { .kernel = &n_scatter,
                           .range = { 0, ROWS },
                           .partitioner = "dynamic:chunk=100",
                           .args = { yoke_value(step), yoke_out(line) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    const long all = standin_launches();
    standin_count_launches("yoke_entry32_");
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(line), YOKE_OK);
    assert_in_range(standin_launches(), 1, all - 1);
    for (int64_t i = 0; i < ROWS; i++)
        assert_true(y[i] == i * step % 1000003);
}

static void without_a_second_entry(void **state)
{
    (void)state;
    scatter(&n_clash, ROWS, 3, 0);
}

static long launches_of(const yoke_kernel *kernel)
{
    yoke_array *line;
    assert_int_equal(yoke_array_wrap(runtime, y, ROWS, sizeof *y, &line), YOKE_OK);
    standin_count_launches("yoke_entry");
    const int64_t step = 3;
    const yoke_job job = { .kernel = kernel,
                           .range = { 0, ROWS },
                           .partitioner = "even",
                           .args = { yoke_value(step), yoke_out(line) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(line), YOKE_OK);
    for (int64_t i = 0; i < ROWS; i++)
        assert_true(y[i] == i * step);
    return standin_launches();
}

/* Both entries of a kernel with a stack are launched once when it is built. */
static void stacks_are_made_ahead(void **state)
{
    (void)state;
    assert_int_equal(launches_of(&n_stack), 3);
    assert_int_equal(launches_of(&n_stack), 1);
    assert_int_equal(launches_of(&n_plain), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_values),
        cmocka_unit_test(in_two_dimensions),
        cmocka_unit_test(by_chunks),
        cmocka_unit_test(without_a_second_entry),
        cmocka_unit_test(stacks_are_made_ahead),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
