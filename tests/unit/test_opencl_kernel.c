/* test_opencl_kernel.c - kernels on an OpenCL device: windows on an array, every index once in any
 * shape, groups, hand-written source and functions, compile errors with the user's line numbers. */
#include <yoke/job.h>

#include "opencl_bench.h"
#include "platform/clock.h"

static const char broken_text[] =
    LINE_MARK "__kernel void yoke_entry_broken(" RANGE
              ", int factor, " ARRAY("int", "x") ")\n"
                                                 "{\n"
                                                 "    x[0] = no_such_name;\n"
                                                 "}\n";
static const char index_text[] = LINE_MARK "__kernel void yoke_entry_index(" RANGE ", " ARRAY(
    "int", "x") ")\n"
                "{\n"
                "    long i = yk_part.first + (long)get_global_id(2);\n"
                "    long j = yk_part.first2 + (long)get_global_id(1);\n"
                "    long k = yk_part.first3 + (long)get_global_id(0);\n"
                "    if (i < yk_part.last && j < yk_part.last2 && k < yk_part.last3)\n"
                "        " AT("int", "x",
                              "(i * yk_part.size2 + j) * yk_part.size3 + k") " += 1 + (int)i;\n"
                                                                             "}\n";
static const char group_text[] = LINE_MARK
    "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void yoke_entry_group(" RANGE
    ", " ARRAY("int",
               "x") ")\n"
                    "{\n"
                    "    long i = yk_part.first + (long)get_group_id(0) * 4 + get_local_id(0);\n"
                    "    if (get_local_id(0) < 4 && i < yk_part.last) " AT(
                        "int", "x", "i") " += (int)get_local_size(0);\n"
                                         "}\n";
static const char large_text[] = LINE_MARK
    "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void yoke_entry_large(" RANGE
    ", " ARRAY("int", "x") ")\n"
                           "{\n"
                           "    __local int large[1 << 24];\n"
                           "    large[get_local_id(0)] = 1;\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "    if (yk_part.first < yk_part.last) " AT(
                               "int", "x", "yk_part.first") " = large[7 - get_local_id(0)];\n"
                                                            "}\n";
/* As long as some names that a C++ compiler makes. */
#define LONG_NAME                                                                                  \
    "add_seven_to_each_element_of_the_only_array_in_blocks_of_as_many_work_items_as_the_device_"   \
    "can_have_in_a_group_and_leave_those_outside_the_part_as_they_are"
static const char by_hand_text[] =
    "__kernel void " LONG_NAME "(long first, long last, long size2, long size3, " ARRAY(
        "int", "x") ")\n"
                    "{\n"
                    "    for (long i = first + (long)get_global_id(0); i < last; i += "
                    "get_global_size(0))\n"
                    "        " AT("int", "x", "i") " += 7;\n"
                                                   "}\n";

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
    kernel.opencl.source.entry = LONG_NAME;
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
    assert_non_null(strstr(text, "14")); /* the third line of a text that begins at line 12 */
    backend->close(device);
}

/* More local memory than any device has; PoCL ends the process at such a launch. */
static void test_local_memory(void **state)
{
    (void)state;
    struct yk_device *device = open_device("");
    yoke_kernel kernel = make_kernel("large", large_text, int_params + 1, 1);
    struct yk_program *program = NULL;
    kernel.lanes = kernel.unit = 8;
    assert_int_equal(backend->build(device, &kernel, &program), YOKE_EBUILD);
    assert_null(program);
    assert_non_null(strstr(yoke_error_text(), "large"));
    backend->close(device);
}

/* Host and device have different sizes of a type. */
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

/* ---- a hand-written function ---- */

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
    cl_kernel kernel = driver->CreateKernel(program, LONG_NAME, &code);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),        cmocka_unit_test(test_three_dimensions),
        cmocka_unit_test(test_group),         cmocka_unit_test(test_source_by_hand),
        cmocka_unit_test(test_compile_error), cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_size_check),    cmocka_unit_test(test_no_implementation),
        cmocka_unit_test(test_native),
    };
    return device_present() ? cmocka_run_group_tests(tests, make_cache, remove_cache) : 77;
}
