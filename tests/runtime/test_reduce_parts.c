/* test_reduce_parts.c - reductions over parts of the second and third dimension: each index in the
 * part counts once and no other, with identical bits however the work is split. */
#include <stdlib.h>
#include <string.h>

#include "ok.h"
#include "reduce_kernels.h"

enum { ROOM = 70000 };
static const char *const all_devices[] = { "cpu:1",
                                           "cpu:2",
                                           "sim:gpu",
                                           "sim:cpu:cores=2,sim:gpu*2",
                                           "sim:gpu:mem=340K" /* windows */,
                                           "opencl:0",
                                           "cpu:1,opencl:0" };
static const char *const *devices = all_devices;
static int device_count = sizeof all_devices / sizeof *all_devices;
static const char *const partitioners[] = { NULL, "even", "guided", "dynamic:chunk=1",
                                            "dynamic:chunk=7" };
enum { PARTITIONERS = sizeof partitioners / sizeof *partitioners };

/* Sizes, and the part that is reduced. Wide ones are cut into parts of the second dimension. */
struct box {
    int64_t n, wide, deep;
    int64_t first, last, first2, last2, first3, last3;
};
static const struct box boxes[] = {
    { 40, 30, 1, 1, 39, 1, 29, 0, 1 },         { 3, 20000, 1, 1, 3, 37, 19001, 0, 1 },
    { 2, 30000, 1, 0, 2, 29998, 29999, 0, 1 }, { 300, 7, 19, 0, 299, 2, 6, 1, 18 },
    { 4, 160, 97, 1, 3, 60, 159, 3, 70 },      { 2, 2, 15000, 0, 1, 1, 2, 64, 14001 },
    { 9, 11, 13, 2, 8, 0, 11, 12, 13 },        { 3, 20000, 1, 0, 3, 0, 20000, 0, 1 }
};
enum { BOXES = sizeof boxes / sizeof *boxes };

static float xs[ROOM];

/* Integers, whose sum is exact in any order; or values whose sum depends on the order. */
static void fill(int is_exact)
{
    unsigned random = 7;
    for (int at = 0; at < ROOM; at++) {
        random = random * 1664525u + 1013904223u;
        xs[at] = is_exact ? (float)(random >> 26) : (float)(random >> 8) * 0x1p-20f - 7.5f;
    }
}

struct result {
    float sum;
    yoke_at_float high;
};

static struct result expected_of(const struct box *box)
{
    struct result result = { 0, { -INFINITY, -1 } };
    for (int64_t i = box->first; i < box->last; i++)
        for (int64_t j = box->first2; j < box->last2; j++)
            for (int64_t k = box->first3; k < box->last3; k++) {
                const int64_t at = (i * box->wide + j) * box->deep + k;
                result.sum += xs[at];
                if (xs[at] > result.high.value)
                    result.high = (yoke_at_float){ xs[at], at };
            }
    return result;
}

static yoke_array *wrap(yoke_runtime *rt, const struct box *box, float *host)
{
    yoke_array *array;
    OK(yoke_array_open(rt,
                       &(yoke_array_spec){ .host = host,
                                           .rows = box->n,
                                           .row_elements = box->wide * box->deep,
                                           .element_size = sizeof *host },
                       &array));
    return array;
}

static yoke_job job_of(const struct box *box, const yoke_kernel *kernel)
{
    return (yoke_job){ .kernel = kernel,
                       .range = { .first = box->first,
                                  .last = box->last,
                                  .extent = { box->wide, kernel == &k_reduce_3 ? box->deep : 0 },
                                  .second = { box->first2, box->last2 },
                                  .third = { kernel == &k_reduce_3 ? box->first3 : 0,
                                             kernel == &k_reduce_3 ? box->last3 : 0 } } };
}

static struct result reduce(yoke_runtime *rt, const struct box *box, const char *partitioner)
{
    struct result got;
    yoke_array *x = wrap(rt, box, xs);
    yoke_job job = job_of(box, box->deep > 1 ? &k_reduce_3 : &k_reduce_2);
    memset(&got, 0, sizeof got);
    job.partitioner = partitioner;
    job.args[0] = (yoke_arg)yoke_in(x);
    job.args[1] = (yoke_arg)yoke_reduce_to(&got.sum);
    job.args[2] = (yoke_arg)yoke_reduce_to(&got.high);
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_close(x));
    return got;
}

static void assert_same(const struct result *got, const struct result *expected)
{
    assert_memory_equal(&got->sum, &expected->sum, sizeof got->sum);
    assert_true(got->high.value == expected->high.value);
    assert_int_equal(got->high.place, expected->high.place);
}

static void everywhere(void **state)
{
    (void)state;
    for (int d = 0; d < device_count; d++) {
        yoke_runtime *rt = open_runtime(devices[d]);
        fill(1);
        for (int b = 0; b < BOXES; b++)
            for (int p = 0; p < PARTITIONERS; p++) {
                const struct result expected = expected_of(&boxes[b]);
                const struct result got = reduce(rt, &boxes[b], partitioners[p]);
                assert_same(&got, &expected);
            }
        OK(yoke_close(rt));
    }
}

static void the_same_bits(void **state)
{
    struct result first[BOXES];
    yoke_runtime *rt = open_runtime("cpu:1");
    (void)state;
    fill(0);
    for (int b = 0; b < BOXES; b++)
        first[b] = reduce(rt, &boxes[b], "even");
    OK(yoke_close(rt));
    for (int d = 0; d < device_count; d++) {
        rt = open_runtime(devices[d]);
        for (int b = 0; b < BOXES; b++)
            for (int p = 0; p < PARTITIONERS; p++) {
                const struct result got = reduce(rt, &boxes[b], partitioners[p]);
                assert_same(&got, &first[b]);
            }
        OK(yoke_close(rt));
    }
}

/* Elements that the kernel does not write stay, and partial results do not depend on old contents.
 */
static void check_edges(yoke_runtime *rt, const struct box *box, const char *partitioner)
{
    static float y[ROOM];
    const struct result expected = expected_of(box);
    yoke_array *read = wrap(rt, box, xs), *write = wrap(rt, box, y);
    yoke_job job = job_of(box, &k_reduce_edges);
    float sum = 0;
    for (int at = 0; at < ROOM; at++)
        y[at] = -1;
    job.partitioner = partitioner;
    job.args[0] = (yoke_arg)yoke_in(read);
    job.args[1] = (yoke_arg)yoke_out(write);
    job.args[2] = (yoke_arg)yoke_reduce_to(&sum);
    OK(yoke_run(rt, &job, NULL));
    OK(yoke_array_acquire(write, YOKE_READ));
    assert_true(sum == expected.sum);
    for (int64_t at = 0; at < box->n * box->wide; at++) {
        const int64_t i = at / box->wide, j = at % box->wide;
        const int is_done = box->first <= i && i < box->last && box->first2 <= j && j < box->last2;
        assert_true(y[at] == (is_done ? 2 * xs[at] : -1));
    }
    OK(yoke_array_close(read));
    OK(yoke_array_close(write));
}

static void edges_stay(void **state)
{
    (void)state;
    fill(1);
    for (int d = 0; d < device_count; d++) {
        yoke_runtime *rt = open_runtime(devices[d]);
        for (int p = 0; p < PARTITIONERS; p++) {
            check_edges(rt, &boxes[0], partitioners[p]);
            check_edges(rt, &boxes[1], partitioners[p]);
        }
        OK(yoke_close(rt));
    }
}

static void of_no_index(void **state)
{
    static const struct box box = { 9, 11, 13, 2, 8, 4, 4, 1, 2 };
    (void)state;
    fill(1);
    for (int d = 0; d < device_count; d++) {
        yoke_runtime *rt = open_runtime(devices[d]);
        const struct result none = { 0, { -INFINITY, -1 } }, got = reduce(rt, &box, NULL);
        float sum, high_of = 5;
        yoke_at_float high = { high_of, 5 };
        assert_same(&got, &none);
        OK(yoke_for2(rt, &k_reduce_2, 9, yoke_interior(2, 1), xs, &sum, yoke_onto(&high)));
        assert_true(sum == 0 && high.value == 5 && high.place == 5);
        OK(yoke_close(rt));
    }
}

/* In checking mode, which also finds errors with the arrays of such a kernel. */
static void checking(void **state)
{
    enum { ROWS = 50, COLUMNS = 100 };
    static const struct box rows = { ROWS, COLUMNS, 1, 0, ROWS, 0, 0, 0, 0 };
    yoke_runtime *rt;
    float sum = 0;
    yoke_at_float high;
    int64_t columns = COLUMNS;
    (void)state;
    fill(1);
    OK(yoke_open(&(yoke_config){ .check = 1 }, &rt));
    for (int b = 0; b < BOXES; b++) {
        const struct result expected = expected_of(&boxes[b]);
        const struct result got = reduce(rt, &boxes[b], NULL);
        assert_same(&got, &expected);
    }
    check_edges(rt, &boxes[0], NULL);
    yoke_array *x = wrap(rt, &rows, xs);
    yoke_job job = { .kernel = &k_reduce_row,
                     .range = { 0, ROWS },
                     .args = { yoke_value(columns), yoke_in(x), yoke_reduce_to(&sum),
                               yoke_reduce_to(&high) } };
    OK(yoke_run(rt, &job, NULL));
    assert_true(sum > 0);
    columns++;
    sum = 3;
    job.args[0] = (yoke_arg)yoke_value(columns);
    assert_int_equal(yoke_run(rt, &job, NULL), YOKE_EINVAL);
    assert_non_null(strstr(yoke_error_text(), "reads row "));
    assert_true(sum == 3);
    OK(yoke_array_close(x));
    OK(yoke_close(rt));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everywhere),
                                        cmocka_unit_test(the_same_bits),
                                        cmocka_unit_test(edges_stay), cmocka_unit_test(of_no_index),
                                        cmocka_unit_test(checking) };
    if (argc > 1) {
        devices = (const char *const *)argv + 1;
        device_count = argc - 1;
    }
    return cmocka_run_group_tests_name("reduce_parts", tests, NULL, NULL);
}
