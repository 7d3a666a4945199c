/* test_cuda_filled.c - memory that yoke allocates is pinned as the program fills it: which part,
 * when, and under which obstacles; and all of it is unpinned exactly once. (yoke_alloc pins at once
 * if a device is open: test_cuda_alloc.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/pinner.h"
#include "base/alloc.h"
#include "job_kernels.h"
#include "ok.h"
#include "pins.h"
#include "platform/clock.h"
#include "runtime/device.h"
#include "standin.h"

enum { MIB = 1 << 20, BYTES = 8 * MIB, FLOATS = BYTES / 4, PAGE = 4096 };

/* SIGALRM ends a test that waits in vain. */
static void await_pins(const char *memory, int64_t bytes)
{
    while (pinned_of(memory, bytes) < bytes)
        yk_clock_sleep_ns(100000);
}

static int64_t resident_pages(char *memory, size_t bytes)
{
    unsigned char there[BYTES / PAGE];
    int64_t count = 0;
    assert_int_equal(mincore(memory, bytes, there), 0);
    for (size_t i = 0; i < bytes / PAGE; i++)
        count += there[i] & 1;
    return count;
}

static void what_is_filled_is_pinned(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory = yk_pages_alloc(BYTES);
    (void)state;
    memset(memory, 1, BYTES);
    await_pins(memory, BYTES);
    yoke_free(runtime, memory);
    close_all(runtime);
}

/* Pages are placed where the program writes them first. */
static void what_is_not_filled_is_left_alone(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *half = yk_pages_alloc(BYTES), *none = yk_pages_alloc(BYTES), *all = yk_pages_alloc(BYTES);
    (void)state;
    memset(half, 1, BYTES / 2);
    memset(all, 1, BYTES);
    await_pins(all, BYTES);
    await_pins(half, BYTES / 2);
    assert_int_equal(pinned_of(half, BYTES), BYTES / 2);
    assert_int_equal(pinned_of(none, BYTES), 0);
    assert_int_equal(resident_pages(none, BYTES), 0);
    memset(half + BYTES / 2, 1, BYTES / 2);
    await_pins(half, BYTES);
    yoke_free(runtime, all);
    yoke_free(runtime, none);
    close_all(runtime);
    yoke_free(NULL, half);
}

static void filled_before_the_driver_came(void **state)
{
    yoke_runtime *cores = open_runtime("cpu:1"), *gpus;
    char *memory = yk_pages_alloc(BYTES);
    (void)state;
    memset(memory, 1, BYTES);
    gpus = open_runtime("cuda:0");
    await_pins(memory, BYTES);
    OK(yoke_close(cores));
    assert_int_equal(pinned_of(memory, BYTES), BYTES);
    close_all(gpus);
    assert_int_equal(pinned_of(memory, BYTES), 0);
    gpus = open_runtime("cuda:0"); /* and again for the next runtime */
    await_pins(memory, BYTES);
    yoke_free(NULL, memory);
    close_all(gpus);
}

static void memory_of_arrays(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    yoke_array_spec spec = { .rows = FLOATS, .element_size = 4 };
    yoke_array *array;
    (void)state;
    OK(yoke_array_open(runtime, &spec, &array));
    OK(yoke_array_acquire(array, YOKE_WRITE));
    memset(yoke_array_host(array), 1, BYTES);
    await_pins(yoke_array_host(array), BYTES);
    OK(yoke_array_release(array));
    OK(yoke_array_close(array));
    close_all(runtime);
}

static void others_take_over(void **state)
{
    yoke_runtime *first = open_runtime("cuda:0"), *second = open_runtime("cuda:1");
    char *memory = yk_pages_alloc(BYTES);
    (void)state;
    for (int round = 0; round < 2; round++) {
        memset(memory, 1, BYTES);
        await_pins(memory, BYTES);
        OK(yoke_close(round ? first : second));
    }
    yoke_free(NULL, memory);
    assert_int_equal(standin_outstanding(), 0);
}

/* Memory is freed before it is pinned; memory and runtime are closed in each order. */
static void freed_in_between(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        yoke_runtime *runtime = open_runtime("cuda:0");
        char *memory = yk_pages_alloc(BYTES);
        memset(memory, 1, (size_t)(round % 5) * (BYTES / 4));
        if (round % 3 == 1)
            yk_clock_sleep_ns(50000 * round);
        if (round % 2) {
            yoke_free(runtime, memory);
            close_all(runtime);
        } else {
            close_all(runtime);
            yoke_free(runtime, memory);
        }
    }
}

static void let_pins_go(void *context)
{
    (void)context;
    yk_clock_sleep_ns(20000000);
    standin_hold("cuMemHostRegister", 0);
}

static void freed_while_a_pin_is_made(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory = yk_pages_alloc(BYTES);
    const struct yk_thread_spec spec = { .name = "let go", .cpu = -1, .run = let_pins_go };
    struct yk_thread thread;
    (void)state;
    standin_hold("cuMemHostRegister", 1);
    memset(memory, 1, BYTES);
    while (!standin_held_calls())
        yk_clock_sleep_ns(100000);
    OK(yk_thread_open(&spec, &thread));
    yoke_free(runtime, memory); /* returns only after the driver has unpinned it */
    assert_int_equal(standin_held_calls(), 0);
    yk_thread_join(&thread);
    close_all(runtime);
}

static void open_arrays(yoke_runtime *runtime, float *x, float *y, yoke_array *arrays[2])
{
    OK(yoke_array_wrap(runtime, x, FLOATS, 4, &arrays[0]));
    OK(yoke_array_wrap(runtime, y, FLOATS, 4, &arrays[1]));
}

static void close_arrays(yoke_array *arrays[2])
{
    OK(yoke_array_close(arrays[1]));
    OK(yoke_array_close(arrays[0]));
}

/* y += x, on the GPU. */
static void run_add(yoke_runtime *runtime, yoke_array *arrays[2])
{
    const float one = 1;
    yoke_job job = { .kernel = &k_saxpy,
                     .range = { 0, FLOATS },
                     .args = { yoke_value(one), yoke_in(arrays[0]), yoke_inout(arrays[1]) } };
    OK(yoke_run(runtime, &job, NULL));
}

static void add(yoke_runtime *runtime, float *x, float *y)
{
    yoke_array *arrays[2];
    open_arrays(runtime, x, y, arrays);
    run_add(runtime, arrays);
    close_arrays(arrays);
}

static void fill(float *x, float *y)
{
    for (int i = 0; i < FLOATS; i++) {
        x[i] = (float)(i % 100);
        y[i] = 1;
    }
}

static void check(const float *y)
{
    for (int i = 0; i < FLOATS; i++)
        if (y[i] != 1 + (float)(i % 100))
            fail_msg("y[%d] is %g", i, (double)y[i]);
}

/* A job does not wait for ever if the driver's pin call does not return. */
static void jobs_do_not_wait_for_a_pin_that_stands_still(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    float *x = yk_pages_alloc(BYTES), *y = yk_pages_alloc(BYTES);
    const struct yk_thread_spec spec = { .name = "let go", .cpu = -1, .run = let_pins_go };
    struct yk_thread thread;
    yoke_array *arrays[2];
    (void)state;
    standin_hold("cuMemHostRegister", 1);
    fill(x, y);
    while (!standin_held_calls())
        yk_clock_sleep_ns(100000);
    open_arrays(runtime, x, y, arrays);
    run_add(runtime, arrays);
    assert_int_equal(standin_held_calls(), 1);
    OK(yk_thread_open(&spec, &thread));
    close_arrays(arrays);
    yk_thread_join(&thread);
    check(y);
    yoke_free(runtime, x);
    yoke_free(runtime, y);
    close_all(runtime);
}

/* The program's own memory is pinned in pieces, while earlier pieces are being copied. */
static void memory_of_others_in_the_first_job(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    float *x = aligned_alloc(2 * MIB, BYTES), *y = aligned_alloc(2 * MIB, BYTES);
    const struct yk_pin_terms before = yk_pin_terms;
    long calls = standin_calls_of("cuMemHostRegister");
    (void)state;
    yk_pin_terms.slow_mib_ns = 1e9; /* independent of the real cost of pins */
    fill(x, y);
    add(runtime, x, y);
    check(y);
    assert_true(standin_calls_of("cuMemHostRegister") > calls + 1);
    yk_pin_terms = before;
    free(x);
    free(y);
    close_all(runtime);
}

static void pins_that_fail(void **state)
{
    static const struct standin_failure failures[] = {
        { 1, 2, STANDIN_ONCE, "cuMemHostRegister" },
        { 2, 2, STANDIN_ONCE, "cuMemHostRegister" },
        { 1, 1, STANDIN_ONCE, "cuMemHostRegister" },
        { 1, 712, STANDIN_ONCE, "cuMemHostRegister" },
        { 1, 800, STANDIN_ONCE, "cuMemHostRegister" }
    };
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        yoke_runtime *runtime = open_runtime("cuda:0");
        float *x = yk_pages_alloc(BYTES), *y = yk_pages_alloc(BYTES);
        standin_fail(&failures[i]);
        fill(x, y);
        while (!standin_failed())
            yk_clock_sleep_ns(100000);
        add(runtime, x, y);
        check(y);
        standin_fail(NULL);
        yoke_free(runtime, x);
        yoke_free(runtime, y);
        close_all(runtime);
    }
}

/* A device is lost while it pins memory; the other device continues. */
static void a_device_lost_in_a_pin(void **state)
{
    const struct standin_failure dies = { 1, 719, STANDIN_FOR_GOOD, "cuMemHostRegister" };
    yoke_runtime *runtime = open_runtime("cuda:0,cuda:1");
    char *memory = yk_pages_alloc(BYTES);
    (void)state;
    standin_fail(&dies);
    memset(memory, 1, BYTES);
    await_pins(memory, BYTES);
    assert_true(standin_failed());
    standin_fail(NULL);
    OK(yoke_close(runtime));
    yoke_free(NULL, memory);
    assert_int_equal(standin_outstanding(), 0);
}

/* Limits pinned memory: pinned pages cannot be swapped. */
static void no_more_than_is_good(void **state)
{
    const int64_t before = yk_pages_filled_most;
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory = yk_pages_alloc(BYTES);
    (void)state;
    yk_process_lock(&yk_pages_lock);
    yk_pages_filled_most = BYTES / 2;
    yk_process_unlock(&yk_pages_lock);
    memset(memory, 1, BYTES);
    while (pinned_of(memory, BYTES) < BYTES / 2)
        yk_clock_sleep_ns(100000);
    yk_clock_sleep_ns(5000000);
    assert_int_equal(pinned_of(memory, BYTES), BYTES / 2);
    yoke_free(runtime, memory);
    close_all(runtime);
    yk_pages_filled_most = before;
}

/* Each allocation fails in turn, including those of the map and the thread: copies then take
 * another path. */
static void without_memory(void **state)
{
    (void)state;
    for (int nth = 1; nth <= 12; nth++) {
        yoke_runtime *runtime = open_runtime("cuda:0");
        yk_alloc_fail_at(nth);
        float *x = yk_pages_alloc(BYTES), *y = yk_pages_alloc(BYTES);
        if (x && y)
            fill(x, y);
        yk_alloc_fail_at(0);
        if (x && y) {
            add(runtime, x, y);
            check(y);
        }
        yoke_free(runtime, x);
        yoke_free(runtime, y);
        close_all(runtime);
    }
}

static void children_free_it(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory = yk_pages_alloc(BYTES), *other = yk_pages_alloc(BYTES);
    int how;
    (void)state;
    memset(memory, 1, BYTES);
    for (int round = 0; round < 8; round++) { /* at any moment of the thread */
        memset(other, round, (size_t)round * (BYTES / 8));
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            yoke_free(NULL, memory);
            yoke_free(NULL, yoke_alloc(runtime, BYTES));
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
    }
    await_pins(memory, BYTES);
    yoke_free(runtime, memory);
    yoke_free(runtime, other);
    close_all(runtime);
}

static int is_foreign(struct yk_device *device, void *memory, int64_t bytes)
{
    int foreign = 0;
    assert_int_not_equal(device->backend->pin(device, memory, bytes, &foreign), YOKE_OK);
    return foreign;
}

/* Memory of cudaMallocHost, for which cuMemHostRegister does not report that it is pinned. Runs
 * without the checks of device calls, which know that host_alloc's memory is pinned and must not be
 * pinned again. */
static void pinned_by_the_program(void **state)
{
    struct standin_failure refused = { 1, 1, STANDIN_ONCE, "cuPointerGetAttribute" };
    const int checks = yk_check_devices;
    char *constant = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct yk_device *device;
    yoke_runtime *runtime;
    void *memory, *other;
    long calls;
    (void)state;
    yk_check_devices = 0;
    runtime = open_runtime("cuda:0");
    device = runtime->devices[0].device;
    OK(device->backend->host_alloc(device, BYTES, &memory));
    assert_true(is_foreign(device, (char *)memory + MIB, MIB));
    assert_false(is_foreign(device, constant, PAGE));
    assert_ptr_equal(device->backend->pinned_until(device, (char *)memory + MIB),
                     (char *)memory + BYTES);
    assert_null(device->backend->pinned_until(device, constant));
    standin_fail(&refused);
    assert_false(is_foreign(device, (char *)memory + MIB, MIB));
    for (refused.nth = 1; refused.nth <= 3; refused.nth++) {
        standin_fail(&refused);
        assert_null(device->backend->pinned_until(device, (char *)memory + MIB));
    }
    standin_fail(NULL);
    calls = standin_calls_of("cuMemHostRegister");
    OK(device->backend->host_alloc(device, BYTES, &other));
    fill(memory, other);
    add(runtime, memory, other);
    check(other);
    assert_int_equal(standin_calls_of("cuMemHostRegister"), calls); /* found without trying */
    device->backend->host_free(device, other);
    device->backend->host_free(device, memory);
    munmap(constant, PAGE);
    close_all(runtime);
    yk_check_devices = checks;
}

static int start_alarm(void **state)
{
    (void)state;
    alarm(100);
    return 0;
}

static int let_go(void **state)
{
    (void)state;
    standin_hold("cuMemHostRegister", 0);
    standin_fail(NULL);
    return 0;
}

#define A_TEST(name) cmocka_unit_test_setup_teardown(name, start_alarm, let_go)

int main(void)
{
    const struct CMUnitTest tests[] = {
        A_TEST(what_is_filled_is_pinned),
        A_TEST(what_is_not_filled_is_left_alone),
        A_TEST(filled_before_the_driver_came),
        A_TEST(memory_of_arrays),
        A_TEST(others_take_over),
        A_TEST(freed_in_between),
        A_TEST(freed_while_a_pin_is_made),
        A_TEST(jobs_do_not_wait_for_a_pin_that_stands_still),
        A_TEST(memory_of_others_in_the_first_job),
        A_TEST(pins_that_fail),
        A_TEST(a_device_lost_in_a_pin),
        A_TEST(no_more_than_is_good),
        A_TEST(without_memory),
        A_TEST(children_free_it),
        A_TEST(pinned_by_the_program),
    };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
