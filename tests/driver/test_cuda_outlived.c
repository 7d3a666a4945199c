/* test_cuda_outlived.c - a GPU is left behind with a kernel that ends later, when a core has done
 * its part of the reduction and before the host folds: what it writes then spoils nothing.
 *
 *     cuda:0   launch, left ....................... writes wrong results
 *     cpu      its part, the GPU's part, the fold waits .............. folds */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/stalled.h"
#include "base/status.h"
#include "job/runtime.h"
#include "ok.h"
#include "platform/clock.h"

extern const yoke_kernel k_late_sum;

enum { N = 20000, GPU = 1, WATCHED_BYTES = 1 << 15, UNTOUCHED = 0x55 };

/* Objects of such a device are leaked on purpose. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static int32_t xs[N];
static yoke_runtime *runtime;
static atomic_int gate;
static struct {
    const struct yk_backend *real;
    struct yk_backend table;
    atomic_int launches, is_left, written;
} gpu;

static yoke_status launch(struct yk_queue *queue, struct yk_program *program,
                          const struct yk_launch *spec, struct yk_event **event)
{
    yoke_status status = gpu.real->launch(queue, program, spec, event);
    atomic_fetch_add(&gpu.launches, 1);
    return status;
}

static int poll(struct yk_event *event, yoke_status *outcome)
{
    if (!atomic_load(&gpu.launches))
        return gpu.real->poll(event, outcome);
    if (!atomic_exchange(&gpu.is_left, 1))
        yk_device_break_off(runtime->devices[GPU].device);
    *outcome = yk_fail(YOKE_EDEVICE, "cuda:0 was left");
    return 1;
}

static struct yk_slot *slots(void)
{
    return runtime->devices[GPU].place->stage.down;
}

static int is_touched(const char *memory)
{
    for (int i = 0; i < WATCHED_BYTES; i++)
        if (((volatile const char *)memory)[i] != UNTOUCHED)
            return 1;
    return 0;
}

/* SIGALRM ends a test that waits in vain. */
static void fold_late(int p, void *total, const void *from, int64_t count)
{
    atomic_store(&gate, 0);
    while (!atomic_load(&gpu.written)) {
        for (int i = 0; i < YK_STAGE_DOWN; i++)
            if (is_touched(slots()[i].memory))
                atomic_store(&gpu.written, 1);
        yk_clock_sleep_ns(1000000);
    }
    yk_clock_sleep_ns(50000000); /* the other blocks */
    k_late_sum.fold(p, total, from, count);
}

static int64_t sum_of(const yoke_kernel *kernel, const atomic_int *word)
{
    const int64_t address = (int64_t)(intptr_t)word;
    int64_t sum = 0;
    yoke_array *x;
    OK(yoke_array_wrap(runtime, xs, N, sizeof *xs, &x));
    yoke_job job = { .kernel = kernel,
                     .range = { 0, N },
                     .partitioner = "static:shares=0.5/0.5:chunks=1",
                     .args = { yoke_value(address), yoke_in(x), yoke_reduce_to(&sum) } };
    OK(yoke_run(runtime, &job, NULL));
    OK(yoke_array_close(x));
    return sum;
}

static void a_kernel_ends_late(void **state)
{
    yoke_kernel late = k_late_sum;
    struct yk_device *device;
    (void)state;
    alarm(60);
    for (int i = 0; i < N; i++)
        xs[i] = i;
    runtime = open_runtime("cpu:1,cuda:0");
    assert_int_equal(sum_of(&k_late_sum, NULL), (int64_t)N * (N - 1) / 2);
    device = runtime->devices[GPU].device;
    gpu.real = device->backend;
    gpu.table = *gpu.real;
    gpu.table.launch = launch;
    gpu.table.poll = poll;
    device->backend = &gpu.table;
    for (int i = 0; i < YK_STAGE_DOWN; i++)
        memset(slots()[i].memory, UNTOUCHED, WATCHED_BYTES);
    late.fold = fold_late;
    atomic_store(&gate, 1);
    assert_int_equal(sum_of(&late, &gate), (int64_t)N * (N - 1) / 2);
    assert_true(atomic_load(&gpu.launches) == 1 && atomic_load(&gpu.written));
    assert_int_equal(sum_of(&k_late_sum, NULL), (int64_t)N * (N - 1) / 2);
    OK(yoke_close(runtime));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_kernel_ends_late) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed);
}
