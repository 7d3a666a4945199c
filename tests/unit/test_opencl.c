/* test_opencl.c - what is particular to OpenCL: finding and naming devices, limits from settings,
 * compile errors in the user's words, the disk cache, source and functions by hand, sleeping while
 * the device works. The contract test runs the cases that every backend shares.
 *
 * Uses the first OpenCL device there is (PoCL on a machine without a GPU); skipped without any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yoke/job.h>

#include "backend/backend.h"
#include "backend/cache.h"
#include "backend/opencl/opencl.h"
#include "base/alloc.h"
#include "base/status.h"
#include "platform/clock.h"
#include "platform/topology.h"

#define LINE_MARK   "#line 12 \"user_kernels.c\"\n"
#define RANGE       "long yk_first, long yk_last, long yk_size2, long yk_size3"
#define ARRAY(T, n) "__global " T " *" n ", long " n "_shift"
#define AT(T, n, i) "((__global " T " *)((__global char *)" n " + " n "_shift))[" i "]"

/* Texts as the flattening of a kernel file leaves them. */
static const char scale_text[] =
    LINE_MARK "__kernel void yoke_entry_scale(" RANGE ", int factor, " ARRAY(
        "int", "x") ")\n"
                    "{\n"
                    "    long i = yk_first + (long)get_global_id(0);\n"
                    "    if (i < yk_last) " AT("int32_t", "x", "i") " *= factor;\n"
                                                                    "}\n";
static const char broken_text[] =
    LINE_MARK "__kernel void yoke_entry_broken(" RANGE
              ", int factor, " ARRAY("int", "x") ")\n"
                                                 "{\n"
                                                 "    x[0] = no_such_name;\n"
                                                 "}\n";
static const char index_text[] = LINE_MARK
    "__kernel void yoke_entry_index(" RANGE
    ", " ARRAY("int", "x") ")\n"
                           "{\n"
                           "    long k = get_global_id(0);\n"
                           "    if (k >= yk_size3) return;\n"
                           "    YK_OUTER(i, yk_first, yk_last, 2) {\n"
                           "        YK_OUTER(j, 0, yk_size2, 1)\n"
                           "            " AT(
                               "int", "x", "(i * yk_size2 + j) * yk_size3 + k") " += 1 + (int)i;\n"
                                                                                "    }\n"
                                                                                "}\n";
static const char group_text[] = LINE_MARK
    "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void yoke_entry_group(" RANGE
    ", " ARRAY("int", "x") ")\n"
                           "{\n"
                           "    long i = yk_first + (long)get_group_id(0) * 4 + get_local_id(0);\n"
                           "    if (get_local_id(0) < 4 && i < yk_last) " AT(
                               "int", "x", "i") " += (int)get_local_size(0);\n"
                                                "}\n";
static const char slow_text[] =
    LINE_MARK "__kernel void yoke_entry_slow(" RANGE ", int rounds, " ARRAY(
        "float", "x") ")\n"
                      "{\n"
                      "    long i = yk_first + (long)get_global_id(0);\n"
                      "    if (i >= yk_last) return;\n"
                      "    float a = (float)i;\n"
                      "    for (int r = 0; r < rounds; ++r) a = a * 0.999f + 0.5f;\n"
                      "    " AT("float", "x", "i") " = a;\n"
                                                   "}\n";
static const char by_hand_text[] =
    "__kernel void add_seven(" RANGE
    ", " ARRAY("int", "x") ")\n"
                           "{\n"
                           "    for (long i = yk_first + (long)get_global_id(0); i < yk_last; i += "
                           "get_global_size(0))\n"
                           "        " AT("int", "x", "i") " += 7;\n"
                                                          "}\n";

static const yoke_param int_params[] = {
    { YOKE_PARAM_VALUE, "int32_t", "factor", 4, 4 },
    { YOKE_PARAM_INOUT, "int32_t", "x", 4, 4 },
};
static const yoke_param slow_params[] = {
    { YOKE_PARAM_VALUE, "int32_t", "rounds", 4, 4 },
    { YOKE_PARAM_OUT, "float", "x", 4, 4 },
};

static yoke_kernel make_kernel(const char *name, const char *text, const yoke_param *params,
                               int param_count)
{
    yoke_kernel kernel = { .struct_size = sizeof kernel,
                           .name = name,
                           .file = "user_kernels.c",
                           .params = params,
                           .param_count = param_count };
    kernel.opencl.source.text = text;
    return kernel;
}

static const struct yk_backend *const backend = &yk_backend_opencl;
static char cache_folder[64];

static yoke_status find(const char *selector, const char *settings, struct yk_device_list *list)
{
    struct yk_device_spec spec = { .backend = backend };
    snprintf(spec.selector, sizeof spec.selector, "%s", selector);
    snprintf(spec.settings, sizeof spec.settings, "%s", settings);
    *list = (struct yk_device_list){ 0 };
    return backend->find(&spec, 1, list, NULL);
}

/* The device all cases use: the first, or the one whose number YOKE_TEST_OPENCL gives. */
static const char *device_number(void)
{
    const char *number = getenv("YOKE_TEST_OPENCL");
    return number ? number : "0";
}

/* It, with these settings. */
static struct yk_device *open_device(const char *settings)
{
    struct yk_device_list list;
    struct yk_device *device = NULL;
    assert_int_equal(find(device_number(), settings, &list), YOKE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(backend->open(&list.items[0], &device), YOKE_OK);
    yk_device_list_close(&list);
    return device;
}

/* A device with a queue and an array of `count` zeroed 4-byte elements. */
struct fixture {
    struct yk_device *device;
    struct yk_queue *queue;
    struct yk_buffer *buffer;
    int32_t *host;
    int64_t count;
};

static struct fixture open_fixture(const char *settings, int64_t count)
{
    struct fixture f = { .device = open_device(settings), .count = count };
    assert_int_equal(backend->queue_open(f.device, &f.queue), YOKE_OK);
    assert_int_equal(backend->alloc(f.device, count * 4, &f.buffer), YOKE_OK);
    assert_int_equal(backend->zero(f.queue, f.buffer, 0, count * 4, NULL), YOKE_OK);
    f.host = calloc((size_t)count, 4);
    assert_non_null(f.host);
    return f;
}

static void close_fixture(struct fixture *f)
{
    backend->queue_close(f->queue);
    backend->free(f->device, f->buffer);
    backend->close(f->device);
    free(f->host);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static void copy_now(struct fixture *f, enum yk_copy_kind kind)
{
    struct yk_event *event = NULL;
    const struct yk_copy copy = {
        .kind = kind, .host = f->host, .buffer = f->buffer, .bytes = f->count * 4
    };
    assert_int_equal(backend->copy(f->queue, &copy, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
}

static void launch_now(struct fixture *f, const yoke_kernel *kernel, const struct yk_launch *launch)
{
    struct yk_program *program = NULL;
    struct yk_event *event = NULL;
    yoke_status status = backend->build(f->device, kernel, &program);
    if (status != YOKE_OK)
        print_error("%s\n", yoke_error_text());
    assert_int_equal(status, YOKE_OK);
    assert_int_equal(backend->launch(f->queue, program, launch, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_close(event);
    backend->program_close(f->device, program);
}

/* ---- finding ---- */

/* Runs first: once a driver is loaded it stays. */
static void test_no_library(void **state)
{
    (void)state;
    struct yk_device_list list = { 0 };
    struct yk_device_spec spec = { .backend = backend };
    char why[512];
    setenv("YOKE_OPENCL_LIBRARY", "libnot-there.so.9", 1);
    assert_int_equal(backend->find(&spec, 1, &list, why), YOKE_ENODEV);
    assert_non_null(strstr(yoke_error_text(), "install"));
    assert_non_null(strstr(why, "libOpenCL.so.1 is missing"));
    assert_int_equal(backend->find(&spec, 0, &list, why), YOKE_OK);
    assert_int_equal(list.count, 0);
    assert_true(why[0] != 0);
    setenv("YOKE_OPENCL_LIBRARY", "libm.so.6", 1); /* a library, but of something else */
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
    assert_int_equal(find("0", "colour=red", &list), YOKE_EINVAL);
    assert_int_equal(list.count, 0);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

/* Nobody asked: a CPU is not offered, and without a GPU the driver is not even loaded. */
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

/* Without a limit the device's own holds: asking for ever more ends with ENOMEM, not with a crash
 * later, and what was given can be used. */
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

/* ---- kernels ---- */

static void test_window(void **state)
{
    (void)state;
    /* The buffer is a window on global elements 1000 .. 1999; the chunk is 1100 .. 1899. */
    struct fixture f = open_fixture("", 1000);
    const yoke_kernel kernel = make_kernel("scale", scale_text, int_params, 2);
    const int32_t factor = -3;
    for (int i = 0; i < 1000; ++i)
        f.host[i] = i;
    copy_now(&f, YK_COPY_TO_DEVICE);
    const struct yk_launch_arg args[] = { { .value = &factor },
                                          { .buffer = f.buffer, .shift = -1000 * 4 } };
    launch_now(
        &f, &kernel,
        &(struct yk_launch){ .first = 1100, .last = 1900, .extent = { 1, 1 }, .args = args });
    copy_now(&f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(f.host[i], i >= 100 && i < 900 ? -3 * i : i);
    close_fixture(&f);
}

static void check_index(int64_t rows, int64_t size2, int64_t size3)
{
    struct fixture f = open_fixture("", (rows + 2) * size2 * size3);
    yoke_kernel kernel = make_kernel("index", index_text, int_params + 1, 1);
    kernel.dimensions = 3;
    const struct yk_launch_arg arg = { .buffer = f.buffer };
    launch_now(&f, &kernel,
               &(struct yk_launch){
                   .first = 1, .last = 1 + rows, .extent = { size2, size3 }, .args = &arg });
    copy_now(&f, YK_COPY_FROM_DEVICE);
    for (int64_t e = 0; e < f.count; ++e) {
        int64_t i = e / (size2 * size3);
        assert_int_equal(f.host[e], i >= 1 && i < 1 + rows ? 1 + i : 0);
    }
    close_fixture(&f);
}

/* Each index exactly once, whatever the shape. */
static void test_three_dimensions(void **state)
{
    (void)state;
    check_index(1, 1, 1);
    check_index(3, 5, 7);
    check_index(2, 37, 300);
    check_index(40, 3, 1);
}

static void test_group(void **state)
{
    (void)state;
    struct fixture f = open_fixture("", 100);
    yoke_kernel kernel = make_kernel("group", group_text, int_params + 1, 1);
    kernel.lanes = 8;
    kernel.unit = 4;
    const struct yk_launch_arg arg = { .buffer = f.buffer };
    launch_now(&f, &kernel,
               &(struct yk_launch){ .first = 8, .last = 35, .extent = { 1, 1 }, .args = &arg });
    copy_now(&f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < 100; ++i)
        assert_int_equal(f.host[i], i >= 8 && i < 35 ? 8 : 0);
    close_fixture(&f);
}

static void test_source_by_hand(void **state)
{
    (void)state;
    struct fixture f = open_fixture("", 5000);
    yoke_kernel kernel = make_kernel("mine", by_hand_text, int_params + 1, 1);
    struct yk_program *program = NULL;
    kernel.opencl.source.entry = "add_seven";
    const struct yk_launch_arg arg = { .buffer = f.buffer };
    launch_now(&f, &kernel,
               &(struct yk_launch){ .first = 10, .last = 4990, .extent = { 1, 1 }, .args = &arg });
    copy_now(&f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < 5000; ++i)
        assert_int_equal(f.host[i], i >= 10 && i < 4990 ? 7 : 0);
    kernel.opencl.source.entry = "add_eight";
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_EBUILD);
    assert_non_null(strstr(yoke_error_text(), "add_eight"));
    close_fixture(&f);
}

static void test_compile_error(void **state)
{
    (void)state;
    struct yk_device *device = open_device("");
    const yoke_kernel kernel = make_kernel("broken", broken_text, int_params, 2);
    struct yk_program *program = NULL;
    assert_int_equal(backend->build(device, &kernel, &program), YOKE_EBUILD);
    assert_null(program);
    const char *text = yoke_error_text();
    assert_non_null(strstr(text, device->desc.name));
    assert_non_null(strstr(text, device->desc.model));
    assert_non_null(strstr(text, "broken"));
    assert_non_null(strstr(text, "no_such_name"));
    assert_non_null(strstr(text, "user_kernels.c"));
    assert_non_null(strstr(text, "14")); /* the third line of what begins at 12 */
    backend->close(device);
}

/* Host and device disagree on the size of a type. */
static void test_size_check(void **state)
{
    (void)state;
    struct yk_device *device = open_device("");
    yoke_param params[] = { int_params[0], int_params[1] };
    params[1].size = 8;
    const yoke_kernel kernel = make_kernel("scale", scale_text, params, 2);
    struct yk_program *program = NULL;
    assert_int_equal(backend->build(device, &kernel, &program), YOKE_EBUILD);
    assert_non_null(strstr(yoke_error_text(), "yk_size_differs_from_the_host_scale_x"));
    backend->close(device);
}

static void test_no_implementation(void **state)
{
    (void)state;
    struct yk_device *device = open_device("");
    const yoke_kernel kernel = make_kernel("bare", NULL, int_params, 2);
    struct yk_program *program = NULL;
    assert_int_equal(backend->build(device, &kernel, &program), YOKE_ENOIMPL);
    assert_non_null(strstr(yoke_error_text(), "bare"));
    yoke_kernel odd = make_kernel("odd", scale_text, int_params, 2);
    odd.dimensions = 4;
    assert_int_equal(backend->build(device, &odd, &program), YOKE_EINVAL);
    odd.dimensions = 1;
    odd.param_count = YOKE_ARGS_MAX + 1;
    assert_int_equal(backend->build(device, &odd, &program), YOKE_EINVAL);
    backend->close(device);
}

/* ---- a function by hand ---- */

static const struct yk_opencl_api *driver;
static int native_calls;

static int add_by_function(const yoke_opencl_call *call, const yoke_chunk *chunk)
{
    cl_device_id device = call->device;
    cl_int code;
    const char *text = by_hand_text;
    cl_program program = driver->CreateProgramWithSource(call->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = driver->BuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = driver->CreateKernel(program, "add_seven", &code);
    const cl_long range[4] = { chunk->first, chunk->last, chunk->extent[0], chunk->extent[1] };
    cl_mem memory = call->args[1];
    const size_t size = 64;
    for (cl_uint i = 0; i < 4; ++i)
        driver->SetKernelArg(kernel, i, sizeof *range, &range[i]);
    driver->SetKernelArg(kernel, 4, sizeof memory, &memory);
    driver->SetKernelArg(kernel, 5, sizeof(cl_long), &call->shifts[1]);
    for (int i = 0; i < *(const int32_t *)call->args[0] && code == CL_SUCCESS; ++i)
        code =
            driver->EnqueueNDRangeKernel(call->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    driver->ReleaseKernel(kernel);
    driver->ReleaseProgram(program);
    ++native_calls;
    return code;
}

static int refuse(const yoke_opencl_call *call, const yoke_chunk *chunk)
{
    (void)call;
    (void)chunk;
    return CL_INVALID_VALUE;
}

static void test_native(void **state)
{
    (void)state;
    struct fixture f = open_fixture("", 300);
    yoke_kernel kernel = make_kernel("native", NULL, int_params, 2);
    struct yk_program *program = NULL;
    struct yk_event *event = NULL;
    struct yk_event_times times;
    const int32_t twice = 2;
    kernel.kind = YOKE_KERNEL_NATIVE;
    kernel.opencl.native = add_by_function;
    driver = ((struct yk_opencl_device *)f.device)->cl;
    const struct yk_launch_arg args[] = { { .value = &twice },
                                          { .buffer = f.buffer, .shift = -50 * 4 } };
    struct yk_launch launch = { .first = 60, .last = 340, .extent = { 1, 1 }, .args = args };
    int64_t before = yk_clock_ns();
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    assert_int_equal(backend->launch(f.queue, program, &launch, &event), YOKE_OK);
    assert_int_equal(backend->wait(event), YOKE_OK);
    backend->event_times(event, &times);
    assert_true(times.started >= before && times.ended > times.started &&
                times.ended <= yk_clock_ns());
    backend->event_close(event);
    backend->program_close(f.device, program);
    assert_int_equal(native_calls, 1);
    copy_now(&f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < 300; ++i)
        assert_int_equal(f.host[i], i >= 10 && i < 290 ? 14 : 0);

    event = NULL;
    kernel.opencl.native = refuse;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    assert_int_equal(backend->launch(f.queue, program, &launch, &event), YOKE_EINVAL);
    assert_null(event);
    assert_non_null(strstr(yoke_error_text(), "native"));
    backend->program_close(f.device, program);
    close_fixture(&f);
}

/* ---- the disk cache ---- */

static int hits;
static void count_hits(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    (void)level;
    hits += strstr(line, "came from the cache") != NULL;
}

static void run_scale(struct fixture *f)
{
    const yoke_kernel kernel = make_kernel("scale", scale_text, int_params, 2);
    const int32_t factor = 5;
    const struct yk_launch_arg args[] = { { .value = &factor }, { .buffer = f->buffer } };
    for (int i = 0; i < f->count; ++i)
        f->host[i] = i;
    copy_now(f, YK_COPY_TO_DEVICE);
    launch_now(f, &kernel,
               &(struct yk_launch){ .last = f->count, .extent = { 1, 1 }, .args = args });
    copy_now(f, YK_COPY_FROM_DEVICE);
    for (int i = 0; i < f->count; ++i)
        assert_int_equal(f->host[i], 5 * i);
}

/* Overwrite the only entry's middle; its checksum is made right if `sealed` is the whole entry of
 * another kernel. */
static void damage_entry(void)
{
    char path[400] = "";
    DIR *open = opendir(cache_folder);
    assert_non_null(open);
    for (struct dirent *item = readdir(open); item; item = readdir(open))
        if (strstr(item->d_name, ".kernel"))
            snprintf(path, sizeof path, "%s/%s", cache_folder, item->d_name);
    closedir(open);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -100, SEEK_END);
    fputs("damaged", file);
    fclose(file);
}

static void empty_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", cache_folder);
    assert_int_equal(system(command), 0);
}

static void test_cache(void **state)
{
    (void)state;
    empty_cache();
    struct fixture f = open_fixture("", 1000);
    yoke_set_log(count_hits, NULL, YOKE_LOG_DEBUG);
    hits = 0;
    run_scale(&f);
    assert_int_equal(hits, 0);
    run_scale(&f);
    assert_int_equal(hits, 1);
    damage_entry();
    run_scale(&f);
    assert_int_equal(hits, 1);
    run_scale(&f);
    assert_int_equal(hits, 2);
    setenv("YOKE_CACHE", "off", 1);
    run_scale(&f);
    assert_int_equal(hits, 2);
    setenv("YOKE_CACHE", cache_folder, 1);
    yoke_set_log(NULL, NULL, YOKE_LOG_ERROR);
    close_fixture(&f);
}

/* An entry that is sound but that the driver refuses: what another build of it left. */
static void test_cache_refused(void **state)
{
    (void)state;
    empty_cache();
    struct fixture f = open_fixture("", 1000);
    run_scale(&f);
    char path[400] = "", bytes[65536];
    DIR *open = opendir(cache_folder);
    assert_non_null(open);
    for (struct dirent *item = readdir(open); item; item = readdir(open))
        if (strstr(item->d_name, ".kernel"))
            snprintf(path, sizeof path, "%s/%s", cache_folder, item->d_name);
    closedir(open);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint64_t key_size;
    assert_true(size > 32);
    memcpy(&key_size, bytes + 8, sizeof key_size);
    assert_true(32 + key_size < size);
    yk_cache_store((struct yk_blob){ bytes + 32, key_size }, (struct yk_blob){ "nonsense", 8 });
    run_scale(&f);
    close_fixture(&f);
}

/* ---- waiting ---- */

static int64_t thread_cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* A launch of some 0.3 s. */
static struct yk_event *start_slow(struct fixture *f, struct yk_program *program, int32_t rounds)
{
    struct yk_event *event = NULL;
    const struct yk_launch_arg args[] = { { .value = &rounds }, { .buffer = f->buffer } };
    const struct yk_launch launch = { .last = f->count, .extent = { 1, 1 }, .args = args };
    assert_int_equal(backend->launch(f->queue, program, &launch, &event), YOKE_OK);
    return event;
}

static int32_t slow_rounds(struct fixture *f, struct yk_program *program)
{
    int32_t rounds = 64;
    for (;;) {
        int64_t start = yk_clock_ns();
        struct yk_event *event = start_slow(f, program, rounds);
        assert_int_equal(backend->wait(event), YOKE_OK);
        backend->event_close(event);
        if (yk_clock_ns() - start > 300000000)
            return rounds;
        rounds *= 2;
    }
}

/* The state of the tests below: the settings, one for each way of learning that work has ended. */
static char callback_settings[] = "wake=callback", poll_settings[] = "wake=poll";

static void test_wait_asleep(void **state)
{
    struct fixture f = open_fixture(*state, 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    struct yk_event_times times;
    yoke_status outcome = YOKE_EDEVICE;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    int32_t rounds = slow_rounds(&f, program);
    int64_t start = yk_clock_ns(), cpu = thread_cpu_ns();
    struct yk_event *event = start_slow(&f, program, rounds);
    assert_false(backend->poll(event, &outcome)); /* still running */
    assert_int_equal(outcome, YOKE_EDEVICE);      /* and the output untouched */
    assert_int_equal(backend->wait(event), YOKE_OK);
    int64_t end = yk_clock_ns();
    cpu = thread_cpu_ns() - cpu;
    assert_true(cpu < (end - start) / 20);
    assert_true(backend->poll(event, &outcome));
    assert_int_equal(outcome, YOKE_OK);
    backend->event_times(event, &times);
    assert_true(start <= times.started && times.started < times.ended && times.ended <= end);
    assert_true(times.ended - times.started > (end - start) / 2);
    backend->event_close(event);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

struct bell {
    struct yk_parker parker;
    atomic_int rings;
};

static void ring(void *context)
{
    struct bell *bell = context;
    atomic_fetch_add(&bell->rings, 1);
    yk_parker_wake(&bell->parker);
}

static void wait_for_rings(struct bell *bell, int count)
{
    while (atomic_load(&bell->rings) < count)
        assert_true(yk_parker_sleep(&bell->parker, 60000000000));
    assert_int_equal(atomic_load(&bell->rings), count);
}

static void test_notify(void **state)
{
    enum { EVENTS = 20 };
    struct fixture f = open_fixture(*state, 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    struct yk_event *events[EVENTS];
    struct bell bell = { .rings = 0 };
    yoke_status outcome = YOKE_EDEVICE;
    assert_int_equal(yk_parker_open(&bell.parker), YOKE_OK);
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    for (int i = 0; i < EVENTS; ++i) {
        events[i] = start_slow(&f, program, 100);
        assert_int_equal(backend->notify(events[i], ring, &bell), YOKE_OK);
    }
    wait_for_rings(&bell, EVENTS);
    for (int i = 0; i < EVENTS; ++i) {
        assert_true(backend->poll(events[i], &outcome));
        assert_int_equal(outcome, YOKE_OK);
    }
    assert_int_equal(backend->notify(events[0], ring, &bell), YOKE_OK); /* over: at once */
    wait_for_rings(&bell, EVENTS + 1);
    for (int i = 0; i < EVENTS; ++i)
        backend->event_close(events[i]);
    int64_t cpu = yk_clock_process_ns(); /* nothing to watch: nobody is awake */
    yk_clock_sleep_ns(300000000);
    if (*state == poll_settings || f.device->desc.is_cpu) /* NVIDIA's threads for callbacks spin */
        assert_true(yk_clock_process_ns() - cpu < 30000000);
    struct yk_event *event = start_slow(&f, program, 1000); /* closed while it runs */
    assert_int_equal(backend->notify(event, ring, &bell), YOKE_OK);
    backend->event_close(event);
    wait_for_rings(&bell, EVENTS + 2);
    backend->program_close(f.device, program);
    close_fixture(&f);
    yk_parker_close(&bell.parker);
}

/* Order across queues by events, more of them than fit on the stack. */
static void test_after(void **state)
{
    (void)state;
    enum { EVENTS = 40 };
    struct fixture f = open_fixture("", 1 << 18);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    struct yk_queue *other = NULL;
    struct yk_event *events[EVENTS] = { 0 }, *last = NULL;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    assert_int_equal(backend->queue_open(f.device, &other), YOKE_OK);
    for (int i = 0; i < EVENTS - 1; ++i) /* the last stays NULL: complete */
        events[i] = start_slow(&f, program, 100);
    const struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE,
                                  .host = f.host,
                                  .buffer = f.buffer,
                                  .bytes = f.count * 4,
                                  .after = events,
                                  .after_count = EVENTS };
    assert_int_equal(backend->copy(other, &copy, &last), YOKE_OK);
    assert_int_equal(backend->wait(last), YOKE_OK);
    for (int i = 0; i < EVENTS - 1; ++i) {
        yoke_status outcome = YOKE_EDEVICE;
        assert_true(backend->poll(events[i], &outcome));
        assert_int_equal(outcome, YOKE_OK);
        backend->event_close(events[i]);
    }
    assert_true(((float *)f.host)[1000] != 0);
    backend->event_close(last);
    backend->queue_close(other);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

/* units=1: two cores' worth of work takes one core's time. */
static void test_units(void **state)
{
    (void)state;
    struct yk_device_list list;
    assert_int_equal(find(device_number(), "", &list), YOKE_OK);
    int is_cpu = list.items[0].is_cpu, cores = list.items[0].cores;
    yk_device_list_close(&list);
    if (!is_cpu || cores < 2)
        skip();
    struct fixture f = open_fixture("units=1", 1 << 18);
    assert_int_equal(f.device->desc.cores, 1);
    const yoke_kernel kernel = make_kernel("slow", slow_text, slow_params, 2);
    struct yk_program *program = NULL;
    assert_int_equal(backend->build(f.device, &kernel, &program), YOKE_OK);
    int32_t rounds = slow_rounds(&f, program);
    int64_t start = yk_clock_ns(), cpu = yk_clock_process_ns();
    struct yk_event *event = start_slow(&f, program, rounds);
    assert_int_equal(backend->wait(event), YOKE_OK);
    assert_true(yk_clock_process_ns() - cpu < (yk_clock_ns() - start) * 12 / 10);
    backend->event_close(event);
    backend->program_close(f.device, program);
    close_fixture(&f);
}

/* ---- out of host memory anywhere ---- */

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
        status = backend->zero(queue, buffer, 0, 4096, NULL);
    if (status == YOKE_OK)
        status = backend->build(device, &kernel, &program);
    if (status == YOKE_OK) {
        const struct yk_launch_arg args[] = { { .value = &factor }, { .buffer = buffer } };
        const struct yk_launch launch = { .last = 1024, .extent = { 1, 1 }, .args = args };
        status = backend->launch(queue, program, &launch, &event);
    }
    if (status == YOKE_OK) {
        status = backend->notify(event, count_ring, &rings);
        yoke_status outcome = backend->wait(event); /* asleep or, without memory, polling */
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
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_three_dimensions),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_source_by_hand),
        cmocka_unit_test(test_compile_error),
        cmocka_unit_test(test_size_check),
        cmocka_unit_test(test_no_implementation),
        cmocka_unit_test(test_native),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_refused),
        cmocka_unit_test_prestate(test_wait_asleep, callback_settings),
        cmocka_unit_test_prestate(test_wait_asleep, poll_settings),
        cmocka_unit_test_prestate(test_notify, callback_settings),
        cmocka_unit_test_prestate(test_notify, poll_settings),
        cmocka_unit_test(test_after),
        cmocka_unit_test(test_units),
        cmocka_unit_test_prestate(test_no_host_memory, callback_settings),
        cmocka_unit_test_prestate(test_no_host_memory, poll_settings),
    };
    int failures = cmocka_run_group_tests(absent, NULL, NULL);
    struct yk_device_list list;
    if (find("", "", &list) != YOKE_OK) {
        print_message("no OpenCL device here: %s\n", yoke_error_text());
        return failures ? 1 : 77;
    }
    yk_device_list_close(&list);
    strcpy(cache_folder, "/tmp/yoke-opencl-XXXXXX");
    if (!mkdtemp(cache_folder))
        return 1;
    setenv("YOKE_CACHE", cache_folder, 1);
    failures += cmocka_run_group_tests(tests, NULL, NULL);
    empty_cache();
    rmdir(cache_folder);
    return failures != 0;
}
