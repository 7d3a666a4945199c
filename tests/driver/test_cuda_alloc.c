/* test_cuda_alloc.c - memory of yoke_alloc, and of arrays that the program acquires, is pinned when
 * the program gets it, if a device that pins is open; and if it cannot be, the program gets it soon
 * all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/pinner.h"
#include "base/alloc.h"
#include "ok.h"
#include "pins.h"
#include "platform/clock.h"
#include "standin.h"

/* Several threads touch LARGE, one touches SMALL. No whole number of large pages. */
enum { MIB = 1 << 20, LARGE = 37 * MIB + 4096, SMALL = 4 * MIB };
enum { PATIENCE_NS = 1000000000 };

/* A wait for a pin is bounded by the cost of a copy, which is guessed too low for a sanitizer. */
static void be_patient(void)
{
    yk_pin_terms.slow_mib_ns = PATIENCE_NS;
}

static void pinned_at_once(void **state)
{
    const size_t sizes[] = { SMALL, LARGE };
    yoke_runtime *runtime = open_runtime("cuda:0");
    (void)state;
    be_patient();
    for (int i = 0; i < 2; i++) {
        char *memory = yoke_alloc(runtime, sizes[i]);
        assert_int_equal(pinned_of(memory, (int64_t)sizes[i]), sizes[i]);
        for (size_t at = 0; at < sizes[i]; at++)
            if (memory[at])
                fail_msg("byte %zu is not zero", at);
        yoke_free(runtime, memory);
    }
    close_all(runtime);
}

/* An array's memory is pinned when the program first acquires all of it, and keeps its contents. */
static void arrays_when_acquired(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    const yoke_array_spec spec = { .rows = SMALL, .element_size = 1 };
    yoke_array *array;
    unsigned char *host;
    (void)state;
    be_patient();
    OK(yoke_array_open(runtime, &spec, &array));
    host = yoke_array_host(array);
    assert_int_equal(yk_pages_resident(yk_pin_pages(host, SMALL)), 0);
    for (size_t at = 0; at < SMALL; at += 1024)
        host[at] = (unsigned char)(at >> 10);
    OK(yoke_array_acquire(array, YOKE_READ_WRITE));
    assert_int_equal(pinned_of((char *)host, SMALL), SMALL);
    for (size_t at = 0; at < SMALL; at++)
        if (host[at] != (at % 1024 ? 0 : (unsigned char)(at >> 10)))
            fail_msg("byte %zu is %d", at, host[at]);
    OK(yoke_array_release(array));
    OK(yoke_array_close(array));
    close_all(runtime);
}

static void small_memory_is_not(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory = yoke_alloc(runtime, SMALL / 2);
    (void)state;
    assert_int_equal(pinned_of(memory, SMALL / 2), 0);
    yoke_free(runtime, memory);
    close_all(runtime);
}

/* Without a device, and above the limit, memory is not even touched. */
static void left_alone(void **state)
{
    const int64_t before = yk_pages_filled_most;
    yoke_runtime *cores = open_runtime("cpu:1"), *runtime;
    char *memory = yoke_alloc(cores, LARGE);
    (void)state;
    assert_int_equal(yk_pages_resident(yk_pin_pages(memory, MIB)), 0);
    yoke_free(cores, memory);
    runtime = open_runtime("cuda:0");
    yk_process_lock(&yk_pages_lock);
    yk_pages_filled_most = LARGE / 2;
    yk_process_unlock(&yk_pages_lock);
    memory = yoke_alloc(runtime, LARGE);
    assert_int_equal(yk_pages_resident(yk_pin_pages(memory, MIB)), 0);
    assert_int_equal(pinned_of(memory, LARGE), 0);
    yoke_free(runtime, memory);
    OK(yoke_close(cores));
    close_all(runtime);
    yk_pages_filled_most = before;
}

/* The driver's pin call does not return: the program gets its memory. */
static void a_driver_that_stands_still(void **state)
{
    yoke_runtime *runtime = open_runtime("cuda:0");
    char *memory;
    (void)state;
    standin_hold("cuMemHostRegister", 1);
    memory = yoke_alloc(runtime, LARGE);
    assert_non_null(memory);
    assert_int_equal(standin_held_calls(), 1);
    memset(memory, 1, LARGE);
    standin_hold("cuMemHostRegister", 0);
    yoke_free(runtime, memory);
    close_all(runtime);
}

static void a_driver_that_refuses(void **state)
{
    static const struct standin_failure failures[] = {
        { 1, 2, STANDIN_FOR_GOOD, "cuMemHostRegister" },
        { 2, 2, STANDIN_ONCE, "cuMemHostRegister" },
        { 1, 719, STANDIN_FOR_GOOD, "cuMemHostRegister" },
    };
    (void)state;
    be_patient();
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        yoke_runtime *runtime = open_runtime("cuda:0");
        const int64_t start = yk_clock_ns();
        char *memory;
        standin_fail(&failures[i]);
        memory = yoke_alloc(runtime, LARGE);
        assert_non_null(memory);
        assert_true(standin_failed());
        assert_true(pinned_of(memory, LARGE) < LARGE);
        assert_true(yk_clock_ns() - start < 20 * (int64_t)PATIENCE_NS); /* it does not wait */
        memset(memory, 1, LARGE);
        standin_fail(NULL);
        yoke_free(runtime, memory);
        close_all(runtime);
    }
}

/* Each allocation and thread fails in turn. */
static void without_memory(void **state)
{
    int there = 0;
    (void)state;
    for (int nth = 1; nth <= 12; nth++) {
        yoke_runtime *runtime = open_runtime("cuda:0");
        yk_alloc_fail_at(nth);
        char *memory = yoke_alloc(runtime, LARGE);
        yk_alloc_fail_at(0);
        if (memory)
            memset(memory, 1, LARGE);
        there += memory != NULL;
        yoke_free(runtime, memory);
        close_all(runtime);
    }
    assert_in_range(there, 8, 11);
}

static int set_up(void **state)
{
    static struct yk_pin_terms terms;
    if (!*state)
        terms = yk_pin_terms;
    *state = &terms;
    alarm(100);
    return 0;
}

static int tear_down(void **state)
{
    yk_pin_terms = *(struct yk_pin_terms *)*state;
    standin_hold("cuMemHostRegister", 0);
    standin_fail(NULL);
    return 0;
}

#define A_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        A_TEST(pinned_at_once), A_TEST(arrays_when_acquired),       A_TEST(small_memory_is_not),
        A_TEST(left_alone),     A_TEST(a_driver_that_stands_still), A_TEST(a_driver_that_refuses),
        A_TEST(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
