/* test_kernel_opencl.c - the kernel forms as OpenCL texts: compiled with -Werror and run on every
 * OpenCL device of this machine, directly through the driver. It follows the convention at the top
 * of kernel_opencl.h, so it is also the shortest host program that can launch a yoke kernel.
 * Skipped (77) without a driver. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/prelude.h"
#include "base/alloc.h"
#include "cases.h"

/* Of backend/opencl/opencl.h, which declares what CL/cl.h does, too. */
const char *yk_opencl_optimisation(int lanes, const char *version);

/* The driver's functions, loaded at run time. */
#define FUNCTIONS(F)                                                                               \
    F(clGetPlatformIDs)                                                                            \
    F(clGetDeviceIDs)                                                                              \
    F(clGetDeviceInfo)                                                                             \
    F(clCreateContext)                                                                             \
    F(clReleaseContext)                                                                            \
    F(clCreateCommandQueue)                                                                        \
    F(clReleaseCommandQueue)                                                                       \
    F(clCreateProgramWithSource)                                                                   \
    F(clBuildProgram)                                                                              \
    F(clGetProgramBuildInfo)                                                                       \
    F(clReleaseProgram)                                                                            \
    F(clCreateKernel)                                                                              \
    F(clReleaseKernel)                                                                             \
    F(clSetKernelArg)                                                                              \
    F(clCreateBuffer)                                                                              \
    F(clReleaseMemObject)                                                                          \
    F(clEnqueueNDRangeKernel)                                                                      \
    F(clEnqueueReadBuffer)
#define DECLARE(name) __typeof__(name) *name;
static struct driver {
    FUNCTIONS(DECLARE)
} cl;

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    const char *options;
    char nvidia[64]; /* the options for features that only NVIDIA GPUs have; otherwise "" */
    char name[128], version[128];
};

struct trial {
    const struct kernel_case *kernel_case;
    struct device *device;
    char name[192];
};

static int driver_open(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
#define FIND(function)                                                                             \
    *(void **)&cl.function = dlsym(library, #function);                                            \
    if (!cl.function)                                                                              \
        return 0;
    FUNCTIONS(FIND)
    return 1;
}

static cl_kernel build(struct device *device, const yoke_kernel *kernel, cl_program *program)
{
    char *checks = yk_prelude_checks(kernel), entry[128], log[8192] = "", options[128];
    const char *sources[] = { yk_prelude_opencl(), kernel->opencl.source.text, checks };
    cl_int error;
    assert_non_null(checks);
    *program = cl.clCreateProgramWithSource(device->context, 3, sources, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    snprintf(options, sizeof options, "%s%s", device->options,
             yk_opencl_optimisation(kernel->lanes, device->version));
    error = cl.clBuildProgram(*program, 1, &device->id, options, NULL, NULL);
    cl.clGetProgramBuildInfo(*program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    if (error != CL_SUCCESS)
        fail_msg("%s does not compile: %s", kernel->name, log);
    snprintf(entry, sizeof entry, "yoke_entry_%s", kernel->name);
    cl_kernel built = cl.clCreateKernel(*program, entry, &error);
    assert_int_equal(error, CL_SUCCESS);
    yk_free(checks);
    return built;
}

/* Global and local sizes as required by kernel_opencl.h. */
static cl_uint sizes(const yoke_kernel *kernel, const yoke_chunk *chunk, size_t *global,
                     size_t *local)
{
    const int64_t items = chunk->last - chunk->first;
    const int64_t counts[3] = { items, chunk->second.last - chunk->second.first,
                                chunk->third.last - chunk->third.first };
    const cl_uint dimensions = (cl_uint)kernel->dimensions;
    for (int d = 0; d < 3; d++)
        local[d] = d ? 1 : 32;
    if (kernel->lanes) {
        local[0] = (size_t)kernel->lanes;
        global[0] = local[0] * (size_t)((items + kernel->unit - 1) / kernel->unit);
        return 1;
    }
    for (cl_uint d = 0; d < dimensions; d++) {
        const int64_t size = counts[dimensions - 1 - d];
        global[d] = ((size_t)size + local[d] - 1) / local[d] * local[d];
    }
    return dimensions;
}

static void launch(void *state, const yoke_kernel *kernel, const struct launch_arg *args,
                   const yoke_chunk *chunk)
{
    struct device *device = ((struct trial *)state)->device;
    const cl_long part[] = { chunk->first,       chunk->last,        chunk->second.first,
                             chunk->second.last, chunk->third.first, chunk->third.last,
                             chunk->extent[0],   chunk->extent[1] };
    const cl_long one_copy = 0;
    cl_program program;
    cl_kernel built = build(device, kernel, &program);
    cl_mem buffers[24] = { NULL };
    cl_uint at = 0;
    cl_int error = CL_SUCCESS;
    size_t global[3], local[3];
    error |= cl.clSetKernelArg(built, at++, sizeof part, part);
    for (int p = 0; p < kernel->param_count; p++) {
        if (args[p].value) {
            error |= cl.clSetKernelArg(built, at++, kernel->params[p].size, args[p].value);
            continue;
        }
        const cl_long shift = args[p].shift;
        buffers[p] = cl.clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       args[p].bytes, args[p].window, &error);
        assert_int_equal(error, CL_SUCCESS);
        error |= cl.clSetKernelArg(built, at++, sizeof buffers[p], &buffers[p]);
        error |= cl.clSetKernelArg(built, at++, sizeof shift, &shift);
        if (kernel->params[p].mode == YOKE_PARAM_ADD)
            error |= cl.clSetKernelArg(built, at++, sizeof one_copy, &one_copy);
    }
    assert_int_equal(error, CL_SUCCESS);
    cl_uint dimensions = sizes(kernel, chunk, global, local);
    error = cl.clEnqueueNDRangeKernel(device->queue, built, dimensions, NULL, global, local, 0,
                                      NULL, NULL);
    assert_int_equal(error, CL_SUCCESS);
    for (int p = 0; p < kernel->param_count; p++) {
        if (!buffers[p])
            continue;
        error = cl.clEnqueueReadBuffer(device->queue, buffers[p], CL_TRUE, 0, args[p].bytes,
                                       args[p].window, 0, NULL, NULL);
        assert_int_equal(error, CL_SUCCESS);
        cl.clReleaseMemObject(buffers[p]);
    }
    cl.clReleaseKernel(built);
    cl.clReleaseProgram(program);
}

static void device_is_right(void **state)
{
    struct trial *trial = *state;
    struct launcher launcher = { .state = trial, .launch = launch };
    trial->kernel_case->run(&launcher);
}

/* The compiler must name a type that has another size on the device. */
static void wrong_size_is_refused(void **state)
{
    struct trial *trial = *state;
    yoke_kernel kernel = *test_kernels[0];
    yoke_param params[24];
    char log[8192] = "";
    memcpy(params, kernel.params, sizeof *params * (size_t)kernel.param_count);
    params[1].size = 5;
    kernel.params = params;
    char *checks = yk_prelude_checks(&kernel);
    assert_non_null(checks);
    const char *sources[] = { yk_prelude_opencl(), kernel.opencl.source.text, checks };
    cl_int error;
    cl_program program =
        cl.clCreateProgramWithSource(trial->device->context, 3, sources, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    error = cl.clBuildProgram(program, 1, &trial->device->id, "", NULL, NULL);
    assert_int_not_equal(error, CL_SUCCESS);
    cl.clGetProgramBuildInfo(program, trial->device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                             NULL);
    assert_non_null(strstr(log, "yk_size_differs_from_the_host_saxpy_x"));
    cl.clReleaseProgram(program);
    yk_free(checks);
}

/* No memory for the checks: returns NULL and leaks nothing. */
static void checks_without_memory(void **state)
{
    (void)state;
    yk_alloc_fail_at(1);
    assert_null(yk_prelude_checks(test_kernels[0]));
    assert_int_equal(yk_alloc_failed(), 1);
    assert_int_equal(yk_alloc_outstanding(), 0);
}

static int devices_open(struct device *devices, int capacity)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    int count = 0;
    if (cl.clGetPlatformIDs(8, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < 8 && count < capacity; p++) {
        struct device *device = &devices[count];
        cl_int error;
        cl_uint major;
        if (cl.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL) != CL_SUCCESS)
            continue;
        cl.clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name, device->name, NULL);
        cl.clGetDeviceInfo(device->id, CL_DEVICE_VERSION, sizeof device->version, device->version,
                           NULL);
        device->context = cl.clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
        if (error != CL_SUCCESS)
            continue;
        device->queue = cl.clCreateCommandQueue(device->context, device->id, 0, &error);
        device->options = "-cl-std=CL1.2 -Werror";
        if (cl.clGetDeviceInfo(device->id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major,
                               &major, NULL) == CL_SUCCESS)
            snprintf(device->nvidia, sizeof device->nvidia, "-cl-std=CL1.2 -DYK_NVIDIA=%u", major);
        if (error == CL_SUCCESS)
            count++;
    }
    return count;
}

int main(void)
{
    enum { DEVICES_MAX = 4, WAYS = 3, TRIALS_MAX = 360 };
    static struct device devices[WAYS * DEVICES_MAX];
    static struct trial trials[TRIALS_MAX];
    struct CMUnitTest tests[TRIALS_MAX + 2];
    int device_count = driver_open() ? devices_open(devices, DEVICES_MAX) : 0;
    int way_count = device_count;
    size_t count = 0, test_count = 0;
    if (!device_count) {
        printf("no OpenCL device on this machine: skipped\n");
        return 77;
    }
    for (int d = 0; d < device_count; d++) { /* again as if it had no 64-bit atomics */
        devices[way_count] = devices[d];
        devices[way_count++].options = "-cl-std=CL1.2 -Werror -DYOKE_ADD_BY_HALVES=1";
        devices[way_count] = devices[d];
        devices[way_count].options = devices[d].nvidia;
        way_count += devices[d].nvidia[0] != 0;
    }
    for (int d = 0; d < way_count; d++)
        for (const struct kernel_case *c = kernel_cases; c->name; c++) {
            struct trial *trial = &trials[count++];
            *trial = (struct trial){ .kernel_case = c, .device = &devices[d] };
            snprintf(trial->name, sizeof trial->name, "%s, %s: %s", devices[d].name,
                     devices[d].options, c->name);
            tests[test_count++] =
                (struct CMUnitTest){ trial->name, device_is_right, NULL, NULL, trial };
        }
    tests[test_count++] = (struct CMUnitTest){ "a wrong size is refused", wrong_size_is_refused,
                                               NULL, NULL, &trials[0] };
    tests[test_count++] =
        (struct CMUnitTest){ "checks without memory", checks_without_memory, NULL, NULL, NULL };
    return _cmocka_run_group_tests("kernel_opencl", tests, test_count, NULL, NULL);
}
