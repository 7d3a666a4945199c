/* test_opencl.c - what only OpenCL has: finding and naming devices, limits from settings, the
 * driver's log with the user's line numbers, lack of memory. The contract test runs the cases
 * common to all backends. */
#include <stdatomic.h>

#include "opencl_bench.h"
#include "platform/topology.h"

/* ---- finding ---- */

/* Must run first: a loaded driver stays loaded. */
static void test_no_library(void **state)
{
    (void)state;
    struct yk_device_list list = { 0 };
    struct yk_device_spec spec = { .backend = backend };
    char why[512];
    setenv("YOKE_OPENCL_LIBRARY", "libnot-there.so.9", 1);
    assert_int_equal(backend->find(&spec, 1, &list, why), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "libnot-there.so.9 cannot be loaded; correct "
                                              "YOKE_OPENCL_LIBRARY or unset it"));
    assert_string_equal(why, yoke_error_text());
    assert_int_equal(backend->find(&spec, 0, &list, why), YOKE_OK);
    assert_int_equal(list.count, 0);
    assert_true(why[0] != 0);
    setenv("YOKE_OPENCL_LIBRARY", "libm.so.6", 1); /* a library, but not OpenCL */
    assert_int_equal(backend->find(&spec, 1, &list, NULL), YOKE_ENODEV);
    unsetenv("YOKE_OPENCL_LIBRARY");
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* NVIDIA's compiler ignores line markers. */
static void test_log(void **state)
{
    (void)state;
    static const char text[] = "prelude\n"
                               "#line 12 \"a.c\"\n"
                               "twelve\n"
                               "thirteen\n"
                               "# 7 \"dir/b.h\" 1 3\n"
                               "seven\n"
                               "#define not a marker\n"
                               "nine\n"
                               "#line 40\n"
                               "forty";
    static const char *const pairs[][2] = {
        { "", "" },
        { "no place", "no place" },
        { "<kernel>:1:2: in the prelude", "<kernel>:1:2: in the prelude" },
        { "<kernel>:3:5: error", "a.c:12:5: error" },
        { "x <kernel>:4:5: and\n<kernel>:6:1: y", "x a.c:13:5: and\ndir/b.h:7:1: y" },
        { "<kernel>:8:", "dir/b.h:9:" },
        { "<kernel>:10:1", "dir/b.h:40:1" },
        { "<kernel>:", "<kernel>:" },
        { "<kernel>:x <kernel>:-3", "<kernel>:x <kernel>:-3" },
        { "<kernel>:99999999999999999999:1", "dir/b.h:41:1" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char *log = yk_opencl_log(pairs[i][0], text);
        assert_non_null(log);
        assert_string_equal(log, pairs[i][1]);
        yk_free(log);
    }
    yk_alloc_fail_at(1);
    assert_null(yk_opencl_log("<kernel>:3:5: error", text));
    yk_alloc_fail_at(0);
}

static void test_find(void **state)
{
    (void)state;
    struct yk_device_list list;
    assert_int_equal(find("", "", &list), YOKE_OK);
    assert_true(list.count >= 1);
    for (int i = 0; i < list.count; ++i) {
        const struct yk_device_desc *desc = &list.items[i];
        assert_true(desc->cores > 0 && desc->memory_bytes > 0 && desc->lanes > 0 && desc->fill > 0);
        assert_true(desc->model[0] && desc->driver[0] && !desc->host_memory);
        assert_true(desc->is_cpu || desc->lanes == 2);
    }
    assert_string_equal(list.items[0].name, "opencl:0");
    yk_device_list_close(&list);
    assert_int_equal(find("999", "", &list), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "opencl:999"));
    assert_int_equal(find("first", "", &list), YOKE_EINVAL);
    assert_int_equal(find("0x", "", &list), YOKE_EINVAL);
    assert_int_equal(find("-1", "", &list), YOKE_EINVAL);
    assert_int_equal(find("0", "units=100000", &list), YOKE_EINVAL);
    assert_int_equal(find("0", "lanes=-1", &list), YOKE_EINVAL);
    assert_int_equal(find("0", "lanes=0", &list), YOKE_EINVAL);
    assert_string_equal(yoke_error_text(), "opencl: lanes: '0' is too small; give 1 or more");
    assert_int_equal(find("0", "mem=0", &list), YOKE_EINVAL);
    assert_int_equal(find("0", "units=0", &list), YOKE_EINVAL);
    assert_int_equal(find("0", "colour=red", &list), YOKE_EINVAL);
    assert_int_equal(list.count, 0);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* Without a request a CPU is not offered, and without a GPU the driver is not even loaded. */
static void test_find_unasked(void **state)
{
    (void)state;
    struct yk_device_list list = { 0 };
    struct yk_device_spec spec = { .backend = backend };
    char why[512];
    assert_int_equal(backend->find(&spec, 0, &list, why), YOKE_OK);
    for (int i = 0; i < list.count; ++i)
        assert_false(list.items[i].is_cpu);
    if (!yk_gpu_present())
        assert_non_null(strstr(why, "no GPU is visible"));
    yk_device_list_close(&list);
    assert_int_equal(backend->find(&spec, 1, &list, why), YOKE_OK);
    assert_non_null(strstr(why, "opencl:0"));
    assert_non_null(strstr(why, list.items[0].model));
    yk_device_list_close(&list);
}

static void test_settings(void **state)
{
    (void)state;
    struct yk_device_list list;
    assert_int_equal(find("0", "mem=16M:lanes=3:units=1", &list), YOKE_OK);
    assert_int_equal(list.items[0].memory_bytes, 16 << 20);
    assert_int_equal(list.items[0].lanes, 3);
    assert_int_equal(list.items[0].cores, 1);
    yk_device_list_close(&list);
}

/* ---- memory ---- */

static void test_memory_limit(void **state)
{
    (void)state;
    struct yk_device *device = open_device("mem=1M");
    struct yk_buffer *half = NULL, *more = NULL;
    assert_int_equal(backend->memory_free(device), 1 << 20);
    assert_int_equal(backend->alloc(device, 2 << 20, &more), YOKE_ENOMEM);
    assert_non_null(strstr(yoke_error_text(), device->desc.name));
    assert_int_equal(backend->alloc(device, 1 << 19, &half), YOKE_OK);
    assert_int_equal(backend->memory_free(device), 1 << 19);
    assert_int_equal(backend->alloc(device, (1 << 19) + 1, &more), YOKE_ENOMEM);
    assert_null(more);
    backend->free(device, half);
    assert_int_equal(backend->alloc(device, 1 << 20, &more), YOKE_OK);
    assert_int_equal(backend->memory_free(device), 0);
    backend->free(device, more);
    backend->close(device);
}

/* Without a setting the device's own limit applies: allocating more and more ends with ENOMEM, not
 * with a later crash, and the memory allocated so far can be used. */
static void test_memory_all(void **state)
{
    (void)state;
    struct yk_device *device = open_device("");
    struct yk_buffer *buffers[64] = { 0 };
    int64_t most = device->desc.memory_bytes;
    assert_int_equal(backend->alloc(device, most * 2, &buffers[0]), YOKE_ENOMEM);
    int count = 0;
    yoke_status status = YOKE_OK;
    while (status == YOKE_OK && count < 64)
        status = backend->alloc(device, most / 16, &buffers[count++]);
    assert_int_equal(status, YOKE_ENOMEM);
    assert_true(count >= 2 && count <= 18);
    for (int i = 0; i < count - 1; ++i)
        backend->free(device, buffers[i]);
    backend->close(device);
}

/* ---- out of host memory anywhere ---- */

/* *state of the test below: the settings, one for each way to learn that work has ended. */
static char callback_settings[] = "wake=callback", poll_settings[] = "wake=poll";

static void count_ring(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

static yoke_status whole_life(const char *settings)
{
    atomic_int rings = 0;
    struct yk_device_list list = { 0 };
    struct yk_device *device = NULL;
    struct yk_queue *queue = NULL;
    struct yk_buffer *buffer = NULL;
    struct yk_program *program = NULL;
    struct yk_event *event = NULL;
    const yoke_kernel kernel = make_kernel("scale", scale_text, int_params, 2);
    const int32_t factor = 5;
    yoke_status status = find(device_number(), settings, &list);
    if (status == YOKE_OK)
        status = backend->open(&list.items[0], &device);
    if (status == YOKE_OK)
        status = backend->queue_open(device, &queue);
    if (status == YOKE_OK)
        status = backend->alloc(device, 4096, &buffer);
    if (status == YOKE_OK)
        status = backend->zero(queue, &(struct yk_buffer_range){ buffer, 0, 4096 }, NULL);
    if (status == YOKE_OK)
        status = backend->build(device, &kernel, &program);
    if (status == YOKE_OK) {
        const struct yk_launch_arg args[] = { { .value = &factor }, { .buffer = buffer } };
        const struct yk_launch launch = { .last = 1024, .extent = { 1, 1 }, .args = args };
        status = backend->launch(queue, program, &launch, &event);
    }
    if (status == YOKE_OK) {
        status = backend->notify(event, count_ring, &rings);
        yoke_status outcome = backend->wait(event); /* sleeps, or polls if memory is missing */
        while (status == YOKE_OK && atomic_load(&rings) == 0)
            yk_yield();
        status = status == YOKE_OK ? outcome : status;
    }
    if (device) {
        backend->event_close(event);
        backend->program_close(device, program);
        backend->free(device, buffer);
        backend->queue_close(queue);
    }
    backend->close(device);
    yk_device_list_close(&list);
    return status;
}

static void test_no_host_memory(void **state)
{
    int failed = 1;
    for (int nth = 1; failed; ++nth) {
        yk_alloc_fail_at(nth);
        yoke_status status = whole_life(*state);
        failed = yk_alloc_failed();
        yk_alloc_fail_at(0);
        assert_true(status == YOKE_OK || (failed && status == YOKE_ENOMEM));
        assert_int_equal(yk_alloc_outstanding(), 0);
        assert_true(nth < 200);
    }
}

int main(void)
{
    const struct CMUnitTest absent[] = { cmocka_unit_test(test_no_library),
                                         cmocka_unit_test(test_log) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_unasked),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_memory_all),
        cmocka_unit_test_prestate(test_no_host_memory, callback_settings),
        cmocka_unit_test_prestate(test_no_host_memory, poll_settings),
    };
    int failures = cmocka_run_group_tests(absent, NULL, NULL);
    if (!device_present())
        return failures ? 1 : 77;
    failures += cmocka_run_group_tests(tests, make_cache, remove_cache);
    return failures != 0;
}
