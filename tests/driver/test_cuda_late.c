/* test_cuda_late.c - a GPU is still building its kernel while the other devices finish the job.
 *
 * One of two GPUs fails even then, and the late GPU does the whole job:
 *
 *     cuda:0   build, all chunks ................ folds its sums: lost
 *     cuda:1   build ................ too late, sleeps ........................ does all
 *
 * Both use the real backend. The test only delays the return of their builds, and the fold, until
 * the other device has reached the required state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "job/runtime.h"
#include "job_kernels.h"
#include "platform/clock.h"
#include "standin.h"

enum { ITEMS = 600, BINS = 5, FIRST = 0, LATE = 1 };

static struct {
    const struct yk_backend *real;
    struct yk_backend held[2];
    struct yk_worker *late_worker;
    struct yk_program *fold; /* the first device's, of one of the sums */
    atomic_int late_builds, first_ends, late_has_built;
} stage;

static void wait_for(const atomic_int *flag)
{
    while (!atomic_load(flag))
        yk_clock_sleep_ns(100000);
}

static yoke_status build_first(struct yk_device *device, const yoke_kernel *kernel,
                               struct yk_program **out)
{
    wait_for(&stage.late_builds);
    yoke_status status = stage.real->build(device, kernel, out);
    if (strncmp(kernel->name, "yk_fold", 7) == 0)
        stage.fold = *out;
    return status;
}

static yoke_status build_late(struct yk_device *device, const yoke_kernel *kernel,
                              struct yk_program **out)
{
    atomic_store(&stage.late_builds, 1);
    wait_for(&stage.first_ends);
    yoke_status status = stage.real->build(device, kernel, out);
    atomic_store(&stage.late_has_built, 1);
    return status;
}

/* Once its thread sleeps, the late device has seen that no work is left for it. */
static yoke_status launch_first(struct yk_queue *queue, struct yk_program *program,
                                const struct yk_launch *launch, struct yk_event **event)
{
    const struct standin_failure failure = { 1, 719, STANDIN_FOR_GOOD, "cuLaunchKernel" };
    if (program == stage.fold && !atomic_exchange(&stage.first_ends, 1)) {
        wait_for(&stage.late_has_built);
        wait_for(&stage.late_worker->asleep);
        standin_fail(&failure);
    }
    return stage.real->launch(queue, program, launch, event);
}

static void hold_back(yoke_runtime *runtime)
{
    stage.late_worker = runtime->devices[LATE].workers;
    stage.real = runtime->devices[FIRST].device->backend;
    for (int d = 0; d < 2; d++) {
        stage.held[d] = *stage.real;
        runtime->devices[d].device->backend = &stage.held[d];
    }
    stage.held[FIRST].build = build_first;
    stage.held[FIRST].launch = launch_first;
    stage.held[LATE].build = build_late;
}

static void a_late_gpu_does_it_all(void **state)
{
    const int32_t bins = BINS;
    static int32_t keys[ITEMS];
    uint32_t h[BINS] = { 0 };
    float w[BINS] = { 0 };
    yoke_runtime *runtime;
    yoke_array *arrays[3];
    (void)state;
    for (int i = 0; i < ITEMS; i++)
        keys[i] = i;
    alarm(60);
    assert_int_equal(yoke_open(&(yoke_config){ .devices = "cuda:0,cuda:1" }, &runtime), YOKE_OK);
    hold_back(runtime);
    assert_int_equal(yoke_array_wrap(runtime, keys, ITEMS, 4, &arrays[0]), YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, h, BINS, 4, &arrays[1]), YOKE_OK);
    assert_int_equal(yoke_array_wrap(runtime, w, BINS, 4, &arrays[2]), YOKE_OK);
    yoke_job job = { .kernel = &k_histogram,
                     .range = { 0, ITEMS },
                     .partitioner = "dynamic:chunk=50",
                     .args = { yoke_value(bins), yoke_in(arrays[0]), yoke_add_to(arrays[1]),
                               yoke_add_to(arrays[2]) } };
    assert_int_equal(yoke_run(runtime, &job, NULL), YOKE_OK);
    assert_true(standin_failed());
    for (int a = 0; a < 3; a++)
        assert_int_equal(yoke_array_close(arrays[a]), YOKE_OK);
    for (int bin = 0; bin < BINS; bin++) {
        assert_int_equal(h[bin], ITEMS / BINS);
        assert_true(w[bin] == 0.5f * ITEMS / BINS);
    }
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
}

static atomic_int jobs_are_done;

static yoke_status build_after_all_jobs(struct yk_device *device, const yoke_kernel *kernel,
                                        struct yk_program **out)
{
    wait_for(&jobs_are_done);
    return stage.real->build(device, kernel, out);
}

static void slowly(void *const *args, const yoke_chunk *chunk)
{
    yk_clock_sleep_ns(1000 * (chunk->last - chunk->first));
    k_saxpy.cpu.variant[0](args, chunk);
}

static void run_jobs(yoke_runtime *runtime, int count)
{
    yoke_kernel kernel = k_saxpy;
    float x[ITEMS], y[ITEMS] = { 0 };
    memset(kernel.cpu.variant, 0, sizeof kernel.cpu.variant);
    kernel.cpu.variant[0] = slowly;
    for (int i = 0; i < ITEMS; i++)
        x[i] = (float)i;
    for (int job = 0; job < count; job++)
        assert_int_equal(yoke_for(runtime, &kernel, ITEMS, 1.0f, x, y), YOKE_OK);
    for (int i = 0; i < ITEMS; i++)
        assert_true(y[i] == (float)count * x[i]);
}

/* The first process learns that the GPU is best alone, so the second one plans it alone. */
static void no_job_waits_for_a_build(void **state)
{
    const yoke_config config = { .devices = "cpu:1,cuda:0", .knowledge = "late-knowledge.db" };
    yoke_runtime *runtime;
    (void)state;
    alarm(60);
    remove(config.knowledge);
    assert_int_equal(yoke_open(&config, &runtime), YOKE_OK);
    run_jobs(runtime, 300);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    assert_int_equal(yoke_open(&config, &runtime), YOKE_OK);
    stage.real = runtime->devices[1].device->backend;
    stage.held[0] = *stage.real;
    stage.held[0].build = build_after_all_jobs;
    runtime->devices[1].device->backend = &stage.held[0];
    run_jobs(runtime, 20);
    atomic_store(&jobs_are_done, 1);
    assert_int_equal(yoke_close(runtime), YOKE_OK);
    assert_int_equal(standin_outstanding(), 0);
    remove(config.knowledge);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_late_gpu_does_it_all),
                                        cmocka_unit_test(no_job_waits_for_a_build) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
