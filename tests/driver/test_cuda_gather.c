/* test_cuda_gather.c - sums that blocks gather in shared memory: right results in one to three
 * dimensions, with blocks of several turns, and the memory that launches ask for. Sums that are too
 * large, and those of an entry for 64-bit indexes beside one for 32-bit indexes, are not gathered.
 * Sums at constant indexes, which each thread keeps, alone and beside others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "standin.h"

extern const yoke_kernel g_bins, g_plane, g_space, g_moments, g_products;

enum { ROWS = 50000, BINS = 37, MANY_BINS = 20000, LINES = 70, COLUMNS = 130, UNIT = 256 };

static yoke_runtime *runtime;

static int open_all(void **state)
{
    (void)state;
    return yoke_open(&(yoke_config){ .devices = "cuda:0" }, &runtime) != YOKE_OK;
}

static int close_all(void **state)
{
    (void)state;
    return yoke_close(runtime) != YOKE_OK;
}

static yoke_array *wrap(void *host, int64_t rows, size_t size)
{
    yoke_array *array;
    assert_int_equal(yoke_array_wrap(runtime, host, rows, size, &array), YOKE_OK);
    return array;
}

/* Returns the most shared memory that a launch of the job's kernel asked for. */
static unsigned run(const yoke_job *job)
{
    standin_count_launches("yoke_entry");
    if (yoke_run(runtime, job, NULL) != YOKE_OK)
        fail_msg("%s", yoke_error_text());
    return standin_shared();
}

static void close_array(yoke_array *array)
{
    assert_int_equal(yoke_array_close(array), YOKE_OK);
}

static void bins(int64_t step, int64_t count, unsigned shared)
{
    static int32_t x[ROWS], counts[MANY_BINS], wanted[MANY_BINS], additions[MANY_BINS];
    static double weights[MANY_BINS];
    memset(counts, 0, sizeof counts);
    memset(wanted, 0, sizeof wanted);
    memset(additions, 0, sizeof additions);
    memset(weights, 0, sizeof weights);
    for (int i = 0; i < ROWS; i++) {
        x[i] = i % 3;
        wanted[i * step % count] += x[i];
        additions[i * step % count]++;
    }
    yoke_array *xs = wrap(x, ROWS, sizeof *x), *cs = wrap(counts, count, sizeof *counts),
               *ws = wrap(weights, count, sizeof *weights);
    const yoke_job job = { .kernel = &g_bins,
                           .range = { 0, ROWS },
                           .partitioner = "even",
                           .args = { yoke_value(step), yoke_value(count), yoke_in(xs),
                                     yoke_add_to(cs), yoke_add_to(ws) } };
    for (int again = 1; again <= 2; again++) {
        assert_int_equal(run(&job), shared);
        assert_int_equal(yoke_array_acquire(cs, YOKE_READ), YOKE_OK);
        assert_int_equal(yoke_array_acquire(ws, YOKE_READ), YOKE_OK);
        for (int b = 0; b < count; b++) {
            assert_int_equal(counts[b], again * wanted[b]);
            assert_true(weights[b] == 0.5 * again * additions[b]);
        }
        assert_int_equal(yoke_array_release(cs), YOKE_OK);
        assert_int_equal(yoke_array_release(ws), YOKE_OK);
    }
    close_array(xs);
    close_array(cs);
    close_array(ws);
}

static void in_one_dimension(void **state)
{
    (void)state;
    bins(1, BINS, UNIT + 2 * UNIT);
    bins(3, 1, UNIT + UNIT);
}

static void too_large(void **state)
{
    (void)state;
    bins(7, MANY_BINS, 0);
}

static void with_wide_indexes(void **state)
{
    (void)state;
    bins(INT64_C(1) << 40, BINS, 0);
}

static void in_two_dimensions(void **state)
{
    uint64_t rows[LINES] = { 0 };
    float columns[COLUMNS] = { 0 };
    (void)state;
    yoke_array *rs = wrap(rows, LINES, sizeof *rows), *cs = wrap(columns, COLUMNS, sizeof *columns);
    assert_int_equal(run(&(yoke_job){ .kernel = &g_plane,
                                      .range = { 0, LINES, { COLUMNS }, { 2, COLUMNS } },
                                      .partitioner = "even",
                                      .args = { yoke_add_to(rs), yoke_add_to(cs) } }),
                     3 * UNIT + 3 * UNIT);
    close_array(rs);
    close_array(cs);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(rows[i], COLUMNS * (COLUMNS - 1) / 2 - 1);
    for (int j = 0; j < COLUMNS; j++)
        assert_true(columns[j] == (j < 2 ? 0 : LINES));
}

static void in_three_dimensions(void **state)
{
    enum { DEPTH = 40, HEIGHT = 33, WIDTH = 17 };
    int64_t layers[WIDTH] = { 0 };
    uint32_t lines[HEIGHT] = { 0 };
    (void)state;
    yoke_array *as = wrap(layers, WIDTH, sizeof *layers), *bs = wrap(lines, HEIGHT, sizeof *lines);
    assert_int_equal(run(&(yoke_job){ .kernel = &g_space,
                                      .range = { 0, DEPTH, { HEIGHT, WIDTH } },
                                      .partitioner = "dynamic:chunk=20",
                                      .args = { yoke_add_to(as), yoke_add_to(bs) } }),
                     UNIT + UNIT);
    close_array(as);
    close_array(bs);
    for (int k = 0; k < WIDTH; k++)
        assert_int_equal(layers[k],
                         HEIGHT * DEPTH * (DEPTH - 1) / 2 - DEPTH * HEIGHT * (HEIGHT - 1) / 2);
    for (int j = 0; j < HEIGHT; j++)
        assert_int_equal(lines[j], DEPTH * WIDTH);
}

static void merge_rows(void *into, const void *from, int64_t count)
{
    uint64_t *to = into;
    const uint64_t *rows = from;
    for (int64_t i = 0; i < count; i++)
        to[i] += rows[i];
}

static void with_a_merge_of_the_program(void **state)
{
    uint64_t rows[LINES] = { 0 };
    float columns[COLUMNS] = { 0 };
    yoke_job job = { .kernel = &g_plane,
                     .range = { 0, LINES, { COLUMNS } },
                     .partitioner = "even" };
    (void)state;
    yoke_array *rs = wrap(rows, LINES, sizeof *rows), *cs = wrap(columns, COLUMNS, sizeof *columns);
    job.args[0] = (yoke_arg)yoke_add_to(rs);
    job.args[1] = (yoke_arg)yoke_add_to(cs);
    job.args[0].merge = merge_rows;
    assert_int_equal(run(&job), 3 * UNIT + 3 * UNIT);
    close_array(rs);
    close_array(cs);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(rows[i], COLUMNS * (COLUMNS - 1) / 2);
}

static void of_each_thread(void **state)
{
    static int32_t x[ROWS];
    int64_t sums[2] = { 5, 0 }, wanted[2] = { 5, 0 };
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[i] = i % 1000;
        wanted[0] += x[i];
        wanted[1] += (int64_t)x[i] * x[i];
    }
    yoke_array *xs = wrap(x, ROWS, sizeof *x), *ss = wrap(sums, 2, sizeof *sums);
    standin_count_launches("yoke_entry32_g_moments");
    assert_int_equal(yoke_run(runtime,
                              &(yoke_job){ .kernel = &g_moments,
                                           .range = { 0, ROWS },
                                           .partitioner = "even",
                                           .args = { yoke_in(xs), yoke_add_to(ss) } },
                              NULL),
                     YOKE_OK);
    assert_int_equal(standin_launches(), 1);
    assert_int_equal(standin_shared(), UNIT);
    close_array(xs);
    close_array(ss);
    assert_memory_equal(sums, wanted, sizeof sums);
}

/* The number of bins decides whether the block gathers. */
static void beside_others(int64_t bins, unsigned shared)
{
    static int32_t x[LINES];
    static uint32_t counts[MANY_BINS];
    int32_t products[9] = { 0 }, wanted[9] = { 0 };
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < LINES; i++) {
        x[i] = i;
        for (int j = 0; j < COLUMNS; j++) {
            const int32_t row[3] = { i, j, 1 };
            for (int k = 0; k < 9; k++)
                wanted[k] += k % 3 <= k / 3 ? row[k / 3] * row[k % 3] : 0;
        }
    }
    yoke_array *xs = wrap(x, LINES, sizeof *x), *ps = wrap(products, 9, sizeof *products),
               *cs = wrap(counts, bins, sizeof *counts);
    assert_int_equal(run(&(yoke_job){ .kernel = &g_products,
                                      .range = { 0, LINES, { COLUMNS } },
                                      .partitioner = "even",
                                      .args = { yoke_in(xs), yoke_add_to(ps), yoke_add_to(cs) } }),
                     shared);
    close_array(xs);
    close_array(ps);
    close_array(cs);
    assert_memory_equal(products, wanted, sizeof products);
    for (int k = 0; k < 5; k++)
        assert_int_equal(counts[k], LINES * COLUMNS / 5);
}

static void of_each_thread_beside_others(void **state)
{
    (void)state;
    beside_others(5, UNIT + UNIT);
    beside_others(MANY_BINS, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_dimension),    cmocka_unit_test(too_large),
        cmocka_unit_test(with_wide_indexes),   cmocka_unit_test(in_two_dimensions),
        cmocka_unit_test(in_three_dimensions), cmocka_unit_test(with_a_merge_of_the_program),
        cmocka_unit_test(of_each_thread),      cmocka_unit_test(of_each_thread_beside_others),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, open_all, close_all);
}
