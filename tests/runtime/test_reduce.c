/* test_reduce.c - YOKE_REDUCE and YOKE_FOLD: every operator and type on every kind of device,
 * bit-identical however the work is split, and exactly once whatever fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "reduce_kernels.h"
#include "walk.h"

enum { N = 40000 };
static const char *machines[] = {
    "cpu:1", "cpu:2", "sim:cpu:cores=2,sim:gpu*2", "sim:gpu:mem=340K", "opencl:0", "cpu:1,opencl:0"
};
static int machine_count = sizeof machines / sizeof *machines;
static const char *given; /* the device to use instead, beside a core for comparing bits */
static float xs[N], ys[N];

static void fill(void)
{
    unsigned random = 7;
    for (int i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        xs[i] = (float)(random >> 8) * 0x1p-20f - 7.5f;
    }
}

/* --- operators and types --- */

/* Numbers small enough for exact sums, their extremes twice, and factors whose product is 8. */
static int64_t number(int i, int n)
{
    return i == n / 3 || i == n / 2 ? 250 : i == n / 4 || i == n / 4 + 9 ? 3 : 4 + i * 7LL % 240;
}
#define FACTOR(T, i) ((T)(i % 4000 == 77 && i < 12000 ? 2 : 1))

#define TEST_TYPE(T, BITS)                                                                         \
    static void reduce_##T(yoke_runtime *rt, int n)                                                \
    {                                                                                              \
        static T x[N], y[N];                                                                       \
        T sum = 99, product = 99, low = 99, high = 99, want = 0, wanted = 1;                       \
        yoke_at_##T low_at, high_at;                                                               \
        BITS(T)                                                                                    \
        for (int i = 0; i < n; i++) {                                                              \
            x[i] = (T)number(i, n);                                                                \
            y[i] = FACTOR(T, i);                                                                   \
            want = (T)(want + x[i]);                                                               \
            wanted = (T)(wanted * y[i]);                                                           \
        }                                                                                          \
        OK(yoke_for(rt, &k_reduce_##T, n, x, y, &sum, &product, &low, &high, &low_at,              \
                    &high_at BITS##_ARGS));                                                        \
        assert_true(sum == want && product == wanted);                                             \
        if (n < 100)                                                                               \
            return;                                                                                \
        assert_true(low == 3 && high == 250 && low_at.value == 3 && high_at.value == 250);         \
        assert_int_equal(low_at.place, n / 4);                                                     \
        assert_int_equal(high_at.place, n / 3);                                                    \
        BITS##_CHECK(T)                                                                            \
    }
#define REAL(T)
#define REAL_ARGS
#define REAL_CHECK(T)
#define INTEGER(T)   T all = 9, any = 9, odd = 9, every = (T) ~(T)0, some = 0, parity = 0;
#define INTEGER_ARGS , &all, &any, &odd
#define INTEGER_CHECK(T)                                                                           \
    for (int i = 0; i < n; i++) {                                                                  \
        every &= x[i];                                                                             \
        some |= x[i];                                                                              \
        parity ^= x[i];                                                                            \
    }                                                                                              \
    assert_true(all == every && any == some && odd == parity);
TEST_TYPE(int32_t, INTEGER)
TEST_TYPE(uint32_t, INTEGER)
TEST_TYPE(int64_t, INTEGER)
TEST_TYPE(uint64_t, INTEGER)
TEST_TYPE(float, REAL)
TEST_TYPE(double, REAL)

static void every_operator_and_type(void **state)
{
    static const int counts[] = { 1, 63, 257, 4097, N };
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            reduce_int32_t(rt, counts[k]);
            reduce_uint32_t(rt, counts[k]);
            reduce_int64_t(rt, counts[k]);
            reduce_uint64_t(rt, counts[k]);
            reduce_float(rt, counts[k]);
            reduce_double(rt, counts[k]);
        }
        OK(yoke_close(rt));
    }
}

static void of_nothing_and_not_numbers(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        float x[8], y[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, sum = 5, product = 5, low, high, old = 5;
        yoke_at_float low_at, high_at, none = { 3, 4 };
        yoke_runtime *rt = open_runtime(machines[m]);
        OK(yoke_for(rt, &k_reduce_float, 0, x, y, &sum, &product, &low, yoke_onto(&old), &low_at,
                    yoke_onto(&none)));
        assert_true(sum == 0 && product == 1 && low == INFINITY && old == 5);
        assert_true(low_at.value == INFINITY && low_at.place == -1);
        assert_true(none.value == 3 && none.place == 4);
        for (int i = 0; i < 8; i++)
            x[i] = NAN;
        OK(yoke_for(rt, &k_reduce_float, 8, x, y, &sum, &product, &low, &high, &low_at, &high_at));
        assert_true(sum != sum && low == INFINITY && high == -INFINITY && low_at.place == -1);
        x[5] = 2;
        x[6] = INFINITY;
        OK(yoke_for(rt, &k_reduce_float, 8, x, y, &sum, &product, &low, &high, &low_at, &high_at));
        assert_true(low == 2 && high == INFINITY && low_at.place == 5 && high_at.place == 6);
        OK(yoke_close(rt));
    }
}

/* --- the same bits --- */

struct bits {
    float sum;
    moments_t all;
    int32_t odd[1];
};

static yoke_status reduce_bits(yoke_runtime *rt, int n, const char *partitioner, struct bits *out)
{
    yoke_array *x = NULL, *y = NULL, *odd = NULL;
    yoke_status status = yoke_array_wrap(rt, xs, n, sizeof *xs, &x);
    *out = (struct bits){ .sum = 1 };
    memset(ys, 0, sizeof ys);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, ys, n, sizeof *ys, &y);
    if (status == YOKE_OK)
        status = yoke_array_wrap(rt, out->odd, 1, sizeof *out->odd, &odd);
    yoke_job job = { .kernel = &k_reduce_bits,
                     .range = { 0, n },
                     .partitioner = partitioner,
                     .args = { yoke_in(x), yoke_out(y), yoke_reduce_to(&out->sum),
                               yoke_reduce_to(&out->all), yoke_add_to(odd) } };
    if (status == YOKE_OK)
        status = yoke_run(rt, &job, NULL);
    if (status == YOKE_OK)
        status = yoke_array_acquire(y, YOKE_READ);
    if (status == YOKE_OK)
        status = yoke_array_acquire(odd, YOKE_READ);
    if (status == YOKE_OK) {
        assert_memory_equal(xs, ys, (size_t)n * sizeof *xs);
        assert_int_equal(out->odd[0], n / 2);
        assert_true(out->all.count == (float)n);
    }
    yoke_array_close(x);
    yoke_array_close(y);
    yoke_array_close(odd);
    return status;
}

static void the_same_bits_however_split(void **state)
{
    static const int counts[] = { 5, 1000, 4099, 33333, N };
    struct bits first[5], got;
    char text[64];
    (void)state;
    srand(11);
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        for (int k = 0; k < 5; k++)
            for (int turn = 0; turn < 6; turn++) {
                snprintf(text, sizeof text, "dynamic:chunk=%d", 1 + rand() % (counts[k] / 3));
                OK(reduce_bits(rt, counts[k],
                               turn == 0   ? "even"
                               : turn == 1 ? "guided"
                               : turn == 2 ? NULL
                                           : text,
                               &got));
                if (m == 0 && turn == 0)
                    first[k] = got;
                assert_memory_equal(&got, &first[k], sizeof got);
            }
        OK(yoke_close(rt));
    }
}

/* Also each variant of the cores alone. */
static void the_same_bits_of_products(void **state)
{
    static const char *const variants[] = { "cpu:1:variant=base", "cpu:1:variant=v3" };
    float first = 0, sum;
    (void)state;
    for (int m = -2; m < machine_count; m++) {
        yoke_runtime *rt;
        if (m == -1 && yoke_open(&(yoke_config){ .devices = variants[1] }, &rt) != YOKE_OK)
            continue; /* not on this processor */
        if (m != -1)
            rt = open_runtime(m < 0 ? variants[0] : machines[m]);
        OK(yoke_for(rt, &k_reduce_products, N, xs, &sum));
        first = m == -2 ? sum : first;
        assert_true(sum == first);
        OK(yoke_close(rt));
    }
}

static void in_two_and_three_dimensions(void **state)
{
    static const int64_t sizes[][3] = { { 1, 1, N },     { 7, 5, 1 },     { 300, 7, 19 },
                                        { 3, 130, 97 },  { 2, 20000, 1 }, { 2000, 1, 20 },
                                        { 13000, 3, 1 }, { 4000, 3, 3 },  { 70, 200, 2 } };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s][0], wide = sizes[s][1], deep = sizes[s][2];
        float first = 0, first3 = 0, high = -INFINITY;
        int64_t place = -1;
        double sum = 0, size = 0;
        for (int64_t i = 0; i < n * wide * deep; i++) {
            sum += xs[i];
            size += fabsf(xs[i]);
            place = xs[i] > high ? i : place;
            high = xs[i] > high ? xs[i] : high;
        }
        for (int m = 0; m < machine_count; m++) {
            yoke_runtime *rt = open_runtime(machines[m]);
            yoke_at_float at;
            float got;
            OK(yoke_for2(rt, &k_reduce_2, n, wide * deep, xs, &got, &at));
            first = m ? first : got;
            assert_true(fabs(got - sum) <= 1e-6 * size && got == first);
            assert_true(at.value == high && at.place == place);
            OK(yoke_for3(rt, &k_reduce_3, n, wide, deep, xs, &got, &at));
            first3 = m ? first3 : got;
            assert_true(fabs(got - sum) <= 1e-6 * size && got == first3);
            assert_true(at.value == high && at.place == place);
            OK(yoke_close(rt));
        }
    }
}

static void by_groups(void **state)
{
    float first = 0, first_row = 0;
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        moments_t all;
        yoke_at_float high, at = { -INFINITY, -1 };
        float sum, rows;
        double want = 0;
        OK(yoke_for(rt, &k_reduce_tile, N - 5, xs, &sum, &all));
        for (int i = 0; i < N - 5; i++)
            want += xs[i];
        first = m ? first : sum;
        assert_true(sum == first && all.sum == sum && all.count == N - 5);
        assert_true(fabs(sum - want) < 0.1);
        OK(yoke_for(rt, &k_reduce_row, N / 100, (int64_t)100, yoke_row(xs, 100), &rows, &high));
        for (int i = 0; i < N / 100; i++) {
            float lanes[16] = { 0 }, row = 0;
            for (int j = 0; j < 100; j++)
                lanes[j % 16] += xs[i * 100 + j];
            for (int l = 0; l < 16; l++)
                row += lanes[l];
            if (row > at.value)
                at = (yoke_at_float){ row, i };
        }
        first_row = m ? first_row : rows;
        assert_true(rows == first_row && fabs(rows - want) < 50);
        assert_true(high.value == at.value && high.place == at.place);
        OK(yoke_close(rt));
    }
}

/* --- where results go --- */

static int64_t count_of(int n)
{
    int64_t count = 0;
    for (int i = 0; i < n; i++)
        count += xs[i] > 0 ? 1 + i % 3 : 0;
    return count;
}

static void onto_what_is_there(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        int64_t count = 1000;
        for (int k = 1; k <= 3; k++) {
            OK(yoke_for(rt, &k_reduce_count, N, xs, yoke_onto(&count)));
            assert_int_equal(count, 1000 + k * count_of(N));
        }
        OK(yoke_close(rt));
    }
}

/* Jobs that need the result wait for it, and later jobs wait for those. */
static void into_an_array(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        int64_t memory = 5;
        yoke_array *x, *y, *count;
        yoke_ticket *tickets[4];
        OK(yoke_array_wrap(rt, xs, N, sizeof *xs, &x));
        OK(yoke_array_wrap(rt, ys, 100, sizeof *ys, &y));
        OK(yoke_array_wrap(rt, &memory, 1, sizeof memory, &count));
        yoke_job job = { .kernel = &k_reduce_count,
                         .range = { 0, N },
                         .args = { yoke_in(x), yoke_reduce_onto_array(count) } };
        yoke_job set = { .kernel = &k_reduce_count,
                         .range = { 0, 50 },
                         .args = { yoke_in(x), yoke_use(count) } };
        yoke_job after = { .kernel = &k_reduce_after,
                           .range = { 0, 100 },
                           .args = { yoke_in_whole(count), yoke_out(y) } };
        OK(yoke_submit(rt, &job, &tickets[0]));
        OK(yoke_submit(rt, &after, &tickets[1]));
        OK(yoke_submit(rt, &set, &tickets[2]));
        for (int k = 0; k < 3; k++)
            OK(yoke_wait(tickets[k], NULL));
        OK(yoke_array_acquire(y, YOKE_READ));
        OK(yoke_array_acquire(count, YOKE_READ));
        assert_true(ys[0] == (float)(5 + count_of(N)) && ys[99] == ys[0]);
        assert_int_equal(memory, count_of(50));
        job.range.last = 0;
        OK(yoke_run(rt, &job, NULL));
        OK(yoke_array_acquire(count, YOKE_READ));
        assert_int_equal(memory, count_of(50));
        OK(yoke_array_close(x));
        OK(yoke_array_close(y));
        OK(yoke_array_close(count));
        OK(yoke_close(rt));
    }
}

static void by_two_kernels(void **state)
{
    (void)state;
    for (int m = 0; m < machine_count; m++) {
        yoke_runtime *rt = open_runtime(machines[m]);
        yoke_array *x;
        OK(yoke_array_wrap(rt, xs, N, sizeof *xs, &x));
        for (int first = 0; first < 200; first += 67) {
            int64_t count = 0;
            yoke_job job = { .kernel = &k_reduce_count,
                             .alternative = &k_reduce_count_tiles,
                             .range = { first, N },
                             .args = { yoke_in(x), yoke_reduce_to(&count) } };
            OK(yoke_run(rt, &job, NULL));
            assert_int_equal(count, count_of(N) - count_of(first));
        }
        OK(yoke_array_close(x));
        OK(yoke_close(rt));
    }
}

/* --- failures --- */

static struct bits expected;

static yoke_status one_job(const char *devices)
{
    yoke_runtime *rt = NULL;
    struct bits got;
    yoke_status status = yoke_open(&(yoke_config){ .devices = devices }, &rt), closed;
    if (status == YOKE_OK)
        status = reduce_bits(rt, 3000, "dynamic:chunk=200", &got);
    if (status == YOKE_OK)
        assert_memory_equal(&got, &expected, sizeof got);
    closed = rt ? yoke_close(rt) : YOKE_OK;
    return status == YOKE_OK ? closed : status;
}

static void whatever_fails(void **state)
{
    static const char *const all[] = { "sim:cpu:cores=2,sim:gpu*2", "sim:gpu:mem=8K",
                                       "cpu:1,opencl:0" };
    const char *const *devices = given ? &given : all;
    const size_t count = given ? 1 : sizeof all / sizeof *all;
    yoke_runtime *rt = open_runtime("cpu:1");
    (void)state;
    OK(reduce_bits(rt, 3000, NULL, &expected));
    OK(yoke_close(rt));
    for (size_t d = 0; d < count; d++)
        walk_everything(one_job, devices[d]);
}

/* A device that dies loses no result, and nothing counts twice. */
static void devices_that_die(void **state)
{
    int64_t made_good = 0;
    (void)state;
    for (int after = 1; after < 80; after++) {
        char devices[96];
        int64_t count = 77;
        yoke_runtime *rt;
        yoke_status status;
        snprintf(devices, sizeof devices, "sim:cpu:cores=2,sim:gpu*2:fail_after=%d", after);
        status = yoke_open(&(yoke_config){ .devices = devices }, &rt);
        if (status != YOKE_OK)
            continue;
        for (int k = 0; k < 4; k++) {
            status = yoke_for(rt, &k_reduce_count, N, xs, &count);
            if (status == YOKE_OK)
                assert_int_equal(count, count_of(N));
            made_good += status == YOKE_OK;
        }
        OK(yoke_close(rt));
    }
    assert_true(made_good > 200);
}

static void a_job_that_fails_changes_no_result(void **state)
{
    int failed = 0;
    (void)state;
    for (int after = 5; after < 40; after++) {
        char devices[96];
        int64_t count = 77;
        yoke_runtime *rt;
        yoke_array *x;
        snprintf(devices, sizeof devices, "sim:gpu:fail_after=%d", after);
        if (yoke_open(&(yoke_config){ .devices = devices }, &rt) != YOKE_OK)
            continue;
        OK(yoke_array_wrap(rt, xs, N, sizeof *xs, &x));
        yoke_job job = { .kernel = &k_reduce_count,
                         .range = { 0, N },
                         .partitioner = "dynamic:chunk=2000",
                         .args = { yoke_in(x), yoke_reduce_to(&count) } };
        if (yoke_run(rt, &job, NULL) == YOKE_OK) {
            assert_int_equal(count, count_of(N));
        } else {
            assert_int_equal(count, 77);
            failed++;
        }
        OK(yoke_array_close(x));
        OK(yoke_close(rt));
    }
    assert_true(failed > 10);
}

/* --- misuse --- */

static void expect(yoke_status got, const char *part)
{
    assert_int_equal(got, YOKE_EINVAL);
    if (!strstr(yoke_error_text(), part))
        fail_msg("'%s' should say '%s'", yoke_error_text(), part);
}

static void by_hand(void *const *args, const yoke_chunk *chunk)
{
    (void)args, (void)chunk;
}

/* Memory that a result goes to is in no other argument. */
static void results_in_other_memory(void **state)
{
    static float y[N];
    moments_t all;
    void *const inside = &all;
    float sum, *const in_all = inside;
    int32_t odd = 0, *const add_to_all = inside;
    yoke_runtime *rt;
    (void)state;
    OK(yoke_open(&(yoke_config){ .devices = "cpu" }, &rt));
    expect(yoke_for(rt, &k_reduce_bits, N, xs, y, in_all, &all, yoke_whole(&odd, 1)),
           "argument 4 (all): its memory overlaps that of argument 3 (sum)");
    expect(yoke_for(rt, &k_reduce_bits, N, xs, y, y + 7, &all, yoke_whole(&odd, 1)),
           "argument 3 (sum): its memory overlaps that of argument 2 (y)");
    expect(yoke_for(rt, &k_reduce_bits, N, xs, y, &xs[0], &all, yoke_whole(&odd, 1)),
           "argument 3 (sum): its memory overlaps that of argument 1 (x)");
    expect(yoke_for(rt, &k_reduce_bits, 1, xs, y, &xs[0], &all, yoke_whole(&odd, 1)),
           "argument 3 (sum): its memory overlaps that of argument 1 (x)");
    expect(yoke_for(rt, &k_reduce_bits, N, xs, y, &sum, &all, yoke_whole(add_to_all, 1)),
           "argument 5 (odd): its memory overlaps that of argument 4 (all)");
    OK(yoke_for(rt, &k_reduce_bits, N, xs, y, &sum, &all, yoke_whole(&odd, 1)));
    OK(yoke_close(rt));
}

static void mistakes(void **state)
{
    yoke_runtime *rt = open_runtime("cpu:1");
    const int64_t fixed = 0;
    int32_t narrow;
    double real;
    int64_t count, counts[2];
    yoke_array *x, *two, *array;
    yoke_kernel mine = k_reduce_count;
    (void)state;
    OK(yoke_array_wrap(rt, xs, N, sizeof *xs, &x));
    OK(yoke_array_wrap(rt, counts, 2, sizeof *counts, &two));
    OK(yoke_array_wrap(rt, &count, 1, sizeof count, &array));
    expect(yoke_for(rt, &k_reduce_count, N, xs, &narrow), "of type int64_t (8 bytes)");
    expect(yoke_for(rt, &k_reduce_count, N, xs, &real), "address of one of type int64_t");
    expect(yoke_for(rt, &k_reduce_count, N, xs, &fixed), "address of one variable");
    expect(yoke_for(rt, &k_reduce_count, N, xs, counts), "address of one variable");
    expect(yoke_for(rt, &k_reduce_count, N, xs, (int64_t *)NULL), "no place for the result");
    expect(yoke_for(rt, &k_reduce_count, N, xs, count), "is wanted");
    expect(yoke_for(rt, &k_reduce_count, N, xs, two), "one row of one element");
    expect(yoke_for(rt, &k_reduce_count, N, xs, yoke_halo(&count, 1, 1)), "YOKE_ONTO");
    expect(yoke_for(rt, &k_saxpy, N, 1.0f, xs, yoke_onto(ys)), "results of reductions");
    yoke_job job = { .kernel = &k_reduce_count,
                     .range = { 0, N },
                     .args = { yoke_in(x), yoke_add_to(array) } };
    expect(yoke_run(rt, &job, NULL), "wants mode reduce, the job gives add");
    mine.cpu.team = by_hand;
    job.kernel = &mine;
    job.args[1] = (yoke_arg)yoke_reduce_to(&count);
    expect(yoke_run(rt, &job, NULL), "implementation by hand");
    OK(yoke_array_close(x));
    OK(yoke_array_close(two));
    OK(yoke_array_close(array));
    OK(yoke_close(rt));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_and_type),
        cmocka_unit_test(of_nothing_and_not_numbers),
        cmocka_unit_test(the_same_bits_however_split),
        cmocka_unit_test(the_same_bits_of_products),
        cmocka_unit_test(in_two_and_three_dimensions),
        cmocka_unit_test(by_groups),
        cmocka_unit_test(onto_what_is_there),
        cmocka_unit_test(into_an_array),
        cmocka_unit_test(by_two_kernels),
        cmocka_unit_test(whatever_fails),
        cmocka_unit_test(devices_that_die),
        cmocka_unit_test(a_job_that_fails_changes_no_result),
        cmocka_unit_test(results_in_other_memory),
        cmocka_unit_test(mistakes),
    };
    if (argc > 1) {
        machines[1] = given = argv[1];
        machine_count = 2;
    }
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
