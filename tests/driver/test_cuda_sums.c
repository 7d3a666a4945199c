/* test_cuda_sums.c - the number of driver calls for a job with sums on several GPUs: a kernel and a
 * fold for each sum, with an event. The folds write into the host's memory and leave the copies
 * zeroed, so nothing is copied home, and nothing is cleared for the next job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "expected_calls.h"
#include "job_kernels.h"

enum { GPUS = 2, ROWS = 1 << 15, BINS = 5, WARM_UP = 12, JOBS = 4 };

static const struct expected_calls expected[] = {
    { "cuMemsetD8Async", 0, 0 },
    { "cuMemcpyHtoDAsync", 0, 0 },
    { "cuMemcpyDtoHAsync", 0, 0 },
    { "cuStreamWaitEvent", 0, 0 },
    { "cuLaunchKernel", 3 * GPUS, 3 * GPUS },
    /* The last one twice, as a thread may sleep until it. */
    { "cuEventRecord", 0, 4 * GPUS },
    { "cuEventCreate", 0, 0 },
};
enum { EXPECTED = sizeof expected / sizeof *expected };

struct sums {
    uint32_t h[BINS];
    float w[BINS];
};

static yoke_runtime *runtime;
static yoke_array *x;

static void add_up(int number)
{
    (void)number;
    const int32_t bins = BINS;
    struct sums sums = { .h = { 0 } };
    yoke_array *h, *w;
    assert_int_equal(yoke_array_wrap(runtime, sums.h, BINS, sizeof *sums.h, &h), YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, sums.w, BINS, sizeof *sums.w, &w), YOKE_OK);
    const yoke_job job = { .kernel = &k_histogram,
                           .range = { 0, ROWS },
                           .partitioner = "even",
                           .args = { yoke_value(bins), yoke_in(x), yoke_add_to(h),
                                     yoke_add_to(w) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(h), YOKE_OK);
    assert_int_equal(yoke_array_close(w), YOKE_OK);
    for (int b = 0; b < BINS; b++) {
        const uint32_t count = ROWS / BINS + (b < ROWS % BINS);
        assert_int_equal(sums.h[b], count);
        assert_true(sums.w[b] == 0.5f * (float)count);
    }
}

static void no_more_calls_than_these(void **state)
{
    static int32_t keys[ROWS];
    const yoke_config config = { .devices = "cuda:0,cuda:1" };
    (void)state;
    for (int i = 0; i < ROWS; i++)
        keys[i] = i;
    assert_int_equal(yoke_open(&config, &runtime), YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, keys, ROWS, sizeof *keys, &x), YOKE_OK);
    for (int job = 0; job < WARM_UP; job++) /* events are created and kept */
        add_up(job);
    for (int job = WARM_UP; job < WARM_UP + JOBS; job++)
        expect_calls(expected, EXPECTED, add_up, job);
    assert_int_equal(yoke_array_close(x), YOKE_OK);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_calls_than_these),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
