/* test_standin.c - tests of the stand-in driver and compiler: they behave as the other tests
 * assume. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "driver.h"
#include "nvrtc.h"

enum { BYTES = 1 << 20, GRAIN = 2 << 20 };

struct scene {
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;
};

static int scene_open(void **state)
{
    static struct scene scene;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&scene.context, CU_CTX_SCHED_BLOCKING_SYNC, 0), CUDA_SUCCESS);
    assert_int_equal(cuStreamCreate(&scene.stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&scene.memory, BYTES), CUDA_SUCCESS);
    *state = &scene;
    return 0;
}

static int scene_close(void **state)
{
    struct scene *scene = *state;
    standin_fail(NULL);
    cuCtxDestroy(scene->context);
    assert_int_equal(standin_outstanding(), 0);
    return 0;
}

static void every_thread_has_a_stack_of_contexts(void **state)
{
    struct scene *scene = *state;
    CUcontext second, popped;
    size_t left, total;
    assert_int_equal(cuCtxCreate(&second, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    assert_ptr_equal(popped, second);
    assert_int_equal(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    assert_ptr_equal(popped, scene->context);
    assert_int_equal(cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent(scene->context), CUDA_SUCCESS);
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    assert_int_equal(total - left, BYTES);
    assert_int_equal(cuCtxDestroy(second), CUDA_SUCCESS);
}

static void memory_ends(void **state)
{
    CUdeviceptr large;
    size_t left, total;
    (void)state;
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&large, left + 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc(&large, left), CUDA_SUCCESS);
    assert_int_equal(cuMemFree(large + 512), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFree(large), CUDA_SUCCESS);
    assert_int_equal(cuMemFree(large), CUDA_ERROR_INVALID_VALUE);
}

static void copies_outside_of_memory_are_refused(void **state)
{
    const struct scene *scene = *state;
    char bytes[8] = { 0 };
    assert_int_equal(cuMemcpyHtoDAsync(scene->memory + BYTES - 8, bytes, 8, scene->stream), 0);
    assert_int_equal(cuMemcpyHtoDAsync(scene->memory + BYTES - 7, bytes, 8, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoHAsync(bytes, scene->memory - 1, 8, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8Async(scene->memory, 0, BYTES + 1, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamSynchronize(scene->stream), CUDA_SUCCESS);
}

static CUmemGenericAllocationHandle map(CUdeviceptr address)
{
    const CUmemAllocationProp wanted = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                         .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
    CUmemGenericAllocationHandle handle;
    assert_int_equal(cuMemCreate(&handle, GRAIN, &wanted, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemMap(address, GRAIN, 0, handle, 0), CUDA_SUCCESS);
    return handle;
}

static void addresses_need_memory_behind_them(void **state)
{
    const struct scene *scene = *state;
    const CUmemAccessDesc access = { .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                                     .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUmemGenericAllocationHandle pages[2];
    CUdeviceptr address;
    assert_int_equal(cuMemAddressReserve(&address, 4 * GRAIN, 0, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8Async(address, 0, 1, scene->stream), CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; ++i) {
        pages[i] = map(address + (CUdeviceptr)i * GRAIN);
        assert_int_equal(cuMemsetD8Async(address + (CUdeviceptr)i * GRAIN, 0, 1, scene->stream),
                         CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(cuMemSetAccess(address + (CUdeviceptr)i * GRAIN, GRAIN, &access, 1),
                         CUDA_SUCCESS);
    }
    assert_int_equal(cuMemsetD8Async(address, 0, 2 * GRAIN, scene->stream), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8Async(address, 0, 2 * GRAIN + 1, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamSynchronize(scene->stream), CUDA_SUCCESS);
    assert_int_equal(cuMemAddressFree(address, 4 * GRAIN), CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(cuMemUnmap(address + (CUdeviceptr)i * GRAIN, GRAIN), CUDA_SUCCESS);
        assert_int_equal(cuMemRelease(pages[i]), CUDA_SUCCESS);
    }
    assert_int_equal(cuMemAddressFree(address, 4 * GRAIN), CUDA_SUCCESS);
}

static void a_page_is_pinned_once(void **state)
{
    const struct scene *scene = *state;
    /* Far from where the system places the next mappings, which would be mistaken for it. */
    char *pages = mmap((void *)0x200000000000, 4 * 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(cuMemHostRegister(pages + 100, 4096, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemHostRegister(pages + 8000, 200, 0),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(cuMemHostRegister(pages + 8192, 100, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoDAsync(scene->memory, pages + 4096, 8192, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoDAsync(scene->memory, pages + 8192, 8192, scene->stream),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostUnregister(pages), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_int_equal(cuMemHostUnregister(pages + 100), CUDA_SUCCESS);
    assert_int_equal(cuMemHostUnregister(pages + 8192), CUDA_SUCCESS);
    mprotect(pages, 4096, PROT_READ);
    assert_int_equal(cuMemHostRegister(pages, 8192, 0), CUDA_ERROR_INVALID_VALUE);
    munmap(pages, 4 * 4096);
    assert_int_equal(cuMemHostRegister(pages, 4096, 0), CUDA_ERROR_INVALID_VALUE);
}

static void of_its_own_it_says_less(void **state)
{
    (void)state;
    char *own, pageable[64];
    unsigned type = 0;
    assert_int_equal(cuMemHostAlloc((void **)&own, 8192, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemHostRegister(own + 4096, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                           (CUdeviceptr)(uintptr_t)own + 8191),
                     CUDA_SUCCESS);
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    assert_int_equal(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                           (CUdeviceptr)(uintptr_t)pageable),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFreeHost(own), CUDA_SUCCESS);
}

/* ---- kernels ---- */

static const char text[] =
    "__device__ void spin(long long times) { for (volatile long long i = 0; i < times; i = i + 1) "
    "; }\n"
    "extern \"C\" __global__ void fill(int *to, int count, double by)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) to[i] = (int)(i * by); }\n"
    "extern \"C\" __global__ void __launch_bounds__(64) turn(int *to)\n"
    "{ __shared__ int tile[64]; int t = threadIdx.x; int *mine = to + 64 * blockIdx.x;\n"
    "  tile[t] = mine[t]; __syncthreads(); mine[t] = tile[63 - t]; __syncthreads();\n"
    "  tile[t] = t; __syncthreads(); mine[t] += tile[63 - t]; }\n"
    "extern \"C\" __global__ void late(long long times, int *to) { spin(times); *to = 7; }\n"
    "extern \"C\" __global__ void count(int *to) { atomicAdd(to, 1); }\n";

static char *compile(const char *source, const char *option, char **log)
{
    nvrtcProgram program;
    size_t size;
    char *image = NULL;
    assert_int_equal(nvrtcCreateProgram(&program, source, "test.cu", 0, NULL, NULL), 0);
    int code = nvrtcCompileProgram(program, 1, &option);
    nvrtcGetProgramLogSize(program, &size);
    *log = malloc(size);
    nvrtcGetProgramLog(program, *log);
    int ptx = strstr(option, "compute") != NULL;
    if (code == NVRTC_SUCCESS) {
        assert_int_equal((ptx ? nvrtcGetPTXSize : nvrtcGetCUBINSize)(program, &size), 0);
        image = malloc(size);
        assert_int_equal((ptx ? nvrtcGetPTX : nvrtcGetCUBIN)(program, image), 0);
    }
    nvrtcDestroyProgram(&program);
    return image;
}

static CUmodule load(const char *source)
{
    char *log, *image = compile(source, "--gpu-architecture=sm_80", &log);
    CUmodule module;
    if (!image)
        fail_msg("%s", log);
    assert_string_equal(log, "");
    assert_int_equal(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    free(image);
    free(log);
    return module;
}

static CUfunction entry(CUmodule module, const char *name)
{
    CUfunction function;
    assert_int_equal(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
}

static void launch(const struct scene *scene, CUfunction function, unsigned blocks, void **args)
{
    assert_int_equal(cuLaunchKernel(function, blocks, 1, 1, 64, 1, 1, 0, scene->stream, args, NULL),
                     CUDA_SUCCESS);
}

static void kernels_compute(void **state)
{
    struct scene *scene = *state;
    CUmodule module = load(text);
    CUfunction none;
    int count = 1000, got[1024];
    double by = 3;
    assert_int_equal(cuModuleGetFunction(&none, module, "spin"), CUDA_ERROR_NOT_FOUND);
    launch(scene, entry(module, "fill"), 16, (void *[]){ &scene->memory, &count, &by });
    count = 0; /* arguments were copied during the call */
    launch(scene, entry(module, "turn"), 15, (void *[]){ &scene->memory });
    assert_int_equal(cuMemcpyDtoHAsync(got, scene->memory, sizeof got, scene->stream), 0);
    for (int i = 0; i < 960; ++i)
        assert_int_equal(got[i], 3 * (i / 64 * 64 + 63 - i % 64) + 63 - i % 64);
    for (int i = 960; i < 1000; ++i)
        assert_int_equal(got[i], 3 * i);
    assert_int_equal(got[1000], (int)0xa5a5a5a5);
    assert_int_equal(cuMemsetD8Async(scene->memory, 0, 4, scene->stream), CUDA_SUCCESS);
    launch(scene, entry(module, "count"), 10, (void *[]){ &scene->memory });
    assert_int_equal(cuMemcpyDtoHAsync(got, scene->memory, 4, scene->stream), CUDA_SUCCESS);
    assert_int_equal(got[0], 640);
    assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
}

static void streams_run_beside_the_caller(void **state)
{
    struct scene *scene = *state;
    CUmodule module = load(text);
    CUevent begin, end;
    CUstream other;
    long long times = 20000000;
    int *pinned;
    float milliseconds;
    assert_int_equal(cuMemHostAlloc((void **)&pinned, 4096, 0), CUDA_SUCCESS);
    assert_int_equal(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&begin, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&end, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventQuery(end), CUDA_SUCCESS); /* never recorded */
    assert_int_equal(cuEventRecord(begin, scene->stream), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(entry(module, "late"), 1, 1, 1, 1, 1, 1, 0, scene->stream,
                                    (void *[]){ &times, &scene->memory }, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(cuEventRecord(end, scene->stream), CUDA_SUCCESS);
    assert_int_equal(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuStreamWaitEvent(other, end, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoHAsync(pinned, scene->memory, 4, other), CUDA_SUCCESS);
    assert_int_equal(cuStreamSynchronize(other), CUDA_SUCCESS);
    assert_int_equal(*pinned, 7);
    assert_int_equal(cuEventQuery(end), CUDA_SUCCESS);
    assert_int_equal(cuEventElapsedTime(&milliseconds, begin, end), CUDA_SUCCESS);
    assert_true(milliseconds > 1);
    assert_int_equal(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

static void code_fits_one_gpu(void **state)
{
    CUmodule module;
    char *log, *image = compile(text, "--gpu-architecture=sm_75", &log);
    (void)state;
    free(log);
    assert_int_equal(cuModuleLoadData(&module, image), CUDA_ERROR_NO_BINARY_FOR_GPU);
    image[0] = 'x';
    assert_int_equal(cuModuleLoadData(&module, image), CUDA_ERROR_INVALID_IMAGE);
    free(image);
    image = compile(text, "--gpu-architecture=compute_75", &log);
    assert_int_equal(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    free(image);
    free(log);
    image = compile("__global__ void x(\n#line 33 \"mine.c\"\nwrong y) {}",
                    "--gpu-architecture=sm_80", &log);
    assert_null(image);
    assert_non_null(strstr(log, "mine.c:33"));
    free(log);
    assert_null(compile(text, "--gpu-architecture=sm_10", &log));
    free(log);
}

static void failures_come_when_asked_for(void **state)
{
    const struct scene *scene = *state;
    size_t left, total;
    CUevent event;
    standin_fail(&(struct standin_failure){ 2, CUDA_ERROR_OUT_OF_MEMORY, STANDIN_ONCE, NULL });
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    assert_false(standin_failed());
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_ERROR_OUT_OF_MEMORY);
    assert_true(standin_failed());
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    standin_fail(&(struct standin_failure){ 1, 700, STANDIN_LATER, NULL });
    assert_int_equal(cuEventCreate(&event, 0), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8Async(scene->memory, 0, 8, scene->stream), CUDA_SUCCESS);
    assert_int_equal(cuStreamSynchronize(scene->stream), 700);
    assert_int_equal(cuMemGetInfo(&left, &total), 700);
    assert_int_equal(cuEventDestroy(event), 700);
    assert_int_equal(cuCtxPushCurrent(scene->context), CUDA_SUCCESS);
}

static void a_context_dies_for_good(void **state)
{
    size_t left, total;
    CUdeviceptr memory;
    (void)state;
    standin_fail(&(struct standin_failure){ 1, 719, STANDIN_FOR_GOOD, "cuMemAlloc" });
    assert_int_equal(cuMemGetInfo(&left, &total), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&memory, 8), 719);
    assert_int_equal(cuMemGetInfo(&left, &total), 719);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)
        CASE(every_thread_has_a_stack_of_contexts),
        CASE(memory_ends),
        CASE(copies_outside_of_memory_are_refused),
        CASE(addresses_need_memory_behind_them),
        CASE(a_page_is_pinned_once),
        CASE(of_its_own_it_says_less),
        CASE(kernels_compute),
        CASE(streams_run_beside_the_caller),
        CASE(code_fits_one_gpu),
        CASE(failures_come_when_asked_for),
        CASE(a_context_dies_for_good),
#undef CASE
    };
    return cmocka_run_group_tests_name("the stand-in driver", tests, NULL, NULL);
}
