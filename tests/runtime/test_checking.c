/* test_checking.c - kernels in checking mode: each error that has no effect on cores but is wrong
 * on devices with their own memory ends its job with a message that names the index, the row, and
 * the remedy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "checking_kernels.h"
#include "ok.h"
#include "step_kernels.h"

enum { N = 100, LARGE = 100000, ARRAYS = 4 };

struct bench {
    yoke_runtime *rt;
    void *memory[ARRAYS];
    yoke_array *arrays[ARRAYS];
    int count;
};

static struct bench open_bench(void)
{
    struct bench bench = { 0 };
    OK(yoke_open(&(yoke_config){ .check = 1 }, &bench.rt));
    return bench;
}

static yoke_array *make(struct bench *bench, int64_t rows, int64_t row_elements)
{
    static const char *const names[ARRAYS] = { "first", "second", "third", "fourth" };
    const int a = bench->count++;
    float *x = calloc((size_t)(rows * row_elements), sizeof *x);
    int64_t k;
    assert_non_null(x);
    for (k = 0; k < rows * row_elements; k++)
        x[k] = (float)(k % 97 + 1);
    bench->memory[a] = x;
    OK(yoke_array_open(bench->rt,
                       &(yoke_array_spec){ .host = x,
                                           .rows = rows,
                                           .row_elements = row_elements,
                                           .element_size = sizeof *x,
                                           .name = names[a] },
                       &bench->arrays[a]));
    return bench->arrays[a];
}

/* Index i holds i, except for the odd one. */
static yoke_array *make_indexes(struct bench *bench, int64_t rows, int64_t odd, int32_t value)
{
    yoke_array *array = make(bench, rows, 1);
    int32_t *index = bench->memory[bench->count - 1];
    int64_t k;
    for (k = 0; k < rows; k++)
        index[k] = (int32_t)k;
    if (odd >= 0)
        index[odd] = value;
    return array;
}

static void close_bench(struct bench *bench)
{
    while (bench->count--) {
        const yoke_status status = yoke_array_close(bench->arrays[bench->count]);
        assert_true(status == YOKE_OK || status == YOKE_ELOST); /* rows of a job that failed */
        free(bench->memory[bench->count]);
    }
    OK(yoke_close(bench->rt));
}

/* The job fails with a message that contains all of `words`. */
static void ends(const struct bench *bench, const yoke_job *job, const char *const *words)
{
    assert_int_equal(yoke_run(bench->rt, job, NULL), YOKE_EINVAL);
    for (; *words; words++)
        if (!strstr(yoke_error_text(), *words))
            fail_msg("'%s' is not in: %s", *words, yoke_error_text());
}
#define ENDS(bench, job, ...) ends(bench, job, (const char *const[]){ __VA_ARGS__, NULL })

static void gather_n(int64_t n, int64_t odd, int32_t value, const char *what)
{
    struct bench bench = open_bench();
    yoke_array *index = make_indexes(&bench, n, odd, value);
    yoke_array *x = make(&bench, n, 1), *y = make(&bench, n, 1);
    yoke_job job = { .kernel = &c_gather,
                     .range = { 0, n },
                     .args = { yoke_in(index), yoke_in(x), yoke_out(y) } };
    ENDS(&bench, &job, "c_gather, index", what, "array second (parameter x)", "yoke_in declares",
         "yoke_in_whole(second)");
    job.args[1] = (yoke_arg)yoke_in_whole(x);
    OK(yoke_run(bench.rt, &job, NULL));
    OK(yoke_array_acquire(y, YOKE_READ));
    assert_true(((float *)bench.memory[2])[odd] == ((float *)bench.memory[1])[value]);
    close_bench(&bench);
}

static void test_gather(void **state)
{
    (void)state;
    gather_n(N, 7, 90, "index 7: reads row 90");
    gather_n(LARGE, 777, 90000, "index 777: reads row 90000"); /* on another page */
}

/* A row outside of the array, on no page. */
static void test_gather_beyond(void **state)
{
    struct bench bench = open_bench();
    yoke_array *index = make_indexes(&bench, N, 3, 1000000);
    yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
    (void)state;
    ENDS(&bench,
         (&(yoke_job){ .kernel = &c_gather,
                       .range = { 0, N },
                       .args = { yoke_in(index), yoke_in_whole(x), yoke_out(y) } }),
         "index 3: reads row 1000000 of array second (parameter x)",
         "the array has rows 0 .. 99; correct the index");
    close_bench(&bench);
}

static void test_neighbours(void **state)
{
    const int64_t n = N;
    struct bench bench = open_bench();
    yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
    yoke_job job = { .kernel = &c_neighbours,
                     .range = { 0, N },
                     .args = { yoke_value(n), yoke_in(x), yoke_out(y) } };
    (void)state;
    ENDS(&bench, &job, "c_neighbours, index ", " reads row ", "array first (parameter x)",
         "yoke_in declares row ", "declare yoke_in_halo(first, ");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 1, 0);
    ENDS(&bench, &job, "yoke_in_halo declares rows ", "declare yoke_in_halo(first, 1, 1)");
    job.args[1] = (yoke_arg)yoke_in_halo(x, 1, 1);
    OK(yoke_run(bench.rt, &job, NULL));
    close_bench(&bench);
}

static yoke_rows two(const void *context, yoke_rows range)
{
    const int64_t n = *(const int64_t *)context;
    return (yoke_rows){ range.first, range.last + 1 < n ? range.last + 1 : n };
}

static yoke_rows own(const void *context, yoke_rows range)
{
    (void)context;
    return range;
}

static void test_custom(void **state)
{
    const int64_t n = N;
    struct bench bench = open_bench();
    yoke_array *begin = make_indexes(&bench, N, -1, 0), *x = make(&bench, N, 1);
    yoke_array *y = make(&bench, N, 1);
    yoke_job job = { .kernel = &c_segment,
                     .range = { 0, N - 1 },
                     .args = { yoke_in_custom(begin, own, &n), yoke_in_whole(x), yoke_out(y) } };
    (void)state;
    ENDS(&bench, &job, "c_segment, index ", "array first (parameter begin)",
         "its rows function gives row ", "let the function give row ");
    job.args[0] = (yoke_arg)yoke_in_custom(begin, two, &n);
    OK(yoke_run(bench.rt, &job, NULL));
    close_bench(&bench);
}

static void test_scatter(void **state)
{
    struct bench bench = open_bench();
    yoke_array *index = make_indexes(&bench, N, 50, 51);
    yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
    (void)state;
    ENDS(&bench,
         (&(yoke_job){ .kernel = &c_scatter,
                       .range = { 0, N },
                       .args = { yoke_in(index), yoke_in(x), yoke_inout(y) } }),
         "c_scatter, index 50: writes row 51 of array third (parameter y)",
         "yoke_inout declares row 50", "its own row", "yoke_add");
    close_bench(&bench);
}

static void test_half(void **state)
{
    struct bench bench = open_bench();
    yoke_array *x = make(&bench, N, 10), *y = make(&bench, N, 10);
    yoke_job job = { .kernel = &c_half,
                     .range = { 0, N, { 10 } },
                     .args = { yoke_in(x), yoke_out(y) } };
    (void)state;
    ENDS(&bench, &job, "leaves a part of row ", "array second (parameter y) unwritten",
         "yoke_out declares row", "yoke_inout(second)", "yoke_out_part(second)");
    job.args[1] = (yoke_arg)yoke_out_part(y);
    OK(yoke_run(bench.rt, &job, NULL));
    close_bench(&bench);
}

static void test_early(void **state)
{
    struct bench bench = open_bench();
    yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
    (void)state;
    ENDS(
        &bench,
        (&(yoke_job){ .kernel = &c_early, .range = { 0, N }, .args = { yoke_in(x), yoke_out(y) } }),
        "c_early, index ", "reads row ", "array second (parameter y) before it writes it",
        "yoke_inout(second)");
    close_bench(&bench);
}

static void test_cast(void **state)
{
    struct bench bench = open_bench();
    yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
    (void)state;
    ENDS(&bench,
         (&(yoke_job){ .kernel = &c_cast, .range = { 0, N }, .args = { yoke_in(x), yoke_out(y) } }),
         "c_cast, index ", "array first (parameter x)", "writes row", "YOKE_INOUT");
    close_bench(&bench);
}

/* The largest distances: in a margin, and beyond every margin. */
static void test_beyond(void **state)
{
    static const int64_t far[] = { -3, N, N + 5000, 1 << 20, INT64_C(1) << 40 };
    size_t k;
    (void)state;
    for (k = 0; k < sizeof far / sizeof *far; k++) {
        struct bench bench = open_bench();
        yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
        yoke_job job = { .kernel = &c_beyond,
                         .range = { 0, N },
                         .args = { yoke_value(far[k]), yoke_in(x), yoke_out(y) } };
        if (k + 1 < sizeof far / sizeof *far)
            ENDS(&bench, &job, "c_beyond, index 20: writes row", "array second (parameter y)",
                 "the array has rows 0 .. 99; correct the index");
        else
            ENDS(&bench, &job, "c_beyond, index 20: touches memory at 0x", "none of its arrays");
        close_bench(&bench);
    }
}

/* Rows right outside of an array: also if the value read is not used, and for every position of the
 * array's end in its page. */
static void test_just_beyond(void **state)
{
    static const int64_t lengths[] = { 1, 2, 100, 1023, 1024, 1025, 3000 };
    static const int64_t far[] = { -1, -3, 0, 3 }; /* from 0 on: relative to the end */
    size_t l, k;
    int whole;
    (void)state;
    for (l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (k = 0; k < sizeof far / sizeof *far; k++)
            for (whole = 0; whole < 2; whole++) {
                const int64_t n = lengths[l], row = far[k] < 0 ? far[k] : n + far[k];
                const int64_t at = whole ? n / 2 : far[k] < 0 ? 0 : n - 1;
                struct bench bench = open_bench();
                yoke_array *x = make(&bench, n, 1), *y = make(&bench, n, 1);
                char what[64];
                yoke_job job = { .kernel = &c_peek,
                                 .range = { 0, n },
                                 .args = { yoke_value(at), yoke_value(row), yoke_in(x),
                                           yoke_out(y) } };
                if (whole)
                    job.args[2] = (yoke_arg)yoke_in_whole(x);
                snprintf(what, sizeof what, "c_peek, index %lld: reads row %lld of array first",
                         (long long)at, (long long)row);
                ENDS(&bench, &job, what, "correct the index");
                job.args[1] = (yoke_arg)yoke_value(at);
                OK(yoke_run(bench.rt, &job, NULL));
                close_bench(&bench);
            }
}

static void test_division(void **state)
{
    struct bench bench = open_bench();
    yoke_array *x = make_indexes(&bench, N, 0, 1), *y = make(&bench, N, 1);
    yoke_job job = { .kernel = &c_divide, .range = { 0, N }, .args = { yoke_in(x), yoke_out(y) } };
    (void)state;
    OK(yoke_run(bench.rt, &job, NULL));
    OK(yoke_array_acquire(x, YOKE_READ_WRITE));
    ((int32_t *)bench.memory[0])[33] = 0;
    OK(yoke_array_release(x));
    ENDS(&bench, &job, "c_divide, index 33: ends by a division by zero");
    close_bench(&bench);
}

/* Correct jobs succeed, at all lengths, and a failed job does not change the runtime. */
static void test_right(void **state)
{
    int64_t n;
    (void)state;
    for (n = 1; n < 3000; n = n * 3 + 1) {
        struct bench bench = open_bench();
        yoke_array *x = make(&bench, n, 1), *y = make(&bench, n, 1), *s = make(&bench, 4, 1);
        const float *a = bench.memory[0], *b = bench.memory[1], *c = bench.memory[2];
        float sums[4] = { 1, 2, 3, 4 };
        int64_t k;
        OK(yoke_run(bench.rt,
                    &(yoke_job){ .kernel = &c_right,
                                 .range = { 0, n },
                                 .args = { yoke_in(x), yoke_inout(y) } },
                    NULL));
        OK(yoke_run(bench.rt,
                    &(yoke_job){ .kernel = &c_sum,
                                 .range = { 0, n },
                                 .args = { yoke_in(x), yoke_add_to(s) } },
                    NULL));
        OK(yoke_array_acquire(y, YOKE_READ));
        OK(yoke_array_acquire(s, YOKE_READ));
        for (k = 0; k < n; k++) {
            assert_true(b[k] == 3 * a[k]);
            sums[k & 3] += a[k];
        }
        for (k = 0; k < 4; k++)
            assert_true(c[k] == sums[k]);
        close_bench(&bench);
    }
}

/* Errors of a step kernel are reported as without checking mode. */
static void test_steps(void **state)
{
    struct bench bench = open_bench();
    yoke_array *sum = make(&bench, 1, 1);
    int64_t which = 3;
    yoke_job job = { .kernel = &k_greedy,
                     .range = { 0, N },
                     .args = { yoke_value(which), yoke_add_to(sum) } };
    (void)state;
    ENDS(&bench, &job, "k_greedy");
    close_bench(&bench);
}

/* Lack of memory fails the job, and a later job is correct. The allocation that fails may be that
 * of a thread that does something else: then the job succeeds. */
static void test_no_memory(void **state)
{
    int64_t nth, failed = 0;
    int reached = 1;
    (void)state;
    for (nth = 1; reached; nth++) {
        yoke_status status;
        struct bench bench = open_bench();
        yoke_array *x = make(&bench, N, 1), *y = make(&bench, N, 1);
        yoke_job job = { .kernel = &c_right,
                         .range = { 0, N },
                         .args = { yoke_in(x), yoke_inout(y) } };
        yk_alloc_fail_at(nth);
        status = yoke_run(bench.rt, &job, NULL);
        reached = yk_alloc_failed();
        yk_alloc_fail_at(0);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_ENOMEM);
            failed++;
        }
        close_bench(&bench);
    }
    assert_true(failed > 1);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),     cmocka_unit_test(test_gather_beyond),
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_custom),
        cmocka_unit_test(test_scatter),    cmocka_unit_test(test_half),
        cmocka_unit_test(test_early),      cmocka_unit_test(test_cast),
        cmocka_unit_test(test_beyond),     cmocka_unit_test(test_just_beyond),
        cmocka_unit_test(test_division),   cmocka_unit_test(test_right),
        cmocka_unit_test(test_steps),      cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
