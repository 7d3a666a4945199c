/* test_cuda_calls.c - the number of driver calls for a job on several GPUs that redistribute an
 * array: each call costs microseconds under the driver's locks, and all GPUs make theirs at once.
 * A job on new arrays finds the memory of closed ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/broadcast.h"
#include "expected_calls.h"
#include "job_kernels.h"

enum {
    GPUS = 4,
    ROWS = 1 << 15,
    WARM_UP = 12,
    JOBS = 4
}; /* a share is small enough to need no staging */

static yoke_runtime *runtime;
static yoke_array *all, *own, *made;
static int32_t *alls, *owns, *mades;

/* Whole pages. A page shared with other memory, or partly pinned memory, would be copied
 * separately, so the environment of this test pins nothing. */
static int32_t *alloc(yoke_array **array)
{
    int32_t *host = yoke_alloc(runtime, ROWS * sizeof *host);
    assert_non_null(host);
    assert_int_equal(yoke_array_wrap(runtime, host, ROWS, sizeof *host, array), YOKE_OK);
    return host;
}

/* Writes new values on the host, so that they have to be copied. */
static void fill(int job)
{
    assert_int_equal(yoke_array_acquire(all, YOKE_WRITE), YOKE_OK);
    assert_int_equal(yoke_array_acquire(own, YOKE_WRITE), YOKE_OK);
    for (int i = 0; i < ROWS; i++) {
        alls[i] = i + job;
        owns[i] = 3 * i;
    }
    assert_int_equal(yoke_array_release(all), YOKE_OK);
    assert_int_equal(yoke_array_release(own), YOKE_OK);
}

static void run(int job)
{
    const int64_t rows = ROWS;
    const yoke_job spec = { .kernel = &k_shares,
                            .range = { 0, ROWS },
                            .partitioner = "even",
                            .args = { yoke_value(rows), yoke_in_whole(all), yoke_inout_home(own),
                                      yoke_out_home(made) } };
    fill(job);
    assert_int_equal(yoke_run(runtime, &spec, NULL), YOKE_OK);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(owns[i], 3 * i + (7 * i + 1) % ROWS + job);
        assert_int_equal(mades[i], owns[i] + 1);
    }
}

static const struct expected_calls expected[] = {
    { "cuMemcpyHtoDAsync", 2 * GPUS, 2 * GPUS }, /* its part of the shared array, and its rows */
    { "cuMemcpyPeerAsync", 0, 0 }, /* a kernel takes such small parts from another GPU */
    { "cuLaunchKernel", GPUS *(1 + GPUS - 1), GPUS *(1 + GPUS - 1) },
    { "cuMemcpyDtoHAsync", 2 * GPUS, 2 * GPUS },
    /* One for each part from another GPU, two for the kernel, one for the copy of the results. */
    { "cuStreamWaitEvent", 0, GPUS *(GPUS - 1 + 2 + 1) },
    /* Uploads, parts from other GPUs, the kernel; each copy of results twice, as a thread may sleep
     * until its end. */
    { "cuEventRecord", 0, GPUS *(2 + GPUS - 1 + 1 + 2 * 2) },
    { "cuEventCreate", 0, 0 },
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void no_more_calls_than_these(void **state)
{
    (void)state;
    for (int job = 0; job < WARM_UP; job++) /* events are created and kept */
        run(job);
    const long asked = standin_calls_of("cuMemGetInfo");
    for (int job = WARM_UP; job < WARM_UP + JOBS; job++)
        expect_calls(expected, EXPECTED, run, job);
    /* Free memory is queried only now and then, by the clock, while a GPU is waited for. */
    assert_true(standin_calls_of("cuMemGetInfo") - asked <= GPUS);
}

/* A step of a stencil. Its results stay on the GPUs. */
static void run_stencil(int step)
{
    const bounds_t bounds = { 0, ROWS, 1 };
    const yoke_job spec = { .kernel = &k_blur,
                            .range = { 0, ROWS },
                            .partitioner = "even",
                            .args = { yoke_value(bounds), yoke_in_halo(step % 2 ? made : own, 1, 1),
                                      yoke_out(step % 2 ? own : made) } };
    assert_int_equal(yoke_run(runtime, &spec, NULL), YOKE_OK);
}

/* A neighbour's row is taken in the kernel's own queue, so that the kernel waits for no event. */
static void a_halo_goes_with_its_kernel(void **state)
{
    static const struct expected_calls halo[] = {
        { "cuLaunchKernel", GPUS + 2 * (GPUS - 1), GPUS + 2 * (GPUS - 1) },
        { "cuMemcpyPeerAsync", 0, 0 },
        { "cuMemcpyHtoDAsync", 0, 0 },
        { "cuStreamWaitEvent", 0, 0 },
    };
    (void)state;
    for (int step = 0; step < WARM_UP; step++)
        run_stencil(step);
    for (int step = WARM_UP; step < WARM_UP + JOBS; step++)
        expect_calls(halo, sizeof halo / sizeof *halo, run_stencil, step);
}

/* k_index on an array of its own. */
static void run_on_new_array(int rows)
{
    const int32_t offset = 7;
    int32_t *host = calloc((size_t)rows, sizeof *host);
    yoke_array *array;
    assert_non_null(host);
    assert_int_equal(yoke_array_wrap(runtime, host, rows, sizeof *host, &array), YOKE_OK);
    const yoke_job job = { .kernel = &k_index,
                           .range = { 0, rows },
                           .partitioner = "even",
                           .args = { yoke_value(offset), yoke_out(array) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_int_equal(yoke_array_close(array), YOKE_OK);
    for (int i = 0; i < rows; i++)
        assert_int_equal(host[i], i + offset);
    free(host);
}

static void closed_arrays_leave_their_memory(void **state)
{
    static const struct expected_calls none[] = { { "cuMemAlloc", 0, 0 },
                                                  { "cuMemCreate", 0, 0 },
                                                  { "cuMemFree", 0, 0 },
                                                  { "cuMemUnmap", 0, 0 } };
    static const struct expected_calls small[] = { { "cuMemAlloc", GPUS, GPUS } };
    static const struct expected_calls large[] = { { "cuMemCreate", GPUS, GPUS } };
    (void)state;
    expect_calls(small, 1, run_on_new_array, ROWS + 1);
    expect_calls(large, 1, run_on_new_array, 16 * ROWS);
    expect_calls(none, 4, run_on_new_array, ROWS + 1);
    expect_calls(none, 4, run_on_new_array, 16 * ROWS);
    expect_calls(small, 1, run_on_new_array, ROWS + 2);
}

static int setup(void **state)
{
    const yoke_config config = { .devices = "cuda:0,cuda:1,cuda:2,cuda:3" };
    (void)state;
    yk_broadcast_least_bytes = 1 << 14;
    if (yoke_open(&config, &runtime) != YOKE_OK) {
        print_error("%s\n", yoke_error_text());
        return -1;
    }
    alls = alloc(&all);
    owns = alloc(&own);
    mades = alloc(&made);
    return 0;
}

static int teardown(void **state)
{
    yoke_array *const arrays[] = { all, own, made };
    int32_t *const memory[] = { alls, owns, mades };
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(yoke_array_close(arrays[i]), YOKE_OK);
        yoke_free(runtime, memory[i]);
    }
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_calls_than_these),
        cmocka_unit_test(a_halo_goes_with_its_kernel),
        cmocka_unit_test(closed_arrays_leave_their_memory),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, setup, teardown);
}
